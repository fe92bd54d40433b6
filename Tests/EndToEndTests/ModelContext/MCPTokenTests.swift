import TestSupport
import Testing

/// Sessions of the Model Context Protocol whose clients show newer tokens, and what the earlier ones have begun.
@Suite struct MCPTokenTests {
  private let old: MadeToken
  private let new: MadeToken
  private let stage: Stage

  init() throws {
    (old, new) = (try MadeToken(), try MadeToken())
    stage = try Stage(
      listen: "auth = \"required\"\nmcpPath = \"/mcp\"",
      more: "[[principal]]\nname = \"ada\"\ntokens = [\"\(old.digest)\", \"\(new.digest)\"]")
  }

  private func fields(_ made: MadeToken) -> String {
    "\(MCPSessionTests.both)Authorization: Bearer \(made.token)\r\n"
  }

  private func begin() throws -> String {
    let client = try stage.gateway.connect()
    try client.send(bytes: MCPSessionTests.post(MCPSessionTests.initialize, nil, fields(old)))
    try stage.upstream.answer(#require(stage.upstream.asked().id), "welcome")
    return try #require(try client.expectAnswer()["mcp-session-id"])
  }

  private func status(_ bytes: [UInt8]) throws -> Int {
    let client = try stage.gateway.connect()
    try client.send(bytes: bytes)
    return try client.expectAnswer().status
  }

  /// The session takes the newer token, and a reload takes the older one away.
  private func refresh(_ session: String) throws {
    let content = #"{"jsonrpc":"2.0","method":"n"}"#
    #expect(try status(MCPSessionTests.post(content, session, fields(new))) == 202)
    #expect(try stage.upstream.asked().method == "n")
    try stage.reload(old.digest, as: "sha256:" + String(repeating: "0", count: 64))
  }

  @Test func `a stream that an earlier token has opened ends, and the newer one opens another`() throws {
    let session = try begin()
    let client = try stage.gateway.connect()
    try client.send(bytes: MCPSessionTests.head("GET", session, fields(old)))
    #expect(try client.expect() == "HTTP/1.1 200 OK\r")
    try refresh(session)
    while try client.expect() != "0\r" {}
    #expect(try client.expect() == "\r")
    #expect(try status(MCPSessionTests.head("GET", session, fields(old))) == 404)
    // The connection is kept.
    try client.send(bytes: MCPSessionTests.head("GET", session, fields(new)))
    #expect(try client.expect() == "HTTP/1.1 200 OK\r")
  }

  @Test func `a content is judged again if the session has taken another token since its head`() throws {
    let session = try begin()
    let content = request(1, "hidden")
    let head =
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Session-Id: \(session)\r\n"
      + "\(fields(old))Expect: 100-continue\r\nContent-Length: \(content.utf8.count)\r\n\r\n"
    let client = try stage.gateway.connect()
    try client.send(bytes: Array(head.utf8))
    #expect(try client.expect() == "HTTP/1.1 100 Continue\r" && client.expect() == "\r")
    try refresh(session)
    try client.send(bytes: Array(content.utf8))
    #expect(try client.expectAnswer().status == 404)
    // Nothing of it has gone on.
    let last = #"{"jsonrpc":"2.0","method":"last"}"#
    #expect(try status(MCPSessionTests.post(last, session, fields(new))) == 202)
    #expect(try stage.upstream.asked().method == "last")
  }

  @Test func `a content whose token still counts goes on, whatever was taken since its head`() throws {
    let session = try begin()
    let content = request(1, "m")
    let bytes = MCPSessionTests.post(content, session, fields(old))
    let client = try stage.gateway.connect()
    try client.send(bytes: bytes.dropLast())
    let other = #"{"jsonrpc":"2.0","method":"n"}"#
    #expect(try status(MCPSessionTests.post(other, session, fields(new))) == 202)
    #expect(try stage.upstream.asked().method == "n")
    try client.send(bytes: Array(bytes.suffix(1)))
    try stage.upstream.answer(#require(stage.upstream.asked().id), "done")
    #expect(try client.expectAnswer().content == #"{"jsonrpc":"2.0","id":1,"result":"done"}"# + "\n")
  }
}
