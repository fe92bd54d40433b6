import JSONRPC

/// Finds which request a notification takes back, in the two dialects that are known on both sides.
enum CancelledID {
  /// The id in a `$/cancelRequest` or a `notifications/cancelled`; nil when it is neither, or says none.
  static func find(_ envelope: Envelope, in bytes: Span<UInt8>) -> ByteRange? {
    let isMCP = isMCP(envelope, in: bytes)
    guard isMCP || JSONString.equals(envelope.method, in: bytes, "$/cancelRequest") else { return nil }
    return member(isMCP ? "requestId" : "id", of: envelope, in: bytes)
  }

  static func isMCP(_ envelope: Envelope, in bytes: Span<UInt8>) -> Bool {
    JSONString.equals(envelope.method, in: bytes, "notifications/cancelled")
  }

  /// A method with fewer bytes, quotes included, names no cancel but that of the configuration's choice.
  static let leastBytes = 25

  static func member(_ name: StaticString, of envelope: Envelope, in bytes: Span<UInt8>) -> ByteRange? {
    guard !envelope.params.isEmpty else { return nil }
    var params = ObjectReader(envelope.params)
    while let member = params.next(in: bytes) {
      if member.isNamed(name, in: bytes) { return member.value }
    }
    return nil
  }
}
