import HTTP1
import Testing
import WebSocket

/// The example of RFC 6455 section 1.3, and what differs from it.
@Suite struct HandshakeTests {
  private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
  private static let nonce = Array("the sample nonce".utf8)
  private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

  /// The digest that the RFC has for its example; of everything else another.
  private static func sha1(_ bytes: [UInt8]) -> [UInt8]? {
    let example = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    guard bytes == Array(example.utf8) else { return [UInt8](repeating: 7, count: 20) }
    return [
      0xB3, 0x7A, 0x4F, 0x2C, 0xC0, 0x62, 0x4F, 0x16, 0x90, 0xF6, 0x46, 0x06, 0xCF, 0x38, 0x59, 0x45, 0xB2,
      0xBE,
      0xC4, 0xEA,
    ]
  }

  private static let fields = [
    "Host: server.example.com", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: \(key)",
    "Sec-WebSocket-Version: 13",
  ]

  private enum Outcome: Equatable {
    case notAsked
    case accepted(subprotocol: String?, [String])
    case refused(HTTPStatus, [String])
  }

  private static func outcome(
    _ fields: [String], line: String = "GET /chat HTTP/1.1", sha1: WebSocketHandshake.SHA1 = sha1
  ) throws -> Outcome {
    let bytes = Array((([line] + fields).joined(separator: "\r\n") + "\r\n\r\n").utf8)
    var limits = HTTPRequestReader.Limits()
    limits.contentBytes = 100
    var reader = HTTPRequestReader(methods: ["GET", "POST"], limits: limits)
    var offset = 0
    guard case .head(let head) = reader.next(in: bytes.span, count: bytes.count, from: &offset) else {
      throw NoHead()
    }
    func lines(_ fields: [(String, String)]) -> [String] { fields.map { "\($0): \($1)" } }
    switch WebSocketHandshake.answer(to: head, sha1: sha1) {
    case .notAsked: return .notAsked
    case .accepted(let subprotocol, let fields): return .accepted(subprotocol: subprotocol, lines(fields))
    case .refused(let fault, let fields):
      #expect(!fault.reason.isEmpty)
      return .refused(fault.status, lines(fields))
    }
  }

  private struct NoHead: Error {}

  private static func replacing(_ name: String, by fields: String...) -> [String] {
    Self.fields.filter { !$0.hasPrefix(name + ":") } + fields
  }

  private static let accepted = [
    "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: \(accept)",
  ]

  @Test func `the example is accepted with the key's answer`() throws {
    #expect(try Self.outcome(Self.fields) == .accepted(subprotocol: nil, Self.accepted))
  }

  @Test(arguments: [
    ["Connection: keep-alive, Upgrade", "Upgrade: websocket"], ["Connection: UPGRADE", "Upgrade: WebSocket"],
    ["Connection: keep-alive", "Connection: upgrade", "Upgrade: h2c, websocket"],
    ["Connection: Upgrade", "Upgrade: websocket", "Content-Length: 0"],
    ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Extensions: permessage-deflate"],
  ])
  func `it may be asked for in other words`(words: [String]) throws {
    let others = Self.fields.filter { !$0.hasPrefix("Connection:") && !$0.hasPrefix("Upgrade:") }
    #expect(try Self.outcome(others + words) == .accepted(subprotocol: nil, Self.accepted))
  }

  @Test func `what asks for no upgrade is none`() throws {
    #expect(try Self.outcome(Self.replacing("Upgrade")) == .notAsked)
    #expect(try Self.outcome(Self.replacing("Upgrade", by: "Upgrade: h2c")) == .notAsked)
    #expect(try Self.outcome(Self.replacing("Connection")) == .notAsked)
    #expect(try Self.outcome(Self.replacing("Connection", by: "Connection: close")) == .notAsked)
    #expect(try Self.outcome(Self.fields, line: "GET / HTTP/1.0") == .notAsked)
  }

  @Test func `a wrong one is refused`() throws {
    let malformed = Outcome.refused(.badRequest, [])
    #expect(try Self.outcome(Self.fields, line: "POST / HTTP/1.1") == malformed)
    #expect(try Self.outcome(Self.fields + ["Content-Length: 1"]) == malformed)
    #expect(try Self.outcome(Self.fields + ["Transfer-Encoding: chunked"]) == malformed)
    #expect(try Self.outcome(Self.replacing("Sec-WebSocket-Key")) == malformed)
    #expect(try Self.outcome(Self.fields + ["Sec-WebSocket-Key: \(Self.key)"]) == malformed)
    for key in [
      "", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZWE=", "a",
      "dGhlIHNhbXBsZSBub25j_Q==", "dGhlIHNhbXBsZSBub25jZQ==a", "dGhlIHNhbXBsZSBub25jZWFhYQ==",
      "dGhl IHNhbXBsZSBub25jZ==",
    ] {
      #expect(
        try Self.outcome(Self.replacing("Sec-WebSocket-Key", by: "Sec-WebSocket-Key: \(key)")) == malformed)
    }
  }

  @Test(arguments: [[], ["12"], ["14"], ["013"], ["13", "13"], ["13, 8"], [""]])
  func `another version is answered with ours`(versions: [String]) throws {
    let fields = Self.replacing("Sec-WebSocket-Version") + versions.map { "Sec-WebSocket-Version: \($0)" }
    let expected = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
    #expect(try Self.outcome(fields) == .refused(.upgradeRequired, expected))
  }

  @Test func `the subprotocol is chosen where it is offered`() throws {
    let chosen = Outcome.accepted(
      subprotocol: "lastword.1", Self.accepted + ["Sec-WebSocket-Protocol: lastword.1"])
    for offer in [["lastword.1"], ["chat, lastword.1"], ["chat", "lastword.1,other"]] {
      let offers = offer.map { "Sec-WebSocket-Protocol: \($0)" }
      #expect(try Self.outcome(Self.fields + offers) == chosen)
    }
    for offer in ["chat", "Lastword.1", "lastword.12", ""] {
      let offers = ["Sec-WebSocket-Protocol: \(offer)"]
      #expect(try Self.outcome(Self.fields + offers) == .accepted(subprotocol: nil, Self.accepted))
    }
  }

  @Test func `without a digest nothing is accepted`() throws {
    #expect(try Self.outcome(Self.fields) { _ in nil } == .refused(.notImplemented, []))
  }

  // MARK: The client

  @Test func `a client's request is accepted`() throws {
    let own = WebSocketHandshake.requestFields(nonce: Self.nonce, offers: "lastword.1")
    let fields = ["Host: a"] + own.map { "\($0): \($1)" }
    let expected = Self.accepted + ["Sec-WebSocket-Protocol: lastword.1"]
    #expect(try Self.outcome(fields) == .accepted(subprotocol: "lastword.1", expected))
    #expect(own.contains { $0 == ("Sec-WebSocket-Key", Self.key) })
    let plain = WebSocketHandshake.requestFields(nonce: Self.nonce, offers: nil)
    #expect(!plain.contains { name, _ in name == "Sec-WebSocket-Protocol" })
  }

  private static func fault(
    _ fields: [String], line: String = "HTTP/1.1 101 Switching Protocols"
  ) throws -> String? {
    let bytes = Array((([line] + fields).joined(separator: "\r\n") + "\r\n\r\n").utf8)
    var (reader, offset) = (HTTPResponseReader(), 0)
    guard case .head(let head) = reader.next(in: bytes.span, count: bytes.count, from: &offset) else {
      throw NoHead()
    }
    return WebSocketHandshake.fault(in: head, nonce: nonce, offered: "lastword.1", sha1: sha1)
  }

  @Test func `a client takes the response to its own request only`() throws {
    let subprotocol = "Sec-WebSocket-Protocol: lastword.1"
    #expect(try Self.fault(Self.accepted) == nil)
    #expect(try Self.fault(Self.accepted + [subprotocol]) == nil)
    let others: [(line: String, fields: [String])] = [
      ("HTTP/1.1 200 OK", Self.accepted),
      ("HTTP/1.1 101 X", Array(Self.accepted.dropFirst())),
      ("HTTP/1.1 101 X", ["Upgrade: h2c"] + Self.accepted.dropFirst()),
      ("HTTP/1.1 101 X", ["Upgrade: h2c, websocket"] + Self.accepted.dropFirst()),
      ("HTTP/1.1 101 X", [Self.accepted[0], Self.accepted[2]]),
      ("HTTP/1.1 101 X", Array(Self.accepted.prefix(2))),
      ("HTTP/1.1 101 X", Self.accepted.prefix(2) + ["Sec-WebSocket-Accept: \(Self.key)"]),
      ("HTTP/1.1 101 X", Self.accepted + ["Sec-WebSocket-Accept: \(Self.accept)"]),
      ("HTTP/1.1 101 X", Self.accepted + ["Sec-WebSocket-Extensions: permessage-deflate"]),
      ("HTTP/1.1 101 X", Self.accepted + ["Sec-WebSocket-Protocol: chat"]),
      ("HTTP/1.1 101 X", Self.accepted + ["Sec-WebSocket-Protocol: lastword.1, chat"]),
    ]
    for (line, fields) in others {
      #expect(try Self.fault(fields, line: line) != nil, "\(line) \(fields)")
    }
  }
}
