import Glibc
import TestSupport
import Testing

/// What becomes of requests that came by HTTP when the gateway ends.
@Suite struct PostDrainTests {
  @Test func `what is under way is answered, what is new is 503, and what is idle closes at the end`() throws
  {
    let scene = try PostScene()
    let (busy, idle, begun) = (try scene.connect(), try scene.connect(), try scene.connect())
    let new = try scene.connect()
    for client in [idle, new] {
      try client.send(bytes: PostScene.post(PostScene.ping))
      #expect(try client.expectAnswer()["connection"] == "keep-alive")
    }
    let late = PostScene.post(request(2, "late"))
    try begun.send(bytes: PostScene.post(PostScene.ping) + late.dropLast())
    #expect(try begun.expectAnswer().status == 200)
    try busy.send(bytes: PostScene.post(request(1, "m")) + PostScene.post(PostScene.ping))
    let id = try #require(scene.upstream.asked().id)
    scene.gateway.program.signal(SIGTERM)
    try scene.gateway.awaitLog("draining")
    try begun.send(bytes: Array(late.suffix(1)))
    try new.send(bytes: late)
    for client in [begun, new] {
      let refused = try client.expectAnswer()
      #expect(refused.status == 503 && refused.content.isError(-32085, id: "2"), "\(refused)")
      #expect(try refused["connection"] == "close" && client.answer() == nil)
    }
    #expect(!idle.hasNews)
    try scene.upstream.answer(id, "done")
    let answer = try busy.expectAnswer()
    #expect(answer.status == 200 && answer.content.contains("done"))
    // So it knows that what it has sent behind this has not been looked at.
    #expect(try answer["connection"] == "close" && busy.answer() == nil)
    #expect(try idle.receive() == nil && !idle.wasReset)
    #expect(scene.gateway.program.exitStatus() == 0)
  }

  @Test func `what came over kept connections before the signal is answered, however many there are`() throws
  {
    // It cannot read all of them in the turn of the signal.
    let scene = try PostScene(bounds: "turnUs = 50")
    let clients = try (0..<100).map { _ in try scene.connect() }
    for client in clients { try scene.expectKept(client) }
    scene.gateway.program.signal(SIGSTOP)
    for client in clients { try client.send(bytes: PostScene.post(PostScene.ping)) }
    scene.gateway.program.signal(SIGTERM)
    scene.gateway.program.signal(SIGCONT)
    for client in clients {
      #expect(try client.expectAnswer().content == PostScene.pong)
      #expect(try client.answer() == nil)
    }
    #expect(scene.gateway.program.exitStatus() == 0)
  }

  @Test(arguments: ["", "Accept: text/event-stream\r\n"])
  func `a long reply that is read slowly is not cut off`(fields: String) throws {
    // The time it may take is not what is asked here.
    let scene = try PostScene(
      bounds: "clientOutputHardBytes = 33554432\nmessageBytes = 16777216\ndrainMs = 60000")
    let client = try scene.connect()
    let long = String(repeating: "0123456789abcdef", count: 512 * 1024)
    try client.send(bytes: PostScene.post(request(1, "m"), fields))
    try scene.upstream.answer(#require(scene.upstream.asked().id), long)
    #expect(try scene.connect().isInStep())
    scene.gateway.program.signal(SIGTERM)
    try scene.gateway.awaitLog("draining")
    #expect(try client.expectAnswer().content.contains(long))
    #expect(try client.answer() == nil)
    #expect(scene.gateway.program.exitStatus() == 0)
  }
}
