import Foundation
import TestSupport
import Testing

/// A gateway before another one, with the recording upstream behind both.
@Suite struct SeriesTests {
  private static let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  let upstream: UpstreamScene
  let outer: RunningGateway
  let client: LineSocket

  init() throws {
    // A gateway that has gone wants no answers, and its kernel says no more than that it sends nothing.
    upstream = try UpstreamScene(.tcp, listen: #"eof = "cancel""#, upstream: "passTask = true")
    let text = """
      [[listen]]
      address = "127.0.0.1:0"
      [[upstream]]
      name = "inner"
      address = "tcp:\(upstream.gateway.address)"
      passTask = true
      """
    outer = try RunningGateway(configured: text, in: upstream.directory)
    client = try outer.connect()
  }

  /// Upstream has been told to give up these requests, each once and no others.
  private func expectCancelled(_ markers: Int..., sourceLocation: SourceLocation = #_sourceLocation) throws {
    try upstream.record.wait { $0.cancels.count >= markers.count }
    try upstream.ask(1000, "echo", from: client)
    #expect(try client.reply().id == 1000, sourceLocation: sourceLocation)
    let heard = try upstream.record.heard()
    #expect(heard.cancels == markers.map { heard.id(ofMarker: $0)! }, sourceLocation: sourceLocation)
    try upstream.expectNothingRepeated(sourceLocation: sourceLocation)
  }

  @Test func `a cancel crosses both`() throws {
    try upstream.ask(1, "hang", from: client)
    try upstream.record.wait { $0.id(ofMarker: 1) != nil }
    try client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#)
    let reply = try client.reply()
    #expect(reply.code == -32800 && reply.upstream == "cancelSent")
    try expectCancelled(1)
  }

  @Test func `what is superseded before the first is cancelled behind the second`() throws {
    for id in 1...5 {
      try upstream.ask(
        id, id < 5 ? "sleep" : "echo", #""ms":60000"#, key: "k", policy: "cancel", from: client)
      try upstream.record.wait { $0.id(ofMarker: id) != nil }
    }
    let replies = try client.replies(5)
    #expect(replies.dropLast().allSatisfy { $0.code == -32080 && $0.upstream == "cancelSent" })
    #expect(replies[4].code == nil)
    try expectCancelled(1, 2, 3, 4)
    #expect(try client.isInStep())
  }

  @Test func `the first one's deadline is the second one's, and upstream is cancelled once`() throws {
    try upstream.ask(1, "hang", key: "k", task: #","timeoutMs":500"#, from: client)
    let reply = try client.reply()
    #expect(reply.id == 1 && reply.code == -32083, "\(reply)")
    try expectCancelled(1)
    let told = try #require(upstream.record.heard().first { $0.marker == 1 }?.task?["timeoutMs"] as? Int)
    #expect((1...500).contains(told))
    #expect(try client.isInStep())
  }

  @Test func `a trace goes all the way, and of the rest of the task nothing`() throws {
    let task = #","timeoutMs":5000,"group":"g","traceparent":"\#(Self.traceparent)""#
    try upstream.ask(1, "echo", key: "k", policy: "wait", task: task, from: client)
    #expect(try client.reply().id == 1)
    try upstream.ask(2, "echo", from: client)
    #expect(try client.reply().id == 2)
    let tasks = try upstream.record.heard().map { $0.task ?? [:] }
    #expect(tasks[0]["traceparent"] as? String == Self.traceparent)
    #expect(Set(tasks[0].keys) == ["timeoutMs", "traceparent"])
    #expect(Set(tasks[1].keys) == ["timeoutMs"])
  }

  @Test func `a first one that is killed takes its requests with it, and the second cancels each once`()
    throws
  {
    for id in 1...3 { try upstream.ask(id, "hang", from: client) }
    try upstream.record.wait { $0.count == 3 }
    outer.program.kill()
    let heard = try upstream.record.wait { $0.cancels.count == 3 }
    #expect(heard.cancels.sorted() == heard.compactMap(\.id).sorted())
    try upstream.expectServed(4)
  }

  @Test func `a second one that is killed loses what it had, and nothing is sent again`() throws {
    for id in 1...3 { try upstream.ask(id, "hang", from: client) }
    try upstream.record.wait { $0.count == 3 }
    upstream.gateway.program.kill()
    let replies = try client.replies(3)
    #expect(replies.allSatisfy { $0.code == -32084 && $0.upstream == "mayHaveCompleted" }, "\(replies)")
    #expect(try client.isInStep())
    try upstream.expectNothingRepeated()
  }

  @Test func `under load each request gets one reply, and is sent once at most`() throws {
    let load = ChaosLoad(on: outer, seed: ChaosTests.seed, mayBeCutOff: false)
    #expect(load.progress.wait(forReplies: 2_000))
    let (faults, counts) = load.end()
    #expect(faults == [])
    #expect(counts["result", default: 0] > 0 && counts["-32080", default: 0] > 0, "\(counts)")
    #expect(counts["-32084"] == nil, "\(counts)")
    try upstream.expectNothingRepeated()
    #expect(outer.stop() == 0 && upstream.gateway.stop() == 0)
  }

  @Test func `over HTTP the time that is left and the trace are headers`() throws {
    let scene = try UpstreamScene(.http, upstream: #"deadlineHeader = "X-Timeout-Ms""#)
    let task = #","timeoutMs":5000,"traceparent":"\#(Self.traceparent)""#
    try scene.ask(1, "echo", key: "k", task: task)
    try scene.ask(2, "echo")
    #expect(try scene.client.replies(2).allSatisfy { $0.code == nil })
    let heard = try scene.record.heard().sorted { $0.marker! < $1.marker! }
    #expect(heard.map { $0.headers["traceparent"] } == [Self.traceparent, nil])
    let times = heard.compactMap { $0.headers["x-timeout-ms"].flatMap { Int($0) } }
    #expect(times.count == 2 && (1...5_000).contains(times[0]) && (5_001...60_000).contains(times[1]))
    #expect(heard.allSatisfy { $0.task == nil })
  }
}
