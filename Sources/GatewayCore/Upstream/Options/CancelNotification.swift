import JSONRPC

/// The notification by which an upstream of no known dialect is told.
package struct CancelNotification: Hashable, Sendable {
  /// Whether the cancelled request is still answered.
  package let isAnswered: Bool
  private let method: [UInt8]
  private let member: [UInt8]
  /// The message up to the request's id.
  let beginning: [UInt8]

  /// - Parameter member: of its params, which holds the id of the cancelled request.
  package init(method: String, member: String, isAnswered: Bool) {
    self.isAnswered = isAnswered
    self.method = Array(method.utf8)
    self.member = Array(member.utf8)
    var beginning = Array("{\"jsonrpc\":\"2.0\",\"method\":".utf8)
    MessageWriter.appendString(method, into: &beginning)
    beginning.append(contentsOf: ",\"params\":{".utf8)
    MessageWriter.appendString(member, into: &beginning)
    beginning.append(UInt8(ascii: ":"))
    self.beginning = beginning
  }
}

extension CancelNotification {
  /// Whether a client's message has its method, whatever else it says.
  func isNamed(by envelope: Envelope, in bytes: Span<UInt8>) -> Bool {
    JSONString.equals(envelope.method, in: bytes, method.span)
  }

  /// The id in a client's notification of this kind; nil when it is another, or says none.
  func cancelledID(_ envelope: Envelope, in bytes: Span<UInt8>) -> ByteRange? {
    guard isNamed(by: envelope, in: bytes), !envelope.params.isEmpty else { return nil }
    var params = ObjectReader(envelope.params)
    while let found = params.next(in: bytes) {
      if found.isNamed(member.span, in: bytes) { return found.value }
    }
    return nil
  }
}
