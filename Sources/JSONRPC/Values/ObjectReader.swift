/// Walks the members of a JSON object that has been validated, without copying.
package struct ObjectReader {
  private var cursor: JSONCursor

  /// `object` has its braces; `JSONText.slackByteCount` bytes follow it in the span.
  package init(_ object: ByteRange) { cursor = JSONCursor(object.withoutQuotes.range) }

  /// The next member; nil after the last one, and for what is no object.
  package mutating func next(in bytes: Span<UInt8>) -> Member? {
    JSONText.requireSlack(cursor, in: bytes)
    guard cursor.position < cursor.end else { return nil }
    _ = cursor.skip(",", in: bytes)
    cursor.skipWhitespace(in: bytes)
    guard cursor.position < cursor.end, cursor.isAt("\"", in: bytes) else { return nil }
    let nameStart = cursor.position &+ 1
    guard cursor.skipKnownString(in: bytes) else { return nil }
    let name = ByteRange(from: nameStart, to: cursor.position &- 1)
    guard cursor.skip(":", in: bytes) else { return nil }
    cursor.skipWhitespace(in: bytes)
    let valueStart = cursor.position
    let kind = ValueKind(firstByte: cursor.byte(in: bytes))
    guard cursor.skipKnownValue(in: bytes) else { return nil }
    return Member(
      name: name, nameHasEscapes: JSONString.hasEscapes(name, in: bytes),
      value: ByteRange(from: valueStart, to: cursor.position), kind: kind)
  }
}
