import TestSupport
import Testing

/// Upstreams that take each request as an exchange of its own, and what becomes of it.
@Suite struct UpstreamExchangeRowTests {
  @Test(arguments: Way.to(UpstreamKind.exchanges, others: [.http]))
  func `an exchange whose upstream dies is lost, and is never begun again`(way: Way) throws {
    let scene = try UpstreamScene(way)
    for life in 0..<(way.transport == .lines ? 2 : 1) {
      let ids = (1...5).map { life * 10 + $0 }
      // One that dies takes the others with it, if they are the same process.
      for id in ids.dropLast() { try scene.ask(id, way.kind.isChild ? "half" : "hang") }
      try scene.record.wait { heard in ids.dropLast().allSatisfy { heard.id(ofMarker: $0) != nil } }
      try scene.ask(ids.last!, "half")
      let lost = try scene.client.replies(ids.count)
      #expect(lost.map(\.id) == ids)
      for reply in lost {
        #expect(reply.code == -32084 && reply.upstream == "mayHaveCompleted", "\(reply)")
      }
      try scene.bringUpstreamBack()
      try scene.expectServed(life * 10)
    }
    #expect(try scene.client.isInStep())
    try scene.expectNothingRepeated()
    #expect(scene.stop() == 0)
  }

  @Test(arguments: Way.to(UpstreamKind.exchanges, others: [.http]))
  func `a wrong, oversized or garbled answer fails its own exchange only`(way: Way) throws {
    let limitBytes = 1024 * 1024
    let scene = try UpstreamScene(way, bounds: UpstreamScene.longTimeouts + "\nmessageBytes = \(limitBytes)")
    try scene.ask(1, "sleep", #""ms":\#(way.transport == .lines ? 1500 : 500)"#)
    let wrong = [
      // It names its request: what names none a child may print besides.
      ("garbage", #""text":"{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":""#),
      ("big", #""bytes":\#(2 * limitBytes)"#),
      ("garbage", #""text":"{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":1,\"error\":{}}""#),
    ]
    for (index, (method, options)) in wrong.enumerated() { try scene.ask(index + 2, method, options) }
    let replies = try scene.client.replies(1 + wrong.count)
    #expect(replies[0].code == nil, "\(replies[0])")
    for reply in replies.dropFirst() {
      #expect(reply.code == -32084 && reply.upstream == "mayHaveCompleted", "\(reply)")
    }
    #expect(try scene.client.isInStep())
    try scene.expectNothingRepeated()
  }

  @Test(arguments: Way.to(UpstreamKind.exchanges, others: [.http]))
  func `what hangs or is superseded ends with its exchange, and upstream sees that end`(way: Way)
    throws
  {
    let scene = try UpstreamScene(way)
    try scene.ask(1, "hang", key: "k", policy: "cancel", task: #","timeoutMs":20000"#)
    try scene.record.wait { $0.count == 1 }
    // A child has to have begun by then, or nobody knows that it was there.
    let milliseconds = way.kind == .hardExec ? 3000 : 1000
    try scene.ask(2, "hang", key: "k", policy: "cancel", task: #","timeoutMs":\#(milliseconds)"#)
    let superseded = try scene.client.reply()
    // Whether a server stops when its transfer is aborted nobody can know.
    let word = way.kind == .http ? "mayHaveCompleted" : "cancelSent"
    #expect(superseded.id == 1 && superseded.code == -32080 && superseded.upstream == word)
    let late = try scene.client.reply()
    #expect(late.id == 2 && late.code == -32083, "\(late)")
    try scene.ask(3, "echo", key: "k", policy: "cancelAndWait")
    #expect(try scene.client.reply().id == 3)
    #expect(try scene.client.isInStep())
    try expectEventually("each exchange has ended") { try scene.areExchangesOver(3, aborted: 2) }
    #expect(try scene.record.heard().cancels == [])
    try scene.expectNothingRepeated()
  }

  @Test(arguments: Way.to(UpstreamKind.exchanges, others: [.http]))
  func `a notification is an exchange that nothing is heard of`(way: Way) throws {
    let scene = try UpstreamScene(way)
    try scene.client.send(#"{"jsonrpc":"2.0","method":"echo","params":{"marker":1}}"#)
    try scene.record.wait { $0.contains { $0.marker == 1 && $0.id == nil } }
    try scene.expectServed(2)
    #expect(try scene.client.isInStep())
    try expectEventually("each exchange has ended") { try scene.areExchangesOver(2, aborted: 0) }
  }
}

extension UpstreamScene {
  /// Whether upstream has seen the ends of so many exchanges.
  /// - Parameter aborted: those of them that came to no answer; over HTTP the others leave their connection open.
  func areExchangesOver(_ count: Int, aborted: Int) throws -> Bool {
    if kind == .http { return try record.aborted().count == aborted }
    guard kind.isChild else { return try record.closed() == count }
    let children = try record.processes()
    return children.count == count && !children.contains(where: isRunning)
  }
}
