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
    var depth = 0
    while position < end {
      let word = ByteWord(at: position, in: bytes)
      // Up to the first quote what looks like a bracket is one.
      let plainCount = word.byteCountBeforeQuote
      let opened = word.openingBracketCount(amongFirst: plainCount)
      let closed = word.closingBracketCount(amongFirst: plainCount)
      if closed < depth {
        depth &+= opened &- closed
        position &+= plainCount
      } else if skipBrackets(plainCount, depth: &depth, in: bytes) {
        return true
      }
      if plainCount < ByteWord.byteCount, !skipKnownString(in: bytes) { return false }
    }
    return false
  }

  /// Skips so many bytes one by one; true if the container ends among them.
  @inline(always)
  private mutating func skipBrackets(_ count: Int, depth: inout Int, in bytes: Span<UInt8>) -> Bool {
    for _ in 0..<count {
      let byte = byte(in: bytes)
      position &+= 1
      if byte.opensContainer { depth &+= 1 }
      if byte | 0x20 == UInt8(ascii: "}") {
        depth &-= 1
        if depth == 0 { return true }
      }
    }
    return false
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
  fileprivate var byteCountBeforeQuote: Int { Self.byteCount(before: marks(of: UInt8(ascii: "\""))) }

  @inline(always)
  fileprivate var byteCountBeforeQuoteOrBackslash: Int {
    Self.byteCount(before: marks(of: UInt8(ascii: "\"")) | backslashMarks)
  }

  @inline(always)
  fileprivate func openingBracketCount(amongFirst count: Int) -> Int { bracketCount("{", amongFirst: count) }

  @inline(always)
  fileprivate func closingBracketCount(amongFirst count: Int) -> Int { bracketCount("}", amongFirst: count) }

  /// How many of its first bytes are the brace or the bracket of that side: the two differ in one bit.
  @inline(always)
  private func bracketCount(_ brace: Unicode.Scalar, amongFirst count: Int) -> Int {
    let turned = (bits | Self.ones &* 0x20) ^ Self.ones &* UInt64(UInt8(ascii: brace))
    // No borrow: each byte that is not zero sets its own top bit, and nothing is carried out of it.
    let others = ((turned & ~Self.topBits) &+ ~Self.topBits) | turned
    let marks = ByteWord(bits: ~others & Self.topBits).prefix(count)
    return marks.bits.nonzeroBitCount
  }
}
