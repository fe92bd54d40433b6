/// Finding where containers end in a text that is known to be JSON: only brackets and quotes are looked for.
extension JSONCursor {
  /// Skips the value that begins here; false if none does.
  @inline(never)
  mutating func skipKnownValue(in bytes: Span<UInt8>) -> Bool {
    guard position < end else { return false }
    let start = position
    let first = byte(in: bytes)
    if first.opensContainer { return skipKnownContainer(in: bytes) }
    if first == UInt8(ascii: "\"") {
      return skipKnownString(in: bytes)
    }
    while position < end, !byte(in: bytes).endsKnownScalar { position &+= 1 }
    return position > start
  }

  /// Skips the object or the array that begins here; false if the text ends before it, which no JSON does.
  @inline(never)
  mutating func skipKnownContainer(in bytes: Span<UInt8>) -> Bool {
    var blocks = BracketBlocks()
    var depth = 0
    while position < end {
      let (opening, closing) = blocks.next(at: position, before: end, in: bytes)
      if closing.nonzeroBitCount >= depth,
        let count = Self.byteCount(toEndOf: depth, opening: opening, closing: closing)
      {
        position &+= count
        return true
      }
      depth &+= opening.nonzeroBitCount &- closing.nonzeroBitCount
      position &+= BracketBlocks.byteCount
    }
    position = end
    return false
  }

  /// How many bytes of a block belong to the outermost of so many open containers; nil if all do, and it goes on.
  @inline(always)
  private static func byteCount(toEndOf depth: Int, opening: UInt64, closing: UInt64) -> Int? {
    var (closing, closedCount) = (closing, 0)
    while closing != 0 {
      let place = closing.trailingZeroBitCount
      closedCount &+= 1
      let openedCount = (opening & (1 &<< UInt64(place) &- 1)).nonzeroBitCount
      if depth &+ openedCount == closedCount { return place &+ 1 }
      closing &= closing &- 1
    }
    return nil
  }

  /// Skips the string whose opening quote is here; false if the text ends before it, which no JSON does.
  @inline(never)
  mutating func skipKnownString(in bytes: Span<UInt8>) -> Bool {
    let start = position &+ 1
    position = start
    // Most strings are short.
    for _ in 0..<Self.wordsOfShortString {
      guard position < end else { return false }
      let count = ByteWord(at: position, in: bytes).byteCountBeforeQuoteOrBackslash
      position &+= count
      if count == ByteWord.byteCount { continue }
      guard isAt("\"", in: bytes) else { break }
      position &+= 1
      return position <= end
    }
    return skipRestOfKnownString(from: start, in: bytes)
  }

  private static let wordsOfShortString = 3

  /// - Parameter start: where the string's content begins.
  @inline(never)
  private mutating func skipRestOfKnownString(from start: Int, in bytes: Span<UInt8>) -> Bool {
    while position < end, let quote = bytes.firstOffset(of: UInt8(ascii: "\""), in: position..<end) {
      var backslashes = 0
      while quote &- backslashes > start, bytes[quote &- backslashes &- 1] == UInt8(ascii: "\\") {
        backslashes += 1
      }
      position = quote &+ 1
      // Two of them are an escape of their own; the last of an odd number escapes the quote.
      if backslashes.isMultiple(of: 2) { return true }
    }
    position = end
    return false
  }
}

extension UInt8 {
  /// Whether this comes behind a number or a literal.
  fileprivate var endsKnownScalar: Bool {
    self <= UInt8(ascii: " ") || self == UInt8(ascii: ",") || self | 0x20 == UInt8(ascii: "}")
  }
}

extension ByteWord {
  @inline(always)
  private func marks(of byte: UInt8) -> UInt64 {
    let turned = bits ^ Self.ones &* UInt64(byte)
    return (turned &- Self.ones) & ~turned & Self.topBits
  }

  @inline(always)
  fileprivate var byteCountBeforeQuoteOrBackslash: Int {
    Self.byteCount(before: marks(of: UInt8(ascii: "\"")) | backslashMarks)
  }
}
