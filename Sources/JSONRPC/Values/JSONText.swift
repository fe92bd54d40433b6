/// What every reader of JSON text in this module relies on.
package enum JSONText {
  /// A span holds at least this many readable bytes after the text that is read in it, whatever they are:
  /// words and blocks are loaded as a whole, so loads reach past the end of the text.
  package static let slackByteCount = 64

  /// Containers may be nested this deep at most, whatever is configured.
  package static let depthLimit = 1_000_000

  /// A text with its slack.
  package static func padded(_ text: [UInt8]) -> [UInt8] {
    text + [UInt8](repeating: 0, count: slackByteCount)
  }

  /// A text that is one object, with its slack, and where in it the object lies; nil: it is something else, or nested
  /// deeper.
  package static func object(
    _ text: [UInt8], nestingLevels: Int
  ) -> (padded: [UInt8], object: ByteRange)? {
    var check = JSONCheck(nestingLevels: nestingLevels)
    check.read(text.span, upTo: text.count)
    guard check.verdict(in: text.span) == .json, let start = text.firstIndex(of: UInt8(ascii: "{")),
      text[..<start].allSatisfy({ $0 <= UInt8(ascii: " ") }), let end = text.lastIndex(of: UInt8(ascii: "}"))
    else { return nil }
    return (padded(text), ByteRange(start..<end + 1))
  }

  /// Whether what lies there is one value, nested no deeper.
  package static func isValue(_ bytes: Span<UInt8>, in range: Range<Int>, nestingLevels: Int) -> Bool {
    let text = bytes.extracting(range)
    var check = JSONCheck(nestingLevels: nestingLevels)
    check.read(text, upTo: text.count)
    return check.verdict(in: text) == .json
  }

  /// The check on which every unchecked read of this module rests.
  @inline(always)
  static func requireSlack(after text: Range<Int>, in bytes: Span<UInt8>) {
    // A negative number, or one beyond four bytes, has a bit above them; a span's count is not negative.
    precondition(
      (text.lowerBound | text.upperBound) >> UInt32.bitWidth == 0
        && text.upperBound <= bytes.count &- slackByteCount,
      "a text and its slack must lie inside the span")
  }

  /// The same for what is left of a text that was read in part.
  @inline(always)
  static func requireSlack(_ cursor: JSONCursor, in bytes: Span<UInt8>) {
    precondition(
      cursor.position >= 0 && cursor.end <= bytes.count &- slackByteCount,
      "a text and its slack must lie inside the span")
  }
}
