/// Skipping strings, eight bytes at a time where nothing special stands among them.
extension JSONCursor {
  /// Skips a string, from its opening quote to past its closing one.
  @inline(always)
  mutating func skipString(in bytes: Span<UInt8>) -> Bool {
    guard skip("\"", in: bytes) else { return false }
    while position < end {
      // Eight bytes from below `end` lie inside the text and its slack.
      let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
      let marks = specialBytes(in: UInt64(littleEndian: word))
      position &+= marks == 0 ? 8 : marks.trailingZeroBitCount &>> 3
      if marks == 0 { continue }
      if skip("\"", in: bytes) { return true }
      let length = specialLength(in: bytes)
      position &+= length
      if length == 0 { break }
    }
    position = min(position, end)
    return false
  }

  /// Sets the top bit of every byte that is a quote, a backslash, a control character or not ASCII. A byte
  /// after the first marked one may be marked wrongly, for borrows run upwards.
  @inline(always)
  private func specialBytes(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let found =
      (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) | word
    return found & (ones &* 0x80)
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
