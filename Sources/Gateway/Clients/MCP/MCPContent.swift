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
  /// By which progress is reported of it, as it stands there; empty: it asks for none.
  let progressToken: [UInt8]

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
    progressToken = Array(padded[MCPReader.progressToken(of: envelope, in: text).range])
  }
}
