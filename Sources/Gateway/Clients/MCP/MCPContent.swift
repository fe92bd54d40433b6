import GatewayCore
import JSONRPC

/// A message that a client of the Model Context Protocol has posted, and what of it matters for how it is answered.
struct MCPContent {
  enum Kind: Equatable {
    /// - Parameter id: as it stands there.
    case request(id: [UInt8])
    /// A notification, or an answer to what the server asked.
    case other
  }

  let kind: Kind
  let isInitialize: Bool
  /// By which progress is reported of it, as it stands there; nil: it asks for none.
  let progressToken: [UInt8]?

  /// - Parameter content: one line.
  /// - Throws: what is wrong with it.
  init(_ content: [UInt8], _ limits: ScanLimits) throws(RPCError) {
    let padded = JSONText.padded(content)
    let text = padded.span
    var envelope = Envelope()
    switch EnvelopeScanner.scan(text, 0..<content.count, limits, into: &envelope) {
    case .message: break
    case .batch: throw .invalidRequest.with(message: "this protocol has no batches")
    case .malformed: throw .parseError
    case .tooDeep: throw .invalidRequest.with(message: "nested too deep")
    // The core says what is wrong with it, under its id.
    case .invalid: break
    }
    let isRequest = !envelope.isResponse && !envelope.isNotification && !envelope.id.isEmpty
    kind = isRequest ? .request(id: Array(padded[envelope.id.range])) : .other
    isInitialize = isRequest && JSONString.equals(envelope.method, in: text, "initialize")
    progressToken = Self.progressToken(in: Self.member("_meta", of: envelope.params, in: text), of: text)
  }

  /// What the progress that a server reports is about, as it stands there.
  static func reported(_ envelope: Envelope, in text: Span<UInt8>) -> [UInt8]? {
    guard JSONString.equals(envelope.method, in: text, "notifications/progress") else { return nil }
    return progressToken(in: envelope.params, of: text)
  }

  private static func progressToken(in object: ByteRange, of text: Span<UInt8>) -> [UInt8]? {
    let value = member("progressToken", of: object, in: text)
    return value.isEmpty ? nil : value.range.map { text[$0] }
  }

  private static func member(_ name: StaticString, of object: ByteRange, in text: Span<UInt8>) -> ByteRange {
    guard !object.isEmpty, text[Int(object.lower)] == UInt8(ascii: "{") else { return .none }
    var members = ObjectReader(object)
    while let member = members.next(in: text) {
      if member.isNamed(name, in: text) { return member.value }
    }
    return .none
  }
}
