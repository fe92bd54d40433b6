#if HTTPUpstreams
import HTTP1
import JSONRPC
import TaskStore

/// A message for a server of the Model Context Protocol, and what of it matters for how it gets there.
struct MCPMessage {
  enum Kind {
    case request, notification, response
  }

  /// Without a line end.
  let bytes: [UInt8]
  let kind: Kind
  /// Which task a request is.
  let task: TaskID?
  /// Without escapes; empty, if it is no text.
  let method: String
  /// The revision of the protocol that it says it is of: those from 2026-07-28 on do, and need no session.
  let version: String?
  /// Which request it takes back.
  let cancelled: TaskID?
  /// The name of its tool, prompt or resource, where a server may want it in a header.
  private let name: String?

  init(_ line: [UInt8]) {
    let padded = JSONText.padded(line)
    let text = padded.span
    var envelope = Envelope()
    let limits = ScanLimits(nestingLevels: JSONText.depthLimit, idBytes: .max, methodBytes: .max)
    // The core wrote it.
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

  /// What a POST of it says in its head, in its own revision; empty, if it says none.
  var ownFields: [String] {
    guard let version else { return [] }
    var fields = ["MCP-Protocol-Version: \(version)", "Mcp-Method: \(Self.encoded(method))"]
    if let name { fields.append("Mcp-Name: \(Self.encoded(name))") }
    return fields
  }

  /// As a header has it: what is no visible ASCII, or could be taken for such an encoding, stands there in Base64.
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
