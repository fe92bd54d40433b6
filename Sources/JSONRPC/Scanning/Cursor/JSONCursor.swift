/// A place in one JSON text, moved forward token by token; a token that is wrong leaves it at the bad byte.
///
/// It may move past the text's end, into the slack, whose bytes mean nothing: a text is right only if its last token
/// ends exactly at its end, and no place is given up. The end is asked for before every value and every closing
/// bracket, and wherever something can be long, which keeps the place well inside the slack.
///
/// The span is a parameter of every method: a type that stored one could not be written without
/// experimental features. Whoever makes a cursor has checked `JSONText.requireSlack`.
struct JSONCursor {
  var position: Int
  let end: Int
  /// Whether a CR or an LF was among the white space that was skipped.
  var hasLineBreaks = false
  /// Whether what was wrong is that containers are nested too deep.
  var isTooDeep = false
  /// Whether the text is known to be JSON, so that the ends of containers need only be found.
  let isKnown: Bool

  @inline(always)
  init(_ text: Range<Int>, isKnown: Bool = false) {
    position = text.lowerBound
    end = text.upperBound
    self.isKnown = isKnown
  }

  @inline(always)
  var isAtEnd: Bool { position == end }

  /// Where a text turned out to be wrong.
  @inline(always)
  var faultOffset: Int { min(position, end) }

  /// The byte here, which may be one of the slack's.
  @inline(always)
  func byte(in bytes: Span<UInt8>) -> UInt8 {
    assert(position < end &+ JSONText.slackByteCount)
    return Self.byte(at: position, in: bytes)
  }

  @inline(always)
  static func byte(at offset: Int, in bytes: Span<UInt8>) -> UInt8 {
    assert(offset >= 0 && offset < bytes.count)
    // In the text or its slack.
    return unsafe bytes[unchecked: offset]
  }

  /// Whether two characters stand there.
  @inline(always)
  static func isAtPair(_ pair: StaticString, _ offset: Int, in bytes: Span<UInt8>) -> Bool {
    assert(offset >= 0 && offset + 1 < bytes.count)
    // In the text or its slack.
    let found = unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self)
    return UInt64(UInt16(littleEndian: found)) == ByteWord(pair).bits
  }

  /// The byte `offset` further on. Past the end it is NUL, which no token contains, so that nothing
  /// depends on the bytes after the text.
  @inline(always)
  func peek(_ offset: Int = 0, in bytes: Span<UInt8>) -> UInt8 {
    let index = position &+ offset
    guard index < end else { return 0 }
    // Below `end`, which is inside the span; positions only grow from the text's start.
    return unsafe bytes[unchecked: index]
  }

  @inline(always)
  func isAt(_ character: Unicode.Scalar, in bytes: Span<UInt8>) -> Bool {
    byte(in: bytes) == UInt8(ascii: character)
  }

  /// Skips a character and the white space before it.
  @inline(always)
  mutating func skip(_ character: Unicode.Scalar, in bytes: Span<UInt8>) -> Bool {
    // Mostly there is no white space: nothing is lost by asking for the character first.
    if !isAt(character, in: bytes) {
      skipWhitespace(in: bytes)
      guard isAt(character, in: bytes) else { return false }
    }
    position &+= 1
    return true
  }

  @inline(always)
  mutating func skipWhitespace(in bytes: Span<UInt8>) {
    if byte(in: bytes) <= UInt8(ascii: " ") { (position, hasLineBreaks) = endOfWhitespace(in: bytes) }
  }

  /// Not mutating, so that the position can stay in a register around the call.
  @inline(never)
  private func endOfWhitespace(in bytes: Span<UInt8>) -> (stop: Int, hasLineBreaks: Bool) {
    var cursor = self
    while true {
      let byte = cursor.peek(in: bytes)
      guard byte.isJSONWhitespace else { return (cursor.position, cursor.hasLineBreaks) }
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { cursor.hasLineBreaks = true }
      cursor.position &+= 1
    }
  }
}

extension UInt8 {
  @inline(always)
  var isJSONWhitespace: Bool {
    guard self <= 0x20 else { return false }
    return self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09
  }
}
