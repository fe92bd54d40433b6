/// Where the parts of an answer lie whose beginning is as nearly all programs write it, and whose rest was not read.
package struct AnswerHead {
  /// A number in at most sixteen digits.
  package let id: ByteRange
  package let isError: Bool
  /// From the result or the error object on to the message's last bracket, other members in between included.
  package let body: ByteRange

  /// Reads the message as far as its `result` or `error`; nil when it begins otherwise.
  ///
  /// `JSONText.slackByteCount` bytes of any value must follow the message.
  package init?(of message: Range<Int>, in bytes: Span<UInt8>) {
    JSONText.requireSlack(after: message, in: bytes)
    var cursor = JSONCursor(message)
    guard cursor.skipFastBeginning(in: bytes) != nil,
      let id = cursor.skipFastID(in: bytes, ScanLimits()), let isError = cursor.skipAnswerName(in: bytes)
    else { return nil }
    let bodyEnd = message.upperBound &- 1
    guard cursor.position < bodyEnd, JSONCursor.byte(at: bodyEnd, in: bytes) == UInt8(ascii: "}")
    else { return nil }
    self.id = id
    self.isError = isError
    body = ByteRange(from: cursor.position, to: bodyEnd)
  }
}

extension JSONCursor {
  /// Skips the name of a result or of an error that is an object; says which of them.
  @inline(always)
  fileprivate mutating func skipAnswerName(in bytes: Span<UInt8>) -> Bool? {
    let name = ByteWord(at: position, in: bytes)
    let behind = ByteWord(at: position &+ ByteWord.byteCount, in: bytes)
    if name == ByteWord(",\"result"), behind.begins(with: "\":") {
      position &+= 10
      return false
    }
    guard name == ByteWord(",\"error\""), behind.begins(with: ":{") else { return nil }
    position &+= 9
    return true
  }
}
