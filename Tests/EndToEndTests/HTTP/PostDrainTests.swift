import Glibc
import TestSupport
import Testing

/// What becomes of requests that came by HTTP when the gateway ends.
@Suite struct PostDrainTests {
  @Test func `what is under way is answered, what is idle closes, and what is new is 503`() throws {
    let scene = try PostScene()
    let (busy, idle, begun) = (try scene.connect(), try scene.connect(), try scene.connect())
    try idle.send(bytes: PostScene.post(PostScene.ping))
    #expect(try idle.expectAnswer().status == 200)
    let late = PostScene.post(request(2, "late"))
    try begun.send(bytes: PostScene.post(PostScene.ping) + late.dropLast())
    #expect(try begun.expectAnswer().status == 200)
    try busy.send(bytes: PostScene.post(request(1, "m")) + PostScene.post(PostScene.ping))
    let id = try #require(scene.upstream.asked().id)
    scene.gateway.program.signal(SIGTERM)
    try scene.gateway.awaitLog("draining")
    #expect(try idle.receive() == nil)
    try begun.send(bytes: Array(late.suffix(1)))
    let refused = try begun.expectAnswer()
    #expect(refused.status == 503 && refused.content.isError(-32085, id: "2"), "\(refused)")
    #expect(try begun.answer() == nil)
    try scene.upstream.answer(id, "done")
    let answer = try busy.expectAnswer()
    #expect(answer.status == 200 && answer.content.contains("done"))
    #expect(try busy.answer() == nil)
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
