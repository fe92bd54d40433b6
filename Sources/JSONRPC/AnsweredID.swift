/// Finds the id in an answer that cannot be read as a whole.
package enum AnsweredID {
  /// - Parameters:
  ///   - message: the answer; slack follows it.
  ///   - isHead: it is only the beginning of one, and so must show that it is an answer.
  /// - Returns: nil where the id was not found before what is wrong, and for what is a request.
  package static func find(
    in bytes: Span<UInt8>, _ message: Range<Int>, isHead: Bool = false
  ) -> ByteRange? {
    JSONText.requireSlack(after: message, in: bytes)
    var cursor = JSONCursor(message)
    cursor.skipWhitespace(in: bytes)
    guard cursor.skip("{", in: bytes) else { return nil }
    var id: ByteRange?
    var isAnswer = !isHead
    repeat {
      guard cursor.skip("\"", in: bytes) else { break }
      let nameStart = cursor.position
      guard cursor.skipString(in: bytes) else { break }
      let name = nameStart..<cursor.position &- 1
      guard !bytes.holds("method", in: name), cursor.skip(":", in: bytes) else { return nil }
      isAnswer = isAnswer || bytes.holds("result", in: name) || bytes.holds("error", in: name)
      cursor.skipWhitespace(in: bytes)
      let start = cursor.position
      guard cursor.skipValue(in: bytes, depthLimit: JSONText.depthLimit), cursor.position < message.upperBound
      else { break }
      if bytes.holds("id", in: name) { id = ByteRange(from: start, to: cursor.position) }
    } while cursor.skip(",", in: bytes)
    return isAnswer ? id : nil
  }
}
