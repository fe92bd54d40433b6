import Foundation
import TestSupport
import Testing

/// What succeeded although nobody wanted it any more is undone, over every kind of upstream.
@Suite struct UpstreamUndoingRowTests {
  static let kinds: [UpstreamKind] = [.tcp, .execFrames, .ownTCP, .http, .hardTCP, .hardExec]

  private static func scene(
    _ way: Way, _ route: String = "", environment: [String: String] = [:]
  ) throws -> UpstreamScene {
    let text = """
      [[route]]
      method = "session.join"
      key = "/room"
      compensate = "session.leave"
      \(route)
      """
    let scene = try UpstreamScene(way, more: text, environment: environment)
    // A child may take its time to begin.
    try scene.expectServed(1000)
    return scene
  }

  private func join(
    _ id: Int, milliseconds: Int, leaving: Int = 0, task: String = "", in scene: UpstreamScene
  ) throws {
    let params = #"{"marker":\#(id),"ms":\#(milliseconds),"leaveMs":\#(leaving),"room":"a"}"#
    try scene.client.send(
      #"{"jsonrpc":"2.0","id":\#(id),"method":"session.join","params":\#(params),"task":{\#(task)}}"#)
  }

  @Test(arguments: Way.to(kinds, others: [.tcp]))
  func `a join that is superseded and succeeds is left once, and the next one waits for that`(
    way: Way
  ) throws {
    let scene = try Self.scene(way)
    try join(1, milliseconds: 200, leaving: 200, in: scene)
    try scene.record.wait { $0.id(ofMarker: 1) != nil }
    try join(2, milliseconds: 0, in: scene)
    let superseded = try scene.client.reply()
    #expect(superseded.id == 1 && superseded.code == -32080, "\(superseded)")
    let told = UpstreamKind.exchanges.contains(way.kind) ? "mayHaveCompleted" : "cancelSent"
    #expect(superseded.upstream == told)
    let joined = try scene.client.reply()
    #expect(joined.id == 2 && joined.code == nil, "\(joined)")
    #expect(try scene.client.isInStep())
    #expect(try scene.record.sessions() == ["join 1", "leave 1", "left 1", "join 2"])
    try scene.expectUndone(1)
    #expect(try scene.record.aborted() == [])
    try scene.expectServed(3)
    #expect(scene.stop() == 0)
  }

  @Test(arguments: Way.to(kinds, others: [.tcp]))
  func `a join that is cancelled or too late is left, too, and one that is queued never happened`(
    way: Way
  ) throws {
    let scene = try Self.scene(way, #"policy = "wait""#)
    try join(1, milliseconds: 400, task: #""timeoutMs":200"#, in: scene)
    try join(2, milliseconds: 400, in: scene)
    try join(3, milliseconds: 0, in: scene)
    try join(4, milliseconds: 0, in: scene)
    let late = try scene.client.reply()
    #expect(late.id == 1 && late.code == -32083, "\(late)")
    try scene.record.wait { $0.id(ofMarker: 2) != nil }
    for id in 2...3 {
      try scene.client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(id)}}"#)
    }
    #expect(try scene.client.replies(2).map(\.code) == [-32800, -32800])
    let joined = try scene.client.reply()
    #expect(joined.id == 4 && joined.code == nil, "\(joined)")
    #expect(
      try scene.record.sessions()
        == ["join 1", "leave 1", "left 1", "join 2", "leave 2", "left 2", "join 4"])
    for id in 1...2 { try scene.expectUndone(id) }
  }

  @Test(arguments: Way.to([.tcp, .execFrames], others: [.tcp]))
  func `an upstream that dies with a join, or before it has left, is not told to leave again`(
    way: Way
  ) throws {
    // What dies is the upstream of the loop that has the room.
    let scene = try Self.scene(way, environment: RunningGateway.oneLoop)
    try join(1, milliseconds: 60_000, in: scene)
    try scene.record.wait { $0.id(ofMarker: 1) != nil }
    try join(2, milliseconds: 100, leaving: 60_000, in: scene)
    #expect(try scene.client.reply().code == -32080)
    try scene.ask(11, "die")
    #expect(try scene.client.reply().id == 11)
    try scene.bringUpstreamBack()
    // Nothing is known of the first; the second is superseded in its turn, and its undoing lost.
    try scene.record.wait { $0.id(ofMarker: 2) != nil }
    try join(3, milliseconds: 0, in: scene)
    #expect(try scene.client.reply().code == -32080)
    try expectEventually("the second is left") { try scene.record.sessions().contains("leave 2") }
    try scene.ask(12, "die")
    #expect(try scene.client.reply().id == 12)
    try scene.bringUpstreamBack()
    let joined = try scene.client.reply()
    #expect(joined.id == 3 && joined.code == nil, "\(joined)")
    #expect(try scene.record.sessions() == ["join 1", "join 2", "leave 2", "join 3"])
    try scene.expectNothingRepeated()
  }

  @Test(arguments: Way.to([.tcp, .exec, .http], others: [.tcp]))
  func `a gateway that is told to stop undoes what there is to undo before it ends`(way: Way) throws {
    let scene = try Self.scene(way)
    try join(1, milliseconds: 200, leaving: 200, in: scene)
    try scene.record.wait { $0.id(ofMarker: 1) != nil }
    try scene.client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#)
    #expect(try scene.client.reply().code == -32800)
    #expect(scene.stop() == 0)
    #expect(try scene.record.sessions() == ["join 1", "leave 1", "left 1"])
  }
}

extension UpstreamScene {
  /// The undoing of a request was told what had been asked and what came of it.
  fileprivate func expectUndone(_ marker: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let undoings = try record.heard().filter { heard in
      heard.method == "session.leave"
        && (heard.params["params"] as? [String: Any])?["marker"] as? Int == marker
    }
    #expect(undoings.count == 1, sourceLocation: sourceLocation)
    let result = undoings.first?.params["result"] as? [String: Any]
    #expect(result?["marker"] as? Int == marker, sourceLocation: sourceLocation)
  }
}
