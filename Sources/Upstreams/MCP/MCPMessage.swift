#if HTTPUpstreams
import HTTP1
import JSONRPC
import TaskStore

/// A message for a server of the Model Context Protocol, and its parts that decide how it is sent.
struct MCPMessage {
  enum Kind {
    case request, notification, response
  }

  /// Without a line end.
  let bytes: [UInt8]
  let kind: Kind
  /// The task of a request; nil: it is no request.
  let task: TaskID?
  /// The method without escapes; empty, if it is not a string.
  let method: String
  /// The protocol's revision, as the message gives it; nil: it gives none. Messages from revision 2026-07-28 on give
  /// it, and need no session.
  let version: String?
  /// The task that this message cancels; nil: none.
  let cancelled: TaskID?
  /// The name of its tool, prompt or resource, which a server may want in a header field; nil: it has none.
  private let name: String?

  init(_ line: [UInt8]) {
    let padded = JSONText.padded(line)
    let text = padded.span
    var envelope = Envelope()
    let limits = ScanLimits(nestingLevels: JSONText.depthLimit, idBytes: .max, methodBytes: .max)
    // It can be scanned: the core wrote it.
    _ = EnvelopeScanner.scan(text, 0..<line.count, limits, into: &envelope)
    bytes = line
    kind = envelope.isResponse ? .response : envelope.isNotification ? .notification : .request
    task = kind == .request ? Self.task(envelope.id, in: text) : nil
    method = MCPReader.text(envelope.method, in: text) ?? ""
    version = MCPReader.revision(of: envelope, in: text)
    name = MCPReader.name(in: envelope, text)
    cancelled = kind == .notification ? Self.task(MCPReader.cancelledID(in: envelope, text), in: text) : nil
  }

  var isInitialize: Bool { kind == .request && method == "initialize" }

  /// The header fields of its POST, in its own revision; empty, if it gives none.
  var ownFields: [String] {
    guard let version else { return [] }
    var fields = ["MCP-Protocol-Version: \(version)", "Mcp-Method: \(Self.encoded(method))"]
    if let name { fields.append("Mcp-Name: \(Self.encoded(name))") }
    return fields
  }

  /// A value as a header field has it: in Base64 if it is not visible ASCII, or could be taken for such an encoding.
  private static func encoded(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    let isBare = text.utf8.first != 0x20 && text.utf8.last != 0x20 && !text.hasPrefix("=?")
    return isPlain && isBare ? text : "=?base64?\(Base64.text(of: Array(text.utf8)))?="
  }

  private static func task(_ id: ByteRange, in text: Span<UInt8>) -> TaskID? {
    JSONNumber.nonNegativeInteger(id, in: text).flatMap(TaskID.init(exactly:))
  }
}
#endif
