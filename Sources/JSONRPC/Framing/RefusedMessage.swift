/// The visible part of an upstream's message that cannot be read as a whole.
package struct RefusedMessage {
  /// Not checked in an answer; empty in a notification.
  package let id: ByteRange
  /// It is a request or a notification, else an answer.
  package let asks: Bool

  /// - Parameters:
  ///   - message: slack follows it.
  ///   - isHead: it is only the beginning of one, and so must show that it is an answer.
  ///   - idBytes: the longest id of a request.
  /// - Returns: nil where neither an answer's id nor that it asks was found before what is wrong.
  package init?(
    of message: Range<Int>, in bytes: Span<UInt8>, isHead: Bool = false, idBytes: Int = WireLimits.idBytes
  ) {
    JSONText.requireSlack(after: message, in: bytes)
    var cursor = JSONCursor(message)
    cursor.skipWhitespace(in: bytes)
    guard cursor.skip("{", in: bytes) else { return nil }
    var (id, asks, answers) = (ByteRange.none, false, !isHead)
    repeat {
      guard cursor.skip("\"", in: bytes) else { break }
      let nameStart = cursor.position
      guard cursor.skipString(in: bytes) else { break }
      let name = nameStart..<cursor.position &- 1
      guard cursor.skip(":", in: bytes) else { break }
      asks = asks || bytes.holds("method", in: name) || bytes.holds("params", in: name)
      answers = answers || bytes.holds("result", in: name) || bytes.holds("error", in: name)
      cursor.skipWhitespace(in: bytes)
      let start = cursor.position
      guard cursor.skipValue(in: bytes, depthLimit: JSONText.depthLimit), cursor.position < message.upperBound
      else { break }
      if bytes.holds("id", in: name) { id = ByteRange(from: start, to: cursor.position) }
    } while cursor.skip(",", in: bytes)
    guard asks ? Self.isAnswerable(id, in: bytes, idBytes) : answers && !id.isEmpty else { return nil }
    (self.id, self.asks) = (id, asks)
  }

  /// Whether a request has such an id: a string, a number, null or none.
  private static func isAnswerable(_ id: ByteRange, in bytes: Span<UInt8>, _ limitBytes: Int) -> Bool {
    guard !id.isEmpty else { return true }
    let first = bytes[id.range.lowerBound]
    return id.count <= limitBytes && !"[{tf".utf8.contains(first)
  }
}
