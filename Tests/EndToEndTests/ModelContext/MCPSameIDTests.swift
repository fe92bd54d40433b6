import Foundation
import TestSupport
import Testing

/// Ids of requests in sessions of the Model Context Protocol: clients choose them, and may choose one twice.
@Suite struct MCPSameIDTests {
  private let scene: MCPServerScene
  private let session: String
  private let server: LineSocket

  init() throws {
    scene = try MCPServerScene(bounds: "mcpResumeMs = 1500")
    (session, server) = try scene.begin()
  }

  private func request(_ id: String, _ method: String = "m", _ params: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
  }

  private func asked(_ method: String = "m") throws -> Int {
    let asked = try server.asked()
    #expect(asked.method == method)
    return try #require(asked.id)
  }

  private func expectResult(_ id: String, _ result: String, of client: LineSocket) throws {
    let answer = try client.expectAnswer()
    let line = #"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#
    #expect(answer.status == 200 && answer.content == line + "\n", "\(answer)")
  }

  @Test(arguments: ["7", "1.0", "1e2", "-0", "\"\"", #""\u0061\"\\""#, #""\ud800""#, "\"#1\"", "null"])
  func `two of one id are both answered, each over its own POST and with the id as it came`(id: String) throws
  {
    let older = try scene.post(request(id), session)
    let first = try asked()
    let newer = try scene.post(request(id), session)
    let second = try asked()
    try server.answer(second, "newer")
    try expectResult(id, #""newer""#, of: newer)
    try server.answer(first, "older")
    try expectResult(id, #""older""#, of: older)
  }

  @Test func `one that is asked once more is not taken back with the one whose connection has gone`() throws {
    let gone = try scene.post(request("5"), session)
    let first = try asked()
    gone.reset()
    let again = try scene.post(request("5"), session)
    let second = try asked()
    let cancel = try server.asked()
    #expect(cancel.method == "notifications/cancelled" && cancel.cancelled == first)
    try server.answer(second, "done")
    try expectResult("5", #""done""#, of: again)
  }

  @Test(arguments: [
    #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"r","requestId":"\u0061"}}"#,
    #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"a"}}"#,
    #"{"jsonrpc":"2.0","id":"a","method":"lastword.cancel","params":{"id":"a"}}"#,
    #"{"params":{"method":"lastword.cancel","params":{"id":"a"}},"jsonrpc":"2.0","id":1,"method":"lastword.call"}"#,
  ])
  func `of two of one id the newer is taken back, in whatever words`(cancel: String) throws {
    let older = try scene.post(request("\"a\""), session)
    let first = try asked()
    let newer = try scene.post(request("\"a\""), session)
    let second = try asked()
    let answer = try scene.post(cancel, session).expectAnswer()
    #expect(answer.status == 202 || answer.content.contains(#""result":{"cancelled":1}"#), "\(answer)")
    #expect(try newer.expectAnswer().content.isError(-32800, id: "\"a\""))
    #expect(try server.asked().cancelled == second)
    try server.answer(first, "older")
    try expectResult("\"a\"", #""older""#, of: older)
  }

  @Test func `to take back what is no request's id takes back nothing`() throws {
    let client = try scene.post(request("1"), session)
    let asked = try asked()
    for id in ["2", "\"1\"", "\"#2\"", "null"] {
      let cancel = #"{"jsonrpc":"2.0","id":9,"method":"lastword.cancel","params":{"id":\#(id)}}"#
      try expectResult("9", #"{"cancelled":0}"#, of: scene.post(cancel, session))
    }
    try server.answer(asked, "done")
    try expectResult("1", #""done""#, of: client)
  }

  @Test func `a message may be as long as messageBytes, under whatever id`() throws {
    let bare = request("1", "m", #"{"text":""}"#)
    let text = String(repeating: "x", count: 2_000 - bare.utf8.count)
    let scene = try MCPServerScene(bounds: "messageBytes = 2000")
    let (session, server) = try scene.begin()
    let client = try scene.post(request("1", "m", #"{"text":"\#(text)"}"#), session)
    try server.answer(#require(server.asked().id), "done")
    try expectResult("1", #""done""#, of: client)
    let long = try scene.post(request("1", "m", #"{"text":"\#(text)x"}"#), session)
    #expect(try long.expectAnswer().status == 413)
  }

  @Test func `a piece of an answer goes over its own request's stream, under its own id`() throws {
    let older = try scene.post(request("1"), session)
    _ = try asked()
    let newer = try scene.post(
      #"{"jsonrpc":"2.0","id":1,"method":"m","task":{"stream":true}}"#, session)
    let listening = try scene.open(session)
    let second = try asked()
    try server.send(
      #"{"jsonrpc":"2.0","method":"lastword.piece","params":{"id":\#(second),"value":"some"}}"#)
    try server.answer(second, "done")
    let answer = try newer.expectAnswer()
    let piece = #"data: {"jsonrpc":"2.0","method":"lastword.piece","params":{"id":1,"value":"some"}}"#
    #expect(answer.content.hasPrefix(piece) && answer.content.contains("done"), "\(answer)")
    withExtendedLifetime((older, listening)) {}
  }
}
