import TestSupport
import Testing

/// Upstreams that die, wherever they are just then.
@Suite struct UpstreamLossRowTests {
  /// Requests that are in flight when it happens.
  static let inFlight = 20

  @Test(arguments: Way.to(UpstreamKind.connections, others: [.tcp]), ["die", "half"])
  func `all that is in flight when an upstream dies is lost, and none of it is ever sent again`(
    way: Way, method: String
  ) throws {
    let scene = try UpstreamScene(way)
    for life in 0..<(way.transport == .lines ? 3 : 1) {
      let ids = (1...Self.inFlight).map { life * 100 + $0 }
      for id in ids { try scene.ask(id, "hang", key: UpstreamScene.key("k\(id % 5)"), policy: "concurrent") }
      try scene.ask(life * 100 + 99, method)
      let lost = try scene.client.replies(Self.inFlight + 1)
      #expect(lost.map(\.id) == ids + [life * 100 + 99])
      for reply in lost {
        #expect(
          reply.code == -32084 && reply.phase == "running" && reply.upstream == "mayHaveCompleted",
          "\(reply)")
      }
      try scene.bringUpstreamBack()
      try scene.expectServed(life * 100)
    }
    #expect(try scene.client.isInStep())
    try scene.expectNothingRepeated()
    #expect(scene.stop() == 0)
  }

  @Test(arguments: Way.to(UpstreamKind.connections, others: [.tcp]))
  func `what waits behind a task that died with its upstream goes on`(way: Way) throws {
    let scene = try UpstreamScene(way)
    try scene.ask(1, "die", key: "k", policy: "wait")
    // POSTs come by connections of their own: with several loops the second may overtake the first.
    if way.transport == .post, RunningGateway.loops > 1 {
      try scene.record.wait { $0.id(ofMarker: 1) != nil }
    }
    try scene.ask(2, "echo", key: "k", policy: "wait")
    #expect(try scene.client.reply().upstream == "mayHaveCompleted")
    try scene.bringUpstreamBack()
    #expect(try scene.client.reply() == Reply(#"{"jsonrpc":"2.0","id":2,"result":{"marker":2}}"#))
    try scene.expectNothingRepeated()
  }

  @Test(arguments: Way.to(UpstreamKind.connections, others: [.tcp]))
  func `what was superseded when its upstream died is neither answered again nor cancelled elsewhere`(
    way: Way
  ) throws {
    let scene = try UpstreamScene(way)
    try scene.ask(1, "hang", key: UpstreamScene.key("k"), policy: "cancel")
    try scene.record.wait { $0.id(ofMarker: 1) != nil }
    try scene.ask(2, "hang", key: UpstreamScene.key("k"), policy: "cancel")
    #expect(try scene.client.reply().code == -32080)
    try scene.ask(3, "die")
    let lost = try scene.client.replies(2)
    #expect(lost.map(\.id) == [2, 3] && lost.allSatisfy { $0.code == -32084 })
    try scene.bringUpstreamBack()
    try scene.ask(4, "echo", key: UpstreamScene.key("k"), policy: "cancelAndWait")
    #expect(try scene.client.reply().id == 4)
    #expect(try scene.client.isInStep())
    let heard = try scene.record.heard()
    #expect(heard.cancels == [heard.id(ofMarker: 1)])
    try scene.expectNothingRepeated()
  }

  @Test(arguments: Way.to([.ownTCP, .ownExec], others: [.ownTCP], but: [.post: .ownUpstream]))
  func `a client whose own upstream is lost hears so and is disconnected, and others are unharmed`(
    way: Way
  ) throws {
    let scene = try UpstreamScene(way)
    let other = try scene.newClient()
    try scene.ask(1, "echo", from: other)
    #expect(try other.reply().code == nil)
    for id in 2...5 { try scene.ask(id, "hang") }
    if way.kind.isChild {
      try scene.ask(6, "half")
    } else {
      try scene.ask(6, "garbage", #""text":"no JSON""#)
    }
    let lost = try scene.client.replies(5)
    #expect(lost.map(\.id) == [2, 3, 4, 5, 6])
    #expect(lost.allSatisfy { $0.code == -32084 && $0.upstream == "mayHaveCompleted" }, "\(lost)")
    #expect(try scene.client.receive() == nil)
    try scene.ask(7, "echo", from: other)
    #expect(try other.reply().code == nil)
    #expect(try other.isInStep())
    try scene.expectServed(8)
    let heard = try scene.record.heard()
    let others = heard.filter { [1, 7].contains($0.marker) }
    #expect(Set(others.map { "\($0.process) \($0.connection)" }).count == 1)
    try scene.expectNothingRepeated()
    other.finish()
    #expect(scene.stop() == 0)
  }
}
