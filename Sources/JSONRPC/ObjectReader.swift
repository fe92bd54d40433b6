/// Walks the members of a JSON object that has been validated, without copying.
package struct ObjectReader {
  private var cursor: JSONCursor

  /// `object` has its braces; `JSONText.slackByteCount` bytes follow it in the span.
  package init(_ object: ByteRange) { cursor = JSONCursor(object.withoutQuotes) }

  /// The next member; nil after the last one, and for what is no object.
  package mutating func next(in bytes: Span<UInt8>) -> Member? {
    JSONText.requireSlack(after: cursor.position..<cursor.end, in: bytes)
    cursor.skipWhitespace(in: bytes)
    _ = cursor.skip(",", in: bytes)
    cursor.skipWhitespace(in: bytes)
    guard !cursor.isAtEnd else { return nil }
    return readMember(in: bytes)
  }

  private mutating func readMember(in bytes: Span<UInt8>) -> Member? {
    let nameStart = cursor.position + 1
    guard cursor.skipString(in: bytes) else { return nil }
    let name = ByteRange(nameStart..<cursor.position - 1)
    guard cursor.skipColon(in: bytes) else { return nil }
    let valueStart = cursor.position
    let kind = ValueKind(firstByte: cursor.peek(in: bytes))
    guard cursor.skipValue(in: bytes, depthLimit: JSONText.depthLimit) else { return nil }
    return Member(
      name: name, nameHasEscapes: JSONString.hasEscapes(name, in: bytes),
      value: ByteRange(valueStart..<cursor.position), kind: kind)
  }
}
