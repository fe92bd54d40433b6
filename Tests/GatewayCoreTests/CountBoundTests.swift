import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// What all messages together may cost, and how long things may take: exactly at the bound it is served, one more is
/// refused, and the next one is served.
@Suite struct CountBoundTests {
  private let waiting = #"{"key":"k","policy":"wait"}"#

  private func refusals(_ heard: [String], saying words: String) -> Int {
    heard.count { $0.contains(#""code":-32082,"message":"\#(words)""#) && $0.contains("notSent") }
  }

  @Test func `the defaults are those of the contract`() {
    let configuration = GatewayConfiguration()
    #expect(configuration.messageLimitBytes == 4 << 20)
    #expect(configuration.scan == ScanLimits(nestingLevels: 128, idBytes: 128, methodBytes: 256))
    #expect(configuration.keyBytes == 512 && configuration.groupBytes == 512)
    #expect(configuration.batchItems == 1_000 && configuration.batchReplyBytes == 16 << 20)
    #expect(configuration.unansweredPerConnection == 10_000 && configuration.connections == 10_000)
    #expect(configuration.store.tasks == 100_000 && configuration.store.queuePerLane == 64)
    #expect(configuration.store.tasksPerLane == 4_096)
    #expect(configuration.clientOutputSoftBytes == 1 << 20)
    #expect(configuration.clientOutputHardBytes == 64 << 20)
    #expect(configuration.upstreamOutputSoftBytes == 1 << 20)
    #expect(configuration.upstreamOutputHardBytes == 64 << 20)
    #expect(configuration.messageMilliseconds == 10_000 && configuration.firstByteMilliseconds == 60_000)
    #expect(configuration.timeoutMilliseconds == 60_000 && configuration.drainMilliseconds == 5_000)
    #expect(configuration.store.orphanMilliseconds == 60_000 && configuration.connectMilliseconds == 4_000)
  }

  @Test func `tasks are bounded, and a place that comes free is a place`() {
    var configuration = GatewayConfiguration()
    configuration.store.tasks = 2
    var bench = Bench(configuration)
    let (client, other) = (bench.connect(), bench.connect())
    bench.send(line("1"), from: client)
    bench.send(line("2") + line("3"), from: other)
    #expect(bench.asked().count == 2)
    #expect(refusals(bench.heard(other), saying: "too many tasks") == 1)
    bench.answer(result("1", "0") + "\n")
    bench.send(line("4"), from: other)
    #expect(bench.asked().count == 1 && bench.heard(other) == [])
  }

  @Test func `callers are bounded, those included that share an answer`() {
    var configuration = GatewayConfiguration()
    configuration.store.waiters = 2
    var bench = Bench(configuration)
    let client = bench.connect()
    let task = #"{"key":"k","policy":"preferPrevious"}"#
    for id in 1...3 { bench.send(line("\(id)", task: task), from: client) }
    #expect(bench.asked().count == 1)
    #expect(refusals(bench.heard(client), saying: "too many callers") == 1)
    bench.answer(result("1", "0") + "\n")
    bench.send(line("4", task: task), from: client)
    #expect(bench.asked().count == 1 && bench.heard(client).count == 2)
  }

  @Test(arguments: ["preferPrevious", "cancel", "keepLatest"])
  func `so are those of one task, and who would be one more ends nothing`(policy: String) {
    var configuration = GatewayConfiguration()
    configuration.store.callersPerTask = 2
    var bench = Bench(configuration)
    let client = bench.connect()
    let task = #"{"key":"k","policy":"\#(policy)","join":"identical"}"#
    for id in 1...3 { bench.send(line("\(id)", task: task), from: client) }
    #expect(bench.asked().count == 1)
    #expect(refusals(bench.heard(client), saying: "too many callers of one task") == 1)
    bench.send(line("8", "$/cancelRequest", params: #"{"id":2}"#) + line("4", task: task), from: client)
    bench.answer(result("1", "0") + "\n")
    let heard = bench.heard(client)
    #expect(heard.suffix(2) == [result("1", "0"), result("4", "0")] && bench.asked() == [], "\(heard)")
  }

  @Test func `a key's tasks are bounded, and what is refused supersedes nothing`() {
    var configuration = GatewayConfiguration()
    configuration.store.tasksPerLane = 2
    var bench = Bench(configuration)
    let client = bench.connect()
    let concurrent = #"{"key":"k","policy":"concurrent"}"#
    for id in 1...3 { bench.send(line("\(id)", task: concurrent), from: client) }
    #expect(refusals(bench.heard(client), saying: "too many requests of one key") == 1)
    bench.send(line("4", task: #"{"key":"l","policy":"concurrent"}"#), from: client)
    #expect(bench.asked().count == 3)
    bench.answer(result("1", "0") + "\n")
    bench.send(line("5", task: concurrent), from: client)
    #expect(bench.asked().count == 1 && bench.heard(client) == [result("1", "0")])
    // What supersedes all of them makes room for itself.
    bench.send(line("6", task: #"{"key":"k"}"#), from: client)
    let superseded = bench.heard(client)
    #expect(superseded.count == 2 && superseded.allSatisfy { $0.contains("-32080") }, "\(superseded)")
  }

  @Test(arguments: ["preferPrevious", "cancel", "keepLatest"])
  func `callers that share the answer of a key's task count, too, until they leave`(policy: String) {
    var configuration = GatewayConfiguration()
    configuration.store.tasksPerLane = 3
    var bench = Bench(configuration)
    let client = bench.connect()
    let joining = #"{"key":"k","policy":"\#(policy)","join":"identical"}"#
    for id in 1...4 { bench.send(line("\(id)", task: joining), from: client) }
    #expect(refusals(bench.heard(client), saying: "too many requests of one key") == 1)
    bench.send(line("5", "other", task: #"{"key":"k","policy":"concurrent"}"#), from: client)
    #expect(refusals(bench.heard(client), saying: "too many requests of one key") == 1)
    bench.send(line("8", "$/cancelRequest", params: #"{"id":2}"#), from: client)
    bench.send(line("6", task: joining) + line("7", task: joining), from: client)
    #expect(refusals(bench.heard(client), saying: "too many requests of one key") == 1)
    #expect(bench.asked().count == 1)
    bench.answer(result("1", "0") + "\n")
    #expect(bench.heard(client) == ["1", "3", "6"].map { result($0, "0") })
    // What supersedes all of them makes room for itself.
    for id in 10...12 { bench.send(line("\(id)", task: joining), from: client) }
    bench.send(line("13", "other", task: #"{"key":"k"}"#), from: client)
    let superseded = bench.heard(client)
    #expect(superseded.count == 3 && superseded.allSatisfy { $0.contains("-32080") }, "\(superseded)")
  }

  @Test func `who is refused behind a look at many callers pays for that`() {
    var configuration = GatewayConfiguration()
    configuration.unansweredPerConnection = 500
    var bench = Bench(configuration)
    let client = bench.connect()
    for _ in 1...2 {
      let caller = bench.connect()
      for id in 1...500 {
        bench.send(line("\(id)", task: #"{"key":"k","policy":"preferPrevious"}"#), from: caller)
      }
    }
    for id in 1...500 { bench.send(line("\(id)"), from: client) }
    _ = bench.asked()
    // Nothing of its own is there to make room.
    let refused = (501...520).map { line("\($0)", "other", task: #"{"key":"k"}"#) }.joined()
    bench.sendInTurn(refused, from: client)
    #expect(bench.core.nextInTurn == client)
    #expect(refusals(bench.heard(client), saying: "too many unanswered requests on this connection") == 8)
    while bench.core.nextInTurn != nil { bench.core.goOn() }
    #expect(refusals(bench.heard(client), saying: "too many unanswered requests on this connection") == 12)
  }

  @Test func `a key's queue is bounded, and what is refused supersedes nothing`() {
    var configuration = GatewayConfiguration()
    configuration.store.queuePerLane = 1
    var bench = Bench(configuration)
    let client = bench.connect()
    for id in 1...3 { bench.send(line("\(id)", task: waiting), from: client) }
    #expect(refusals(bench.heard(client), saying: "the key's queue is full") == 1)
    #expect(bench.asked().count == 1)
    bench.answer(result("1", "0") + "\n")
    bench.send(line("4", task: waiting), from: client)
    #expect(bench.asked().count == 1 && bench.heard(client) == [result("1", "0")])
  }

  @Test func `at the soft bound of its output a client is read from, above it is not until it has read half`()
  {
    let reply = result("1", "null").utf8.count + 1
    var configuration = GatewayConfiguration()
    configuration.clientOutputSoftBytes = 2 * reply
    var bench = Bench(configuration)
    let client = bench.connect()
    bench.sink.clientRoom = 0
    for isPaused in [false, false, true] {
      bench.send(line("1", "lastword.ping"), from: client)
      #expect(bench.heard(client) == [] && bench.sink.paused.contains(client.slot) == isPaused)
    }
    for (room, isPaused) in [(2 * reply - 1, true), (1, false)] {
      bench.sink.clientRoom = room
      bench.core.clientBecameWritable(client)
      _ = bench.heard(client)
      #expect(bench.sink.paused.contains(client.slot) == isPaused)
    }
    bench.sink.clientRoom = nil
    bench.send(line("1", "lastword.ping"), from: client)
    #expect(bench.heard(client) == [result("1", "null"), result("1", "null")])
  }

  @Test func `at the hard bound of its output a client stays, above it goes, and others are served`() {
    let reply = result("1", "null").utf8.count + 1
    var configuration = GatewayConfiguration()
    configuration.clientOutputHardBytes = 2 * reply
    var bench = Bench(configuration)
    let (client, other) = (bench.connect(), bench.connect())
    bench.sink.clientRoom = 0
    for isClosed in [false, false, true] {
      bench.send(line("1", "lastword.ping"), from: client)
      #expect(bench.heard(client) == [] && bench.sink.closed.contains(client.slot) == isClosed)
    }
    bench.sink.clientRoom = nil
    bench.send(line("1", "lastword.ping"), from: other)
    #expect(bench.heard(other) == [result("1", "null")] && bench.core.leftovers == ["1 clients"])
  }

  /// With as much of a connection's output as `soft` requests, and as `hard`.
  private func benchWithSlowUpstream(soft: Int, hard: Int) -> Bench {
    let request = #"{"jsonrpc":"2.0","id":1,"method":"m"}"#.utf8.count + 1
    var configuration = GatewayConfiguration()
    configuration.upstreamOutputSoftBytes = soft * request
    configuration.upstreamOutputHardBytes = hard * request
    var bench = Bench(configuration)
    bench.sink.upstreamRoom = 0
    return bench
  }

  @Test func `below the soft bound of an upstream's output requests are sent, at it they are held back`() {
    var bench = benchWithSlowUpstream(soft: 2, hard: 100)
    let client = bench.connect()
    for id in 1...3 { bench.send(line("\(id)"), from: client) }
    bench.core.flush(into: &bench.sink)
    #expect(bench.core.counters.sentUpstream == 2)
    bench.sink.upstreamRoom = nil
    #expect(bench.asked().count == 3 && bench.heard(client) == [])
  }

  @Test func `at the hard bound of an upstream's output requests are taken, above it they are refused`() {
    var bench = benchWithSlowUpstream(soft: 100, hard: 2)
    let client = bench.connect()
    for id in 1...4 { bench.send(line("\(id)"), from: client) }
    #expect(refusals(bench.heard(client), saying: "the upstream does not keep up") == 1)
    bench.sink.upstreamRoom = nil
    #expect(bench.asked().count == 3)
    bench.send(line("5"), from: client)
    #expect(bench.asked().count == 1 && bench.heard(client) == [])
  }

  @Test
  func `a request has so long, is waited for so long once nobody wants it, and then is remembered so long`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(
      line("1", task: waiting) + line("2", task: #"{"key":"k","policy":"wait","timeoutMs":600000}"#),
      from: client)
    _ = bench.asked()
    bench.timePasses(59_999)
    #expect(bench.heard(client) == [])
    bench.timePasses(1)
    #expect(bench.heard(client).map { $0.contains(#""code":-32083"#) } == [true])
    #expect(bench.asked().map { $0.contains("$/cancelRequest") } == [true])
    bench.timePasses(4_999)
    #expect(bench.asked() == [])
    bench.timePasses(1)
    #expect(bench.asked().map { $0.contains(#""method":"m""#) } == [true])
    bench.timePasses(59_999)
    #expect(bench.core.taskCount == 2)
    bench.timePasses(1)
    #expect(bench.core.taskCount == 1)
  }
}
