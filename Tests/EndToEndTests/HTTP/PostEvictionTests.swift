import Foundation
import TestSupport
import Testing

/// POSTs whose principal is taken away while they are under way.
@Suite struct PostEvictionTests {
  private let made: MadeToken
  private let other: MadeToken
  private let stage: Stage

  init() throws {
    (made, other) = (try MadeToken(), try MadeToken())
    // Nobody listens there.
    let port = try ListeningSocket().port
    stage = try Stage(
      listen: "auth = \"required\"",
      more: """
        [[principal]]
        name = "ada"
        \(made.kept)
        [[principal]]
        name = "eve"
        \(other.kept)
        [[upstream]]
        name = "away"
        address = "tcp:127.0.0.1:\(port)"
        [[route]]
        method = "away"
        upstream = "away"
        """)
  }

  private func post(_ content: String, _ fields: String = "") -> [UInt8] {
    PostScene.post(content, "Authorization: Bearer \(made.token)\r\n\(fields)")
  }

  private func takeAway() throws {
    try stage.reload(made.digest, as: "sha256:" + String(repeating: "0", count: 64))
  }

  /// The connection serves somebody else, and has nothing else to say.
  private func expectKept(_ client: LineSocket) throws {
    try client.send(bytes: PostScene.post(PostScene.ping, "Authorization: Bearer \(other.token)\r\n"))
    let answer = try client.expectAnswer()
    #expect(answer.status == 200 && answer.content == PostScene.pong, "\(answer)")
  }

  @Test func `what upstream works on is taken back, and the reply says so`() throws {
    let client = try stage.gateway.connect()
    try client.send(bytes: post(request(7, "m", key: "k")))
    let asked = try stage.upstream.asked()
    try takeAway()
    let answer = try client.expectAnswer()
    #expect(answer.status == 200 && answer.content.isError(-32800, id: "7"), "\(answer)")
    // Where another loop has the key it is not known here how far it came.
    let isKnown = answer.content.contains(#""phase":"running","upstream":"cancelSent""#)
    #expect(isKnown || answer.content.contains(#""upstream":"mayHaveCompleted""#), "\(answer)")
    #expect(try stage.upstream.asked().cancelled == asked.id)
    try expectKept(client)
    try client.send(bytes: post(PostScene.ping))
    #expect(try client.expectAnswer().status == 401)
  }

  @Test func `a batch keeps the answers that it has`() throws {
    let client = try stage.gateway.connect()
    try client.send(bytes: post("[\(request(1, "m")),\(request(2, "m")),\(PostScene.ping)]"))
    let asked = (try stage.upstream.asked(), try stage.upstream.asked())
    try stage.upstream.answer(#require(asked.0.id), "done")
    // It has come once another one has been served behind it.
    let next = try stage.gateway.connect()
    try next.send(bytes: PostScene.post(request(3, "m"), "Authorization: Bearer \(other.token)\r\n"))
    try stage.upstream.answer(#require(stage.upstream.asked().id), "done")
    #expect(try next.expectAnswer().status == 200)
    try takeAway()
    let answer = try client.expectAnswer()
    let replies = try #require(
      try JSONSerialization.jsonObject(with: Data(answer.content.utf8)) as? [[String: Any]])
    #expect(answer.status == 200 && replies.count == 3, "\(answer)")
    #expect(answer.content.contains(#""id":1,"result":"done""#), "\(answer)")
    #expect(answer.content.contains(#""id":2,"error":{"code":-32800,"#), "\(answer)")
    #expect(try stage.upstream.asked().cancelled == asked.1.id)
  }

  @Test func `an event stream ends with what became of its request`() throws {
    let client = try stage.gateway.connect()
    try client.send(bytes: post(request(7, "m"), "Accept: text/event-stream\r\n"))
    _ = try stage.upstream.asked()
    try takeAway()
    let answer = try client.expectAnswer()
    #expect(answer.content.hasPrefix(#"data: {"jsonrpc":"2.0","id":7,"error":{"code":-32800,"#), "\(answer)")
    try expectKept(client)
  }

  @Test func `a content of which the end is missing is 401`() throws {
    let client = try stage.gateway.connect()
    let bytes = post(request(7, "m"))
    try client.send(bytes: bytes.dropLast())
    // It has come once another one has been served behind it.
    try expectKept(stage.gateway.connect())
    try takeAway()
    let answer = try client.expectAnswer()
    #expect(answer.status == 401 && answer.content.isError(-32087, id: "null"), "\(answer)")
    #expect(try client.answer() == nil)
  }

  @Test func `nothing is said behind a reply, though something of its batch is still to be sent`() throws {
    let client = try stage.gateway.connect()
    try client.send(bytes: post(#"[\#(PostScene.ping),{"jsonrpc":"2.0","method":"away"}]"#))
    #expect(try client.expectAnswer().content == "[\(PostScene.pong.dropLast())]\n")
    try takeAway()
    try expectKept(client)
  }

  @Test func `a last failed log-in leaves a batch its answers`() throws {
    let client = try stage.gateway.connect()
    let wrong = request(9, "lastword.authenticate", #"{"token":"x"}"#)
    try client.send(bytes: post("[\(request(1, "m")),\(wrong),\(wrong),\(wrong),\(PostScene.ping)]"))
    let asked = try stage.upstream.asked()
    let answer = try client.expectAnswer()
    #expect(answer.status == 200 && answer.content.components(separatedBy: "-32087").count == 4, "\(answer)")
    #expect(answer.content.contains(#""id":1,"error":{"code":-32800,"#), "\(answer)")
    #expect(try stage.upstream.asked().cancelled == asked.id)
  }
}
