import Foundation
import TestSupport
import Testing

/// Sessions of the Model Context Protocol that end while something of them is under way.
@Suite struct MCPEndTests {
  private func expectTakenBack(_ client: LineSocket, _ server: LineSocket, _ asked: Int) throws {
    let answer = try client.expectAnswer()
    #expect(answer.status == 200 && answer.content.isError(-32800, id: "\"a\""), "\(answer)")
    #expect(answer.content.contains(#""phase":"running","upstream":"cancelSent""#), "\(answer)")
    #expect(try server.asked().cancelled == asked)
  }

  private let content = #"{"jsonrpc":"2.0","id":"a","method":"m"}"#

  @Test func `whose client ends it, its requests hear what upstream may have done`() throws {
    let scene = try PostScene(listen: "mcpPath = \"/mcp\"")
    let session = try MCPSessionTests().begin(scene)
    let client = try scene.connect()
    try client.send(bytes: MCPSessionTests.post(content, session))
    let asked = try #require(scene.upstream.asked().id)
    #expect(try scene.ask(MCPSessionTests.head("DELETE", session)).status == 204)
    try expectTakenBack(client, scene.upstream, asked)
    #expect(try scene.ask(MCPSessionTests.post(content, session)).status == 404)
  }

  @Test func `whose principal is taken away, its requests hear what upstream may have done`() throws {
    let made = try MadeToken()
    let stage = try Stage(
      listen: "auth = \"required\"\nmcpPath = \"/mcp\"", more: "[[principal]]\nname = \"ada\"\n\(made.kept)")
    let fields = "\(MCPSessionTests.both)Authorization: Bearer \(made.token)\r\n"
    let client = try stage.gateway.connect()
    try client.send(bytes: MCPSessionTests.post(MCPSessionTests.initialize, nil, fields))
    try stage.upstream.answer(#require(stage.upstream.asked().id), "welcome")
    let session = try #require(client.expectAnswer()["mcp-session-id"])
    try client.send(bytes: MCPSessionTests.post(content, session, fields))
    let asked = try #require(stage.upstream.asked().id)
    try stage.reload(made.digest, as: "sha256:" + String(repeating: "0", count: 64))
    try expectTakenBack(client, stage.upstream, asked)
  }

  /// Alone, or as an event behind another one.
  @Test(arguments: [false, true])
  func `an answer that is read slowly is not cut off when the gateway stops`(isEvent: Bool) throws {
    // The time it may take is not what is asked here.
    let scene = try MCPServerScene(
      bounds: "clientOutputHardBytes = 33554432\nmessageBytes = 16777216\ndrainMs = 60000")
    let (session, server) = try scene.begin()
    let client = try scene.post(request(1, "m"), session)
    let asked = try #require(server.asked().id)
    if isEvent { try server.send(#"{"jsonrpc":"2.0","method":"early"}"#) }
    // More than sockets on the way hold.
    let long = String(repeating: "0123456789abcdef", count: 768 * 1024)
    try server.answer(asked, long)
    // Once what came behind it has been answered it has been handed on.
    let quick = try scene.post(request(2, "m"), session)
    try server.answer(#require(server.asked().id), "done")
    #expect(try quick.expectAnswer().status == 200)
    scene.gateway.program.signal(SIGTERM)
    try scene.gateway.awaitLog("draining")
    #expect(try client.expectAnswer().content.contains(long))
    #expect(try client.answer() == nil)
    #expect(scene.gateway.program.exitStatus() == 0)
  }

  @Test func `a stream ends with what became of its request`() throws {
    let scene = try MCPServerScene()
    let (session, server) = try scene.begin()
    let client = try scene.post(content, session)
    let asked = try #require(server.asked().id)
    try server.send(#"{"jsonrpc":"2.0","method":"early"}"#)
    while try !client.expect().contains("early") {}
    let ending = try scene.connect()
    try ending.send(bytes: MCPSessionTests.head("DELETE", session))
    #expect(try ending.expectAnswer().status == 204)
    let line = try #require(try client.nextData())
    #expect(line.isError(-32800, id: "\"a\"") && line.contains(#""upstream":"cancelSent""#), "\(line)")
    #expect(try server.asked().cancelled == asked)
    #expect(try server.receive() == nil)
  }
}

extension LineSocket {
  /// The data of the next event; nil: there is none.
  fileprivate func nextData() throws -> String? {
    while let line = try receive() {
      if line.hasPrefix("data: ") { return String(line.dropFirst(6)) }
    }
    return nil
  }
}
