/// Reads what messages of the Model Context Protocol say besides what all messages do. The texts are known to be JSON, and
/// slack follows them.
package enum MCPReader {
  /// The revision that a request or notification says it is of, as those from 2026-07-28 on do; nil: it says none.
  package static func revision(of envelope: Envelope, in bytes: Span<UInt8>) -> String? {
    text(
      member("io.modelcontextprotocol/protocolVersion", of: meta(envelope, in: bytes), in: bytes), in: bytes)
  }

  /// The revision that an answer to `initialize` names.
  package static func agreedRevision(_ envelope: Envelope, in bytes: Span<UInt8>) -> String? {
    text(member("protocolVersion", of: envelope.result, in: bytes), in: bytes)
  }

  /// By what a request wants its progress to be reported, as it stands there; none: it asks for no reports.
  package static func progressToken(of envelope: Envelope, in bytes: Span<UInt8>) -> ByteRange {
    member("progressToken", of: meta(envelope, in: bytes), in: bytes)
  }

  /// The token of a progress notification, as it stands there; none: it is no such notification.
  package static func reportedToken(in envelope: Envelope, _ bytes: Span<UInt8>) -> ByteRange {
    guard JSONString.equals(envelope.method, in: bytes, "notifications/progress") else { return .none }
    return member("progressToken", of: envelope.params, in: bytes)
  }

  /// Which request began the subscription that a notification is said for (revision 2026-07-28), as it stands there; none:
  /// it names none.
  package static func subscriptionID(in envelope: Envelope, _ bytes: Span<UInt8>) -> ByteRange {
    guard envelope.isNotification else { return .none }
    return member("io.modelcontextprotocol/subscriptionId", of: meta(envelope, in: bytes), in: bytes)
  }

  /// Which request a notification takes back, as it stands there; none: it is another one.
  package static func cancelledID(in envelope: Envelope, _ bytes: Span<UInt8>) -> ByteRange {
    guard JSONString.equals(envelope.method, in: bytes, "notifications/cancelled") else { return .none }
    return member("requestId", of: envelope.params, in: bytes)
  }

  /// The tool, prompt or resource that a request is about; nil: it is about none.
  package static func name(in envelope: Envelope, _ bytes: Span<UInt8>) -> String? {
    let isOfResource = JSONString.equals(envelope.method, in: bytes, "resources/read")
    let isOfName = ["tools/call", "prompts/get"].contains {
      JSONString.equals(envelope.method, in: bytes, $0)
    }
    guard isOfResource || isOfName else { return nil }
    return text(member(isOfResource ? "uri" : "name", of: envelope.params, in: bytes), in: bytes)
  }

  /// What a string says; nil: it is none, or no text.
  package static func text(_ value: ByteRange, in bytes: Span<UInt8>) -> String? {
    guard !value.isEmpty, bytes[Int(value.lower)] == UInt8(ascii: "\"") else { return nil }
    var text: [UInt8] = []
    guard JSONString.unescape(value, in: bytes, into: &text) else { return nil }
    return String(validating: text, as: UTF8.self)
  }

  private static func meta(_ envelope: Envelope, in bytes: Span<UInt8>) -> ByteRange {
    member("_meta", of: envelope.params, in: bytes)
  }

  private static func member(_ name: StaticString, of object: ByteRange, in bytes: Span<UInt8>) -> ByteRange {
    guard !object.isEmpty, bytes[Int(object.lower)] == UInt8(ascii: "{") else { return .none }
    var members = ObjectReader(object)
    while let member = members.next(in: bytes) {
      if member.isNamed(name, in: bytes) { return member.value }
    }
    return .none
  }
}
