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
  /// What it is about, where a server may want to know that from a header.
  private let name: String?

  private static let versionMember: StaticString = "io.modelcontextprotocol/protocolVersion"

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
    method = Self.string(envelope.method, in: text) ?? ""
    let meta = Self.member("_meta", of: envelope.params, in: text)
    version = Self.string(Self.member(Self.versionMember, of: meta, in: text), in: text)
    let member: StaticString? =
      switch method {
      case "tools/call", "prompts/get": "name"
      case "resources/read": "uri"
      default: nil
      }
    name = member.flatMap { Self.string(Self.member($0, of: envelope.params, in: text), in: text) }
    let isCancel = kind == .notification && method == "notifications/cancelled"
    let requestID = isCancel ? Self.member("requestId", of: envelope.params, in: text) : .none
    cancelled = Self.task(requestID, in: text)
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

  /// The revision that an answer to `initialize` names.
  static func agreedVersion(_ envelope: Envelope, in text: Span<UInt8>) -> String? {
    string(member("protocolVersion", of: envelope.result, in: text), in: text)
  }

  private static func task(_ id: ByteRange, in text: Span<UInt8>) -> TaskID? {
    JSONNumber.nonNegativeInteger(id, in: text).flatMap(TaskID.init(exactly:))
  }

  /// Nil unless it is a string that is text.
  private static func string(_ value: ByteRange, in text: Span<UInt8>) -> String? {
    guard !value.isEmpty, text[Int(value.lower)] == UInt8(ascii: "\"") else { return nil }
    var bytes: [UInt8] = []
    guard JSONString.unescape(value, in: text, into: &bytes) else { return nil }
    return String(validating: bytes, as: UTF8.self)
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
#endif
