import GatewayCore
import JSONRPC

/// A message that a client of the Model Context Protocol has posted, and what of it matters for how it is answered.
struct MCPContent {
  enum Kind: Equatable {
    /// - Parameter id: where it stands.
    case request(id: Range<Int>)
    /// A notification, or an answer to what the server asked.
    case other
  }

  let kind: Kind
  let isInitialize: Bool
  /// By which progress is reported of it, as it stands there; empty: it asks for none.
  let progressToken: [UInt8]
  /// Where it says by its id which request it takes back; nil: it takes none back so.
  let takenBack: Range<Int>?

  /// - Parameters:
  ///   - content: one line.
  ///   - takenBack: finds that.
  /// - Throws: what is wrong with it.
  init(
    _ content: [UInt8], _ limits: ScanLimits, takenBack find: (Envelope, Span<UInt8>) -> ByteRange?
  ) throws(RPCError) {
    let padded = JSONText.padded(content)
    let text = padded.span
    var envelope = Envelope()
    var isMessage = false
    switch EnvelopeScanner.scan(text, 0..<content.count, limits, into: &envelope) {
    case .message: isMessage = true
    case .batch: throw .invalidRequest.with(message: "this protocol has no batches")
    case .malformed(let offset): throw .parseError.with(message: "parse error at byte \(offset)")
    case .tooDeep(let offset):
      let levels = limits.nestingLevels
      throw .parseError.with(
        message: "parse error at byte \(offset): nested deeper than nestingLevels (\(levels))")
    // Under its id the core says what is wrong with it; without one that could be anybody's.
    case .invalid(let fault):
      let isAnswered = !envelope.isNotification && !envelope.isBadResponse
      guard !isAnswered || !envelope.id.isEmpty else { throw fault.error }
    }
    // To a bad response nobody answers.
    let isRequest =
      !envelope.isResponse && !envelope.isBadResponse && !envelope.isNotification && !envelope.id.isEmpty
    kind = isRequest ? .request(id: envelope.id.range) : .other
    isInitialize = isRequest && JSONString.equals(envelope.method, in: text, "initialize")
    progressToken = Array(padded[MCPReader.progressToken(of: envelope, in: text).range])
    takenBack = isMessage && !envelope.isResponse ? find(envelope, text)?.range : nil
  }
}
