import GatewayCore
import JSONRPC

/// A message that is no ordinary request, and the one reply that is right for it.
struct MalformedMessage: Sendable {
  enum Reply: Equatable {
    case none
    /// A result of null to its own id.
    case null
    /// An error to its own id.
    case error(Int)
    /// An error to nobody in particular: the id is null.
    case errorToNull(Int)
  }

  let name: String
  let line: Template
  let reply: Reply
  /// As a connection's first line it ends the connection.
  var closesAsFirst = false

  /// The gateway sees a line, and not one that is blank or over the limit.
  var isLine: Bool { !isBlank && reply != .errorToNull(-32086) }
  private(set) var isBlank = false
  /// It is JSON, and can so be part of a batch.
  var isJSON: Bool {
    reply != .errorToNull(-32700) && reply != .errorToNull(-32086) && !isBlank
  }
  /// It stands on several lines, of which only the first is answered.
  private(set) var isSpread = false
  /// It is the header of a message, and no message.
  var isHeader = false
  /// It means the same whether it comes as a line or with a Content-Length.
  func suits(_ framing: Framing, _ kind: ClientKind) -> Bool {
    if kind != .stream { return !isHeader && !isBlank && !isSpread }
    return framing == .lines ? !isHeader : !closesAsFirst && !isBlank && !isSpread
  }

  private init(_ name: String, _ line: String, _ reply: Reply, closesAsFirst: Bool = false) {
    self.name = name
    self.line = Template(line + "\n")
    self.reply = reply
    self.closesAsFirst = closesAsFirst
  }

  private init(_ name: String, task: String, _ reply: Reply = .error(-32602)) {
    self.init(name, #"{"jsonrpc":"2.0","id":~,"method":"odd","task":\#(task)}"#, reply)
  }

  private init(blank name: String) {
    self.init(name, "\r", .none)
    isBlank = true
  }

  private init(header name: String, _ fields: String) {
    self.init(name, fields + "\r\n\r", .errorToNull(-32700))
    isHeader = true
  }

  private init(_ name: String, spread lines: [String]) {
    self.init(name, lines.joined(separator: "\n"), .errorToNull(-32700))
    isSpread = true
  }

  private init(call name: String, _ params: String, _ reply: Reply = .error(-32602)) {
    self.init(name, #"{"jsonrpc":"2.0","id":~,"method":"lastword.call","params":\#(params)}"#, reply)
  }

  private init(_ name: String, bytes: [UInt8]) {
    self.name = name
    line = Template(Array(#"{"jsonrpc":"2.0","id":"#.utf8) + bytes + Array("\n".utf8))
    reply = .errorToNull(-32700)
  }

  /// Where the beginning of another protocol stands among all.
  static let otherProtocol = all.firstIndex(where: \.closesAsFirst) ?? 0

  static let all: [MalformedMessage] = [
    Self(blank: "blank line"),
    Self("ping", #"{"jsonrpc":"2.0","id":~,"method":"lastword.ping"}"#, .null),
    Self("cut off JSON", "{", .errorToNull(-32700)),
    Self(
      "JSON on several lines",
      spread: ["{", #"  "jsonrpc": "2.0","#, "\t\"id\": ~,", #"  "params": ["#, "    1", "  ]", "}"]),
    Self("HTTP request", "GET / HTTP/1.1", .errorToNull(-32700), closesAsFirst: true),
    Self("trailing comma", #"{"jsonrpc":"2.0","id":~,"method":"odd",}"#, .errorToNull(-32700)),
    Self("invalid UTF-8", bytes: [0x22, 0xc3, 0x22, 0x7d]),
    Self("NUL", bytes: [0x31, 0x00, 0x7d]),
    Self(
      "too deep", String(repeating: "[", count: 129) + String(repeating: "]", count: 129),
      .errorToNull(-32700)),
    Self("too long", "{\"" + String(repeating: "x", count: 5_000) + "\":1}", .errorToNull(-32086)),
    Self("scalar", "1", .errorToNull(-32600)),
    Self("empty batch", "[]", .errorToNull(-32600)),
    Self("empty object", "{}", .errorToNull(-32600)),
    Self("id true", #"{"jsonrpc":"2.0","id":true,"method":"odd"}"#, .errorToNull(-32600)),
    Self("wrong version", #"{"jsonrpc":"1.0","id":~,"method":"odd"}"#, .error(-32600)),
    Self("scalar params", #"{"jsonrpc":"2.0","id":~,"method":"odd","params":1}"#, .error(-32600)),
    Self("method a number", #"{"jsonrpc":"2.0","id":~,"method":1}"#, .error(-32600)),
    Self("duplicate member", #"{"jsonrpc":"2.0","id":~,"method":"odd","method":"odd"}"#, .error(-32600)),
    Self("unknown own method", #"{"jsonrpc":"2.0","id":~,"method":"lastword.odd"}"#, .error(-32601)),
    Self("reserved method", #"{"jsonrpc":"2.0","id":~,"method":"rpc.odd"}"#, .error(-32601)),
    Self("unknown task member", task: #"{"key":"a","odd":1}"#),
    Self("unknown policy", task: #"{"key":"a","policy":"odd"}"#),
    Self("policy without key", task: #"{"policy":"wait"}"#),
    Self("empty key", task: #"{"key":""}"#),
    Self("lone surrogate in key", task: #"{"key":"\ud800"}"#),
    Self("maxWait below debounce", task: #"{"key":"a","debounceMs":5,"maxWaitMs":5}"#),
    Self("join that does not go", task: #"{"key":"a","policy":"wait","join":"always"}"#),
    Self("negative timeout", task: #"{"key":"a","timeoutMs":-1}"#),
    Self("task an array", task: "[]"),
    Self("wrong notification", #"{"jsonrpc":"2.0","method":"odd","params":1}"#, .none),
    Self("unknown own notification", #"{"jsonrpc":"2.0","method":"lastword.odd"}"#, .none),
    Self(header: "negative length", "Content-Length: -1"),
    Self(header: "two lengths", "Content-Length: 2\r\nContent-Length: 2"),
    Self(header: "no length", "Content-Type: text/plain"),
    Self(call: "call without a method", #"{"params":[]}"#),
    Self(call: "nested call", #"{"method":"lastword.call","params":{"method":"odd"}}"#),
    Self(call: "call with an unknown member", #"{"method":"odd","odd":1}"#),
    Self(call: "ping in a call", #"{"method":"lastword.ping"}"#, .null),
    Self("response nobody asked for", #"{"jsonrpc":"2.0","id":9000000~,"result":1}"#, .none),
  ]
}
