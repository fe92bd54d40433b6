/// A place in one JSON text, moved forward token by token; a token that is wrong leaves it at the bad byte.
///
/// The span is a parameter of every method: a type that stored one could not be written without
/// experimental features. Whoever makes a cursor has checked `JSONText.requireSlack`.
struct JSONCursor {
  var position: Int
  let end: Int

  @inline(always)
  init(_ text: Range<Int>) {
    position = text.lowerBound
    end = text.upperBound
  }

  var isAtEnd: Bool { position == end }

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
    peek(in: bytes) == UInt8(ascii: character)
  }

  @inline(always)
  mutating func skip(_ character: Unicode.Scalar, in bytes: Span<UInt8>) -> Bool {
    guard isAt(character, in: bytes) else { return false }
    position &+= 1
    return true
  }

  @inline(always)
  mutating func skipWhitespace(in bytes: Span<UInt8>) {
    while true {
      guard peek(in: bytes).isJSONWhitespace else { return }
      position &+= 1
    }
  }

  mutating func skipLiteral(_ literal: StaticString, in bytes: Span<UInt8>) -> Bool {
    for offset in 0..<literal.utf8CodeUnitCount {
      guard peek(in: bytes) == literal.byte(at: offset) else { return false }
      position &+= 1
    }
    return true
  }
}

extension UInt8 {
  @inline(always)
  var isJSONWhitespace: Bool {
    guard self <= 0x20 else { return false }
    return self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09
  }
}
