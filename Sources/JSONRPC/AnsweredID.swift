/// Finds the id in an answer that cannot be read as a whole.
package enum AnsweredID {
  /// - Parameter message: the answer; slack follows it.
  /// - Returns: nil where the id was not found before what is wrong, and for what is a request.
  package static func find(in bytes: Span<UInt8>, _ message: Range<Int>) -> ByteRange? {
    JSONText.requireSlack(after: message, in: bytes)
    var cursor = JSONCursor(message)
    cursor.skipWhitespace(in: bytes)
    guard cursor.skip("{", in: bytes) else { return nil }
    var id: ByteRange?
    repeat {
      guard cursor.skip("\"", in: bytes) else { break }
      let nameStart = cursor.position
      guard cursor.skipString(in: bytes) else { break }
      let name = nameStart..<cursor.position &- 1
      guard !bytes.holds("method", in: name), cursor.skip(":", in: bytes) else { return nil }
      cursor.skipWhitespace(in: bytes)
      let start = cursor.position
      guard cursor.skipValue(in: bytes, depthLimit: JSONText.depthLimit), cursor.position < message.upperBound
      else { break }
      if bytes.holds("id", in: name) { id = ByteRange(from: start, to: cursor.position) }
    } while cursor.skip(",", in: bytes)
    return id
  }
}
