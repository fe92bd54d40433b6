/// Walks the elements of a JSON array that has been validated, a batch's messages among them, without copying.
package struct ArrayReader {
  package struct Element: Hashable, Sendable {
    package var value: ByteRange
    package var kind: ValueKind
  }

  private var cursor: JSONCursor
  private var isAtStart = true

  /// `array` has its brackets and may have white space around them, as a message has; `JSONText.slackByteCount`
  /// bytes follow it in the span.
  package init(_ array: Range<Int>) { cursor = JSONCursor(array) }

  package init(_ array: ByteRange) { self.init(array.range) }

  /// The next element; nil after the last one, and for what is no array.
  package mutating func next(in bytes: Span<UInt8>) -> Element? {
    JSONText.requireSlack(cursor, in: bytes)
    guard cursor.position < cursor.end, cursor.skip(isAtStart ? "[" : ",", in: bytes) else { return nil }
    isAtStart = false
    cursor.skipWhitespace(in: bytes)
    let start = cursor.position
    let kind = ValueKind(firstByte: cursor.byte(in: bytes))
    // An empty array has its closing bracket here, where no value begins.
    guard cursor.skipKnownValue(in: bytes) else { return nil }
    return Element(value: ByteRange(from: start, to: cursor.position), kind: kind)
  }

  /// How many elements are still to come, or `limit` if there are more: none beyond it is looked at.
  package func count(in bytes: Span<UInt8>, upTo limit: Int) -> Int {
    var reader = self
    var count = 0
    while count < limit, reader.next(in: bytes) != nil { count += 1 }
    return count
  }
}
