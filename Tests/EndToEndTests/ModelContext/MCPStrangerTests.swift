import Foundation
import TestSupport
import Testing

/// What somebody may send to sessions of the Model Context Protocol before it is known who that is.
@Suite struct MCPStrangerTests {
  private static let boundBytes = 1_024
  private let ada: MadeToken
  private let adaAgain: MadeToken
  private let scene: PostScene

  init() throws {
    (ada, adaAgain) = (try MadeToken(), try MadeToken())
    scene = try PostScene(
      bounds: "unauthenticatedBytes = \(Self.boundBytes)",
      listen: "mcpPath = \"/mcp\"\nauth = \"required\"",
      more: """
        [[principal]]
        name = "ada"
        tokens = ["\(ada.digest)", "\(adaAgain.digest)"]
        """)
  }

  private func bearer(_ token: String) -> String { "Authorization: Bearer \(token)\r\n" }

  /// The head of a POST.
  private func head(_ session: String?, _ fields: String, _ framing: String) -> [UInt8] {
    let name = session.map { "Mcp-Session-Id: \($0)\r\n" } ?? ""
    let usual = "Host: localhost\r\nContent-Type: application/json\r\n\(MCPSessionTests.both)"
    return Array("POST /mcp HTTP/1.1\r\n\(usual)\(name)\(fields)\(framing)\r\n\r\n".utf8)
  }

  private func begin() throws -> String {
    let client = try scene.connect()
    try client.send(bytes: MCPSessionTests.post(MCPSessionTests.initialize, nil, fields(ada)))
    try scene.upstream.answer(#require(scene.upstream.asked().id), "welcome")
    return try #require(try client.expectAnswer()["mcp-session-id"])
  }

  private func fields(_ made: MadeToken) -> String { MCPSessionTests.both + bearer(made.token) }

  private func long(_ id: Int) -> String {
    request(id, "m", "[\"\(String(repeating: "x", count: 4 * Self.boundBytes))\"]")
  }

  @Test func `it hears behind the head that its content is not taken`() throws {
    let session = try begin()
    let much = "Content-Length: 1000000"
    let refused: [([UInt8], Int, Int)] = [
      (head(nil, "", "Content-Length: 9"), 401, -32087), (head(nil, "", much), 401, -32087),
      (head(nil, "", "Transfer-Encoding: chunked"), 401, -32087),
      (head(nil, bearer("x"), much), 413, -32086),
      (head(session, "", much), 404, -32600), (head(session, bearer("x"), much), 404, -32600),
      (head("unknown", bearer(ada.token), much), 404, -32600),
    ]
    for (bytes, status, code) in refused {
      _ = try scene.expectRefused(bytes, status, code)
    }
    try scene.expectUpstreamHeardNothing(by: bearer(ada.token))
  }

  @Test func `a token that has not been judged has unauthenticatedBytes for initialize`() throws {
    let spare = Self.boundBytes - MCPSessionTests.initialize.utf8.count
    let whole = MCPSessionTests.initialize + String(repeating: " ", count: spare)
    let client = try scene.connect()
    let framing = "Transfer-Encoding: chunked"
    func chunk(_ text: String) -> [UInt8] {
      Array("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n".utf8)
    }
    try client.send(bytes: head(nil, bearer(ada.token), framing) + chunk(whole) + Array("0\r\n\r\n".utf8))
    try scene.upstream.answer(#require(scene.upstream.asked().id), "welcome")
    #expect(try client.expectAnswer().status == 200)
    let answer = try scene.expectRefused(
      head(nil, bearer(ada.token), framing) + chunk(whole) + chunk(" "), 413, -32086)
    #expect(answer.content.contains("1024 bytes"), "\(answer)")
  }

  @Test func `who shows with the head that the session is its own may send more`() throws {
    let session = try begin()
    // The first of these has been judged before; what the second one is worth the core has to say.
    for (id, made) in [(1, ada), (2, adaAgain), (3, ada)] {
      let client = try scene.connect()
      let content = long(id)
      let length = "Expect: 100-continue\r\nContent-Length: \(content.utf8.count)"
      try client.send(bytes: head(session, bearer(made.token), length))
      #expect(try client.expect() == "HTTP/1.1 100 Continue\r" && client.expect() == "\r")
      try client.send(bytes: Array(content.utf8))
      try scene.upstream.answer(#require(scene.upstream.asked().id), "done")
      let answer = try client.expectAnswer()
      #expect(answer.content == #"{"jsonrpc":"2.0","id":\#(id),"result":"done"}"# + "\n", "\(answer)")
    }
    // Head and content come at once; the connection is kept.
    let client = try scene.connect()
    for (id, made) in [(4, ada), (5, adaAgain), (6, adaAgain), (7, ada)] {
      try client.send(bytes: MCPSessionTests.post(long(id), session, fields(made)))
      try scene.upstream.answer(#require(scene.upstream.asked().id), "done")
      #expect(try client.expectAnswer().content.contains(#""id":\#(id),"result""#))
    }
  }

  @Test(arguments: [("Content-Length: 0", -32600), ("Transfer-Encoding: chunked\r\n\r\n0", -32700)])
  func `a content without a byte is refused as ever`(framing: String, code: Int) throws {
    let session = try begin()
    for made in [ada, adaAgain] {
      _ = try scene.expectRefused(head(session, bearer(made.token), framing), 400, code)
    }
  }

  @Test func `wrong tokens end their own connections, and neither the session nor its work`() throws {
    let session = try begin()
    let client = try scene.connect()
    try client.send(bytes: MCPSessionTests.post(request(1, "m"), session, fields(ada)))
    let asked = try #require(scene.upstream.asked().id)
    let wrong = MCPSessionTests.both + bearer("x")
    for _ in 0..<4 {
      _ = try scene.expectRefused(
        MCPSessionTests.post(request(2, "hidden"), session, wrong), 404, -32600)
      _ = try scene.expectRefused(MCPSessionTests.head("DELETE", session, wrong), 404, -32600)
    }
    try scene.upstream.answer(asked, "done")
    #expect(try client.expectAnswer().content == #"{"jsonrpc":"2.0","id":1,"result":"done"}"# + "\n")
    try client.send(bytes: MCPSessionTests.post(request(3, "m"), session, fields(adaAgain)))
    try scene.upstream.answer(#require(scene.upstream.asked().id), "done")
    #expect(try client.expectAnswer().content == #"{"jsonrpc":"2.0","id":3,"result":"done"}"# + "\n")
  }

  @Test func `where too many tokens wait another one hears so, and the client's own soon counts`() throws {
    let session = try begin()
    let clients = try (0..<60).map { _ in try scene.connect() }
    scene.gateway.program.signal(SIGSTOP)
    for (number, client) in clients.enumerated() {
      try client.send(bytes: MCPSessionTests.head("DELETE", session, bearer("x\(number)")))
    }
    scene.gateway.program.signal(SIGCONT)
    var refusedCount = 0
    for client in clients {
      let answer = try client.expectAnswer()
      guard answer.status != 404 else { continue }
      refusedCount += 1
      #expect(answer.status == 503 && answer.content.isError(-32082, id: "null"), "\(answer)")
      #expect(answer["retry-after"] == "1" && answer["connection"] == "close", "\(answer)")
    }
    #expect(refusedCount > 0)
    let client = try scene.connect()
    try client.send(bytes: MCPSessionTests.post(request(1, "m"), session, fields(adaAgain)))
    try scene.upstream.answer(#require(scene.upstream.asked().id), "done")
    #expect(try client.expectAnswer().content == #"{"jsonrpc":"2.0","id":1,"result":"done"}"# + "\n")
  }

  @Test func `whose session ends while a content comes hears that it has`() throws {
    let session = try begin()
    let client = try scene.connect()
    let bytes = MCPSessionTests.post(request(1, "hidden"), session, fields(ada))
    try client.send(bytes: bytes.dropLast())
    #expect(try scene.ask(MCPSessionTests.head("DELETE", session, bearer(ada.token))).status == 204)
    try client.send(bytes: Array(bytes.suffix(1)))
    #expect(try client.expectAnswer().status == 404)
    try scene.expectUpstreamHeardNothing(by: bearer(ada.token))
  }
}
