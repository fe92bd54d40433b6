/// SipHash-1-3 of a word and bytes behind it: who does not know the secret cannot choose bytes that collide.
///
/// Swift's own `Hasher` is one, too, but takes its secret from the system, or none at all: a run could not be repeated
/// from its seed.
package struct KeyedHash {
  private let secret: (UInt64, UInt64)

  init(secret: (UInt64, UInt64)) { self.secret = secret }

  /// With a secret made from a seed: what 128 bits may hold, though no more than the seed's 64 are unknown.
  package init(seed: UInt64) { self.init(secret: (Self.scatter(seed &+ 1), Self.scatter(seed &+ 2))) }

  private static func scatter(_ seed: UInt64) -> UInt64 {
    SplitMix64.mixed(seed &* SplitMix64.step)
  }

  @inline(__always)
  package func hash(_ word: UInt64, _ bytes: Span<UInt8>) -> UInt64 {
    hash(word, bytes, compressions: 1, finalizations: 3)
  }

  /// - Parameters:
  ///   - compressions: rounds for each word.
  ///   - finalizations: rounds at the end.
  @inline(__always)
  func hash(_ word: UInt64, _ bytes: Span<UInt8>, compressions: Int, finalizations: Int) -> UInt64 {
    hash(bytes, behind: state(behind: word, rounds: compressions), compressions, finalizations)
  }

  /// What is the same for all bytes behind this word.
  @inline(__always)
  func state(behind word: UInt64, rounds: Int = 1) -> State {
    var state = State(secret)
    state.take(word, rounds: rounds)
    return state
  }

  @inline(__always)
  func hash(
    _ bytes: Span<UInt8>, behind state: State, _ compressions: Int = 1, _ finalizations: Int = 3
  ) -> UInt64 {
    bytes.withUnsafeBytes { bytes in
      var state = state
      var offset = 0
      while bytes.count &- offset >= 8 {
        state.take(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self), rounds: compressions)
        offset &+= 8
      }
      let count = UInt64(truncatingIfNeeded: bytes.count &+ 8) << 56
      state.take(Self.tail(of: bytes, from: offset) | count, rounds: compressions)
      return state.finish(rounds: finalizations)
    }
  }

  /// The last 0 to 7 bytes, the first of them lowest.
  @inline(__always)
  private static func tail(of bytes: UnsafeRawBufferPointer, from offset: Int) -> UInt64 {
    let left = bytes.count &- offset
    guard left > 0 else { return 0 }
    if bytes.count >= 8 {
      // The word that ends with them begins with others, which leave at its lower end.
      let word = bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self)
      return word &>> UInt64(truncatingIfNeeded: 64 &- 8 &* left)
    }
    if left >= 4 {
      let low = UInt64(bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
      let high = UInt64(bytes.loadUnaligned(fromByteOffset: left &- 4, as: UInt32.self))
      return low | high &<< UInt64(truncatingIfNeeded: 8 &* (left &- 4))
    }
    let (first, middle, last) = (bytes[0], bytes[left &>> 1], bytes[left &- 1])
    let shift = UInt64(truncatingIfNeeded: 8 &* (left &>> 1))
    return UInt64(first) | UInt64(middle) &<< shift
      | UInt64(last) &<< UInt64(truncatingIfNeeded: 8 &* (left &- 1))
  }

  struct State {
    private var (a, b, c, d): (UInt64, UInt64, UInt64, UInt64)

    @inline(__always)
    fileprivate init(_ secret: (UInt64, UInt64)) {
      (a, b) = (secret.0 ^ 0x736f_6d65_7073_6575, secret.1 ^ 0x646f_7261_6e64_6f6d)
      (c, d) = (secret.0 ^ 0x6c79_6765_6e65_7261, secret.1 ^ 0x7465_6462_7974_6573)
    }

    @inline(__always)
    fileprivate mutating func take(_ word: UInt64, rounds: Int) {
      d ^= word
      for _ in 0..<rounds { round() }
      a ^= word
    }

    @inline(__always)
    fileprivate mutating func finish(rounds: Int) -> UInt64 {
      c ^= 0xff
      for _ in 0..<rounds { round() }
      return a ^ b ^ c ^ d
    }

    @inline(__always)
    private mutating func round() {
      a &+= b
      c &+= d
      b = Self.rotated(b, 13) ^ a
      d = Self.rotated(d, 16) ^ c
      a = Self.rotated(a, 32)
      c &+= b
      a &+= d
      b = Self.rotated(b, 17) ^ c
      d = Self.rotated(d, 21) ^ a
      c = Self.rotated(c, 32)
    }

    @inline(__always)
    private static func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 {
      word &<< bits | word &>> (64 &- bits)
    }
  }
}

/// A keyed hash of bytes behind a word that mostly is the same as before: what it leads to is kept.
package struct KeyedHashOfMany {
  package let hash: KeyedHash
  private var lastWord: UInt64 = 0
  private var stateOfLast: KeyedHash.State

  package init(_ hash: KeyedHash) {
    self.hash = hash
    stateOfLast = hash.state(behind: 0)
  }

  @inline(__always)
  package mutating func hash(_ word: UInt64, _ bytes: Span<UInt8>) -> UInt64 {
    if word != lastWord { (lastWord, stateOfLast) = (word, hash.state(behind: word)) }
    return hash.hash(bytes, behind: stateOfLast)
  }
}
