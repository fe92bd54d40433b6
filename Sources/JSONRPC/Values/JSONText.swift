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
