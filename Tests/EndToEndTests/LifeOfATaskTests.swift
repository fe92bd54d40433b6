import Glibc
import TestSupport
import Testing

/// What happens to a task, as its callers and an upstream of the test's own see it.
@Suite struct LifeOfATaskTests {
  let listener: ListeningSocket
  let gateway: RunningGateway
  let upstream: LineSocket
  let client: LineSocket

  init() throws {
    listener = try ListeningSocket()
    gateway = try RunningGateway(
      upstream: listener.address, ["--compensate", "join=leave", "--drain-ms", "60000"])
    upstream = try listener.acceptGateway()
    client = try gateway.connect()
  }

  // MARK: Superseded

  @Test func `superseded while queued: answered at once, never sent`() throws {
    try client.send(request(1, "first", key: "k", policy: "keepLatest"))
    try client.send(request(2, "second", key: "k", policy: "keepLatest"))
    try client.send(request(3, "third", key: "k", policy: "keepLatest"))
    let second = try client.reply()
    #expect(second.id == 2 && second.code == -32080)
    #expect(second.phase == "queued" && second.upstream == "notSent")
    let first = try upstream.asked()
    try upstream.answer(first.id!, "one")
    #expect(try client.reply().result == "one")
    #expect(try upstream.asked().method == "third")
  }

  @Test func `superseded while running: one cancel, and what comes later is dropped`() throws {
    try client.send(request(1, "first", key: "k", policy: "cancelAndWait"))
    let first = try upstream.asked()
    try client.send(request(2, "second", key: "k", policy: "cancelAndWait"))
    let superseded = try client.reply()
    #expect(superseded.id == 1 && superseded.phase == "running" && superseded.upstream == "cancelSent")
    #expect(try upstream.asked().cancelled == first.id)
    try upstream.answer(first.id!, "too late")
    let second = try upstream.asked()
    #expect(second.method == "second")
    try upstream.answer(second.id!, "newest")
    #expect(try client.reply().result == "newest")
    #expect(try client.isInStep())
  }

  // MARK: Callers that leave

  @Test func `a caller that cancels leaves shared work to the others`() throws {
    try client.send(request(1, "m", key: "k", policy: "preferPrevious"))
    try client.send(request(2, "m", key: "k", policy: "preferPrevious"))
    let shared = try upstream.asked()
    try client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#)
    let left = try client.reply()
    #expect(left.id == 1 && left.code == -32800 && left.upstream == "mayHaveCompleted")
    try upstream.answer(shared.id!, "for the other")
    #expect(try client.reply() == Reply(#"{"jsonrpc":"2.0","id":2,"result":"for the other"}"#))
  }

  @Test func `cancelling a waiting task leaves the one it waits for alone`() throws {
    try client.send(request(1, "first", key: "k", policy: "wait"))
    try client.send(request(2, "second", key: "k", policy: "wait"))
    try client.send(request(3, "third", key: "k", policy: "wait"))
    let first = try upstream.asked()
    #expect(
      try client.call(cancel(4, #"{"id":2}"#)).contains(#""id":2,"error":{"code":-32800"#))
    #expect(try client.reply().result == "[\"cancelled\": 1]")
    try upstream.answer(first.id!, "unharmed")
    #expect(try client.reply().result == "unharmed")
    #expect(try upstream.asked().method == "third")
  }

  @Test func `a key can be cancelled by whoever shares it`() throws {
    let other = try gateway.connect()
    try client.send(request(1, "first", key: "k", policy: "wait"))
    try client.send(request(2, "second", key: "k", policy: "wait"))
    let first = try upstream.asked()
    #expect(try other.call(cancel(1, #"{"key":"k"}"#)).contains(#"{"cancelled":2}"#))
    #expect(try client.replies(2).map(\.code) == [-32800, -32800])
    #expect(try upstream.asked().cancelled == first.id)
    #expect(try client.isInStep() && other.isInStep())
  }

  @Test func `a group is cancelled by one call, and no other connection's`() throws {
    let other = try gateway.connect()
    try client.send(request(1, "a", key: "k1", task: #","group":"screen""#))
    try client.send(request(2, "b", key: "k2", task: #","group":"screen""#))
    try other.send(request(1, "c", key: "k3", task: #","group":"screen""#))
    // What several loops ask has no order.
    let asked = try (0..<3).map { _ in try upstream.asked() }.sorted { $0.method < $1.method }
    try client.send(cancel(3, #"{"group":"screen"}"#))
    #expect(try client.replies(3).map(\.code) == [-32800, -32800, nil])
    let cancelled = try [upstream.asked().cancelled, upstream.asked().cancelled]
    let wanted = [asked[0].id, asked[1].id]
    #expect(cancelled == wanted || RunningGateway.loops > 1 && cancelled == wanted.reversed())
    try upstream.answer(asked[2].id!, "untouched")
    #expect(try other.reply().result == "untouched")
  }

  @Test func `what is in a lane can be looked at`() throws {
    try client.send(request(1, "first", key: "k", policy: "wait"))
    try client.send(request(2, "second", key: "k", policy: "wait"))
    _ = try upstream.asked()
    let lane = try client.call(
      #"{"jsonrpc":"2.0","id":3,"method":"lastword.inspect","params":{"key":"k"}}"#)
    // Of several loops each counts in steps of their number.
    #expect(lane.starts(with: /{"jsonrpc":"2.0","id":3,"result":{"count":2,"tasks":\[{"generation":\d,/))
    #expect(RunningGateway.loops > 1 || lane.contains(#"[{"generation":2,"#))
    #expect(lane.contains(#""state":"queued","policy":"wait","method":"second","callers":1,"ageMs":"#))
    #expect(lane.contains(#""state":"running","policy":"wait","method":"first","callers":1,"ageMs":"#))
  }

  // MARK: Endings

  @Test func `a task that fails upstream lets those that wait start`() throws {
    try client.send(request(1, "first", key: "k", policy: "wait"))
    try client.send(request(2, "second", key: "k", policy: "wait"))
    let first = try upstream.asked()
    try upstream.send(#"{"jsonrpc":"2.0","id":\#(first.id!),"error":{"code":7,"message":"no"}}"#)
    #expect(try client.reply().code == 7)
    #expect(try upstream.asked().method == "second")
  }

  @Test func `after its drain grace a cancelled task holds up nobody`() throws {
    try client.send(request(1, "first", key: "k", policy: "cancelAndWait", task: #","drainMs":100"#))
    let first = try upstream.asked()
    try client.send(request(2, "second", key: "k", policy: "cancelAndWait"))
    #expect(try upstream.asked().cancelled == first.id)
    // Upstream never answers the first.
    let second = try upstream.asked()
    #expect(second.method == "second")
    try upstream.answer(second.id!, "went ahead")
    #expect(try client.replies(2).map(\.result) == [nil, "went ahead"])
  }

  @Test func `a lane that only supersedes delivers in the end`() throws {
    let stale = #","maxStaleMs":50"#
    try client.send(request(1, "m1", key: "k", policy: "cancel", task: stale))
    _ = try upstream.asked()
    try client.send(request(2, "m2", key: "k", policy: "cancel", task: stale))
    _ = try upstream.asked()
    let spared = try upstream.asked()
    try upstream.answer(try pause(milliseconds: 100), "the pause is over")
    #expect(try client.replies(2).map(\.id) == [1, 99])
    try client.send(request(3, "m3", key: "k", policy: "cancel", task: stale))
    try client.send(request(4, "m4", key: "k", policy: "cancel", task: stale))
    #expect(try client.reply().phase == "queued")
    try upstream.answer(spared.id!, "at last")
    #expect(try client.reply().result == "at last")
    #expect(try upstream.asked().method == "m4")
  }

  /// Lets time pass in the gateway: a debounced request of another key reaches upstream when it has.
  private func pause(milliseconds: Int) throws -> Int {
    try client.send(request(99, "pause", key: "pause", task: #","debounceMs":\#(milliseconds)"#))
    return try upstream.asked().id!
  }

  @Test func `of a debounced burst only the newest reaches upstream`() throws {
    for id in 1...5 {
      try client.send(request(id, "m\(id)", key: "k", policy: "cancel", task: #","debounceMs":100"#))
    }
    #expect(try client.replies(4).allSatisfy { $0.code == -32080 && $0.upstream == "notSent" })
    let only = try upstream.asked()
    #expect(only.method == "m5")
    try upstream.answer(only.id!, "settled")
    #expect(try client.reply().result == "settled")
  }

  // MARK: Bounds

  @Test func `over the queue's bound a request is refused, supersedes nothing, and a cancel gets through`()
    throws
  {
    for id in 1...66 { try client.send(request(id, "m\(id)", key: "k", policy: "wait")) }
    let refused = try client.reply()
    #expect(refused.id == 66 && refused.code == -32082 && refused.upstream == "notSent")
    try client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":30}}"#)
    #expect(try client.reply().id == 30)
    try client.send(request(67, "m67", key: "k", policy: "wait"))
    #expect(try client.isInStep())
  }

  // MARK: Undoing

  @Test func `what succeeds too late is undone before the newer one starts`() throws {
    try client.send(request(1, "join", #"{"room": 1}"#, key: "room", policy: "cancel"))
    let first = try upstream.asked()
    try client.send(request(2, "join", #"{"room": 2}"#, key: "room", policy: "cancel"))
    #expect(try client.reply().code == -32080)
    #expect(try upstream.asked().cancelled == first.id)
    try upstream.answer(first.id!, "joined 1")
    let undoing = try upstream.expect()
    #expect(undoing.hasSuffix(#""method":"leave","params":{"params":{"room": 1},"result":"joined 1"}}"#))
    let id = try #require(Int(undoing.split(separator: ":")[2].prefix { $0.isNumber }))
    #expect(id != first.id)
    // A second answer to the first is no answer to its undoing.
    try upstream.answer(first.id!, "joined twice")
    try upstream.answer(id, "left")
    let second = try upstream.asked()
    #expect(second.method == "join")
    try upstream.answer(second.id!, "joined 2")
    #expect(try client.reply().result == "joined 2")
    #expect(try client.isInStep())
  }

  @Test func `what fails too late needs no undoing`() throws {
    try client.send(request(1, "join", key: "room", policy: "cancel"))
    let first = try upstream.asked()
    try client.send(request(2, "join", key: "room", policy: "cancel"))
    #expect(try upstream.asked().cancelled == first.id)
    try upstream.send(#"{"jsonrpc":"2.0","id":\#(first.id!),"error":{"code":-32800,"message":"stopped"}}"#)
    #expect(try upstream.asked().method == "join")
  }

  // MARK: Upstream away, gateway stopping

  @Test func `without an upstream a task waits a second and then says that it was not sent`() throws {
    let closed = try ClosedPort()
    defer { withExtendedLifetime(closed) {} }
    let nobody = try RunningGateway(upstream: closed.address, reachesUpstream: false)
    let client = try nobody.connect()
    try client.send(request(1, "m", key: "k", policy: "cancel"))
    let reply = try client.reply()
    #expect(reply.code == -32084 && reply.phase == "queued" && reply.upstream == "notSent")
  }

  @Test func `while it stops, admitted tasks go on, queued ones too, and new ones are refused`() throws {
    try client.send(request(1, "first", key: "k", policy: "wait"))
    try client.send(request(2, "second", key: "k", policy: "wait"))
    let first = try upstream.asked()
    gateway.program.signal(SIGTERM)
    try gateway.awaitLog("draining")
    try client.send(request(3, "third", key: "k", policy: "wait"))
    let refused = try client.reply()
    #expect(refused.id == 3 && refused.code == -32085 && refused.upstream == "notSent")
    try upstream.answer(first.id!, "one")
    try upstream.answer(try upstream.asked().id!, "two")
    #expect(try client.replies(2).map(\.result) == ["one", "two"])
    #expect(gateway.program.exitStatus() == 0)
  }

  private func cancel(_ id: Int, _ params: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"lastword.cancel","params":\#(params)}"#
  }
}
