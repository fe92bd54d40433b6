import Foundation
import TestSupport
import Testing

/// Connections of HTTP that idle where all places for connections are taken.
@Suite struct PostIdleTests {
  private let ada: MadeToken
  private let bob: MadeToken

  init() throws { (ada, bob) = (try MadeToken(), try MadeToken()) }

  private func stage(_ bounds: String) throws -> Stage {
    // Each loop has connections of its own.
    try Stage(
      bounds: bounds, listen: "auth = \"required\"",
      more: "[[principal]]\nname = \"ada\"\n\(ada.kept)\n[[principal]]\nname = \"bob\"\n\(bob.kept)",
      environment: RunningGateway.oneLoop)
  }

  private func post(_ content: String, _ made: MadeToken) -> [UInt8] {
    PostScene.post(content, "Authorization: Bearer \(made.token)\r\n")
  }

  private func idle(_ stage: Stage, _ made: MadeToken) throws -> LineSocket {
    // No two since the same millisecond.
    Thread.sleep(forTimeInterval: 0.01)
    let client = try stage.gateway.connect()
    try expectServed(client, made)
    return client
  }

  private func expectServed(_ client: LineSocket, _ made: MadeToken) throws {
    try client.send(bytes: post(PostScene.ping, made))
    let answer = try client.expectAnswer()
    #expect(answer.status == 200 && answer.content == PostScene.pong, "\(answer)")
  }

  @Test func `the one that has idled for longest makes room for who comes`() throws {
    let stage = try stage("connections = 4")
    let busy = try stage.gateway.connect()
    try busy.send(bytes: post(request(1, "m"), ada))
    let asked = try #require(stage.upstream.asked().id)
    let idle = try (0..<3).map { _ in try self.idle(stage, ada) }
    // One has had another request since.
    Thread.sleep(forTimeInterval: 0.01)
    try expectServed(idle[0], ada)
    let newcomer = try self.idle(stage, bob)
    #expect(try idle[1].receive() == nil)
    let lines = try stage.gateway.connect()
    #expect(
      try lines.call(request(1, "lastword.authenticate", "{\"token\":\"\(bob.token)\"}")).contains("bob"))
    #expect(try idle[2].receive() == nil)
    try expectServed(idle[0], ada)
    try expectServed(newcomer, bob)
    try stage.upstream.answer(asked, "done")
    #expect(try busy.expectAnswer().content == #"{"jsonrpc":"2.0","id":1,"result":"done"}"# + "\n")
  }

  @Test func `none with a request does, and none for who would be refused all the same`() throws {
    let stage = try stage("connections = 5\nunauthenticatedConnections = 2")
    let busy = try stage.gateway.connect()
    try busy.send(bytes: post(request(1, "m"), ada))
    _ = try stage.upstream.asked()
    let half = try stage.gateway.connect()
    let bytes = post(request(2, "m"), ada)
    try half.send(bytes: bytes.dropLast())
    // It has come once another one has been served behind it.
    let idle = try self.idle(stage, ada)
    let get = Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\nPOST".utf8)
    let strangers = try (0..<2).map { _ in
      try eventually("it has a place") {
        let stranger = try stage.gateway.connect()
        let isServed = (try? stranger.send(bytes: get)) != nil && (try? stranger.answer())?.status == 200
        return isServed ? stranger : nil
      }
    }
    for _ in 0..<2 {
      let refused = try stage.gateway.connect()
      #expect(try refused.expect().isError(-32082, id: "null") && refused.receive() == nil)
    }
    try expectServed(idle, ada)
    // Half a head, and half a content, are requests.
    for stranger in strangers { try stranger.send(bytes: Array(post(PostScene.ping, ada).dropFirst(4))) }
    for stranger in strangers { #expect(try stranger.expectAnswer().status == 200) }
    try half.send(bytes: Array(bytes.suffix(1)))
    #expect(try stage.upstream.asked().id != nil)
  }
}
