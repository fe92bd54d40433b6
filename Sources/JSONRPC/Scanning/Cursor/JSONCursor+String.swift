/// Skipping strings, many bytes at a time where nothing special stands among them.
extension JSONCursor {
  /// After so many bytes with nothing special among them a string is taken for a long one, which may well have a
  /// whole block more of them.
  private static let shortByteCount = 4 * StringBlock.byteCount

  /// Skips a string, from behind its opening quote to behind its closing one.
  @inline(always)
  mutating func skipString(in bytes: Span<UInt8>) -> Bool {
    var longFrom = position &+ Self.shortByteCount
    while position < end {
      let count = StringBlock(at: position, in: bytes).plainByteCount
      position &+= count
      if count == StringBlock.byteCount {
        if position == longFrom { position = endOfPlainBlocks(from: position, in: bytes) }
        continue
      }
      if isAt("\"", in: bytes) {
        position &+= 1
        return true
      }
      let length = specialLength(in: bytes)
      if length == 0 { return false }
      position &+= length
      longFrom = position &+ Self.shortByteCount
    }
    return false
  }

  /// Where the string ends whose opening quote is at `start`; nil when it has anything special in it, or does not end
  /// before the text.
  ///
  /// - Parameter start: lies in the text or, by no more than 32 bytes, in the slack after it.
  @inline(always)
  func endOfPlainString(at start: Int, in bytes: Span<UInt8>) -> Int? {
    guard let stop = endOfPlainBytes(from: start &+ 1, in: bytes) else { return nil }
    return Self.byte(at: stop, in: bytes) == UInt8(ascii: "\"") ? stop &+ 1 : nil
  }

  /// Where the first byte is that cannot just stand in a string; nil when none was found before the text's end.
  ///
  /// - Parameter start: as above, one further.
  @inline(always)
  func endOfPlainBytes(from start: Int, in bytes: Span<UInt8>) -> Int? {
    var position = start
    repeat {
      let count = StringBlock(at: position, in: bytes).plainByteCount
      position &+= count
      if count < StringBlock.byteCount { return position }
      if position &- start == Self.shortByteCount {
        position = endOfPlainBlocks(from: position, in: bytes)
      }
    } while position < end
    return nil
  }

  /// The length of the escape or of the scalar beyond ASCII there; 0 when it is wrong, or neither.
  @inline(never)
  func specialLength(at offset: Int, in bytes: Span<UInt8>) -> Int {
    var cursor = self
    cursor.position = offset
    return cursor.specialLength(in: bytes)
  }

  /// The length of the escape or of the scalar beyond ASCII that is here; 0 when it is wrong.
  ///
  /// Not mutating, so that the position can stay in a register around the call.
  @inline(never)
  private func specialLength(in bytes: Span<UInt8>) -> Int {
    let first = peek(in: bytes)
    return first == UInt8(ascii: "\\") ? escapeLength(in: bytes) : scalarLength(from: first, in: bytes)
  }

  private func escapeLength(in bytes: Span<UInt8>) -> Int {
    switch peek(1, in: bytes) {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return 2
    case UInt8(ascii: "u"):
      for offset in 2...5 where peek(offset, in: bytes).hexDigitValue == nil { return 0 }
      return 6
    default:
      return 0
    }
  }

  /// The length of the scalar that starts here with a byte that is not ASCII; 0 when it is not UTF-8
  /// (table 3-7 of the Unicode standard: no overlong form, no surrogate, nothing above U+10FFFF).
  private func scalarLength(from first: UInt8, in bytes: Span<UInt8>) -> Int {
    let second = peek(1, in: bytes)
    switch first {
    case 0xC2...0xDF: return second.isContinuation ? 2 : 0
    case 0xE0: return (0xA0...0xBF).contains(second) ? threeByteLength(in: bytes) : 0
    case 0xED: return (0x80...0x9F).contains(second) ? threeByteLength(in: bytes) : 0
    case 0xE1...0xEF: return second.isContinuation ? threeByteLength(in: bytes) : 0
    case 0xF0: return (0x90...0xBF).contains(second) ? fourByteLength(in: bytes) : 0
    case 0xF1...0xF3: return second.isContinuation ? fourByteLength(in: bytes) : 0
    case 0xF4: return (0x80...0x8F).contains(second) ? fourByteLength(in: bytes) : 0
    default: return 0
    }
  }

  private func threeByteLength(in bytes: Span<UInt8>) -> Int {
    peek(2, in: bytes).isContinuation ? 3 : 0
  }

  private func fourByteLength(in bytes: Span<UInt8>) -> Int {
    peek(2, in: bytes).isContinuation && peek(3, in: bytes).isContinuation ? 4 : 0
  }
}

extension UInt8 {
  /// Whether this is the second or a later byte of a UTF-8 scalar.
  @inline(always)
  var isContinuation: Bool { self & 0xC0 == 0x80 }

  @inline(always)
  var hexDigitValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self &- UInt8(ascii: "A") &+ 10
    default: nil
    }
  }
}
