import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// Bounds as things stand after supersession: the newest request wins at every one of them.
@Suite struct RoomTests {
  private let newest = #"{"key":"k"}"#

  private func bench(connected: Bool = true, _ set: (inout GatewayConfiguration) -> Void) -> Bench {
    var configuration = GatewayConfiguration()
    set(&configuration)
    return Bench(configuration, connected: connected)
  }

  /// What comes of requests of one key, the last of which supersedes all others.
  private func codes(_ heard: [String]) -> [String] {
    heard.map { $0.firstMatch(of: /"id":(\d+),"error":\{"code":(-\d+)/).map { "\($0.1): \($0.2)" } ?? $0 }
  }

  private func sendThree(_ bench: inout Bench) -> [String] {
    let client = bench.connect()
    for id in 1...3 { bench.send(line("\(id)", params: "[1,2,3]", task: newest), from: client) }
    return codes(bench.heard(client))
  }

  private let twoSuperseded = ["1: -32080", "2: -32080"]

  @Test func `who has as many unanswered requests as it may asks anew`() {
    var bench = bench { $0.unansweredPerConnection = 1 }
    #expect(sendThree(&bench) == twoSuperseded)
  }

  @Test func `what was not sent yet is no task any more once it is superseded`() {
    var bench = bench(connected: false) { $0.store.tasks = 1 }
    #expect(sendThree(&bench) == twoSuperseded)
    #expect(bench.core.taskCount == 1)
  }

  @Test func `what drains is still a task`() {
    var bench = bench { $0.store.tasks = 1 }
    #expect(sendThree(&bench) == ["2: -32082", "3: -32082"])
  }

  @Test func `what waits for an upstream makes room for what takes its place`() {
    var bench = bench(connected: false) { $0.waitingPerUpstream = 1 }
    #expect(sendThree(&bench) == twoSuperseded)
  }

  @Test func `what is held back for an upstream makes room for what takes its place`() {
    var bench = bench(connected: false) { $0.upstreamOutputHardBytes = 5 }
    #expect(sendThree(&bench) == twoSuperseded)
  }

  @Test(arguments: [true, false])
  func `what is superseded needs no room for what it asked`(isConnected: Bool) {
    // The method alone is still told of what drains.
    var bench = bench(connected: isConnected) { $0.payloadBytes = #""m"[1,2,3]"#.utf8.count + 6 }
    #expect(sendThree(&bench) == twoSuperseded)
  }

  @Test func `what may have to be undone keeps what it asked`() {
    var bench = bench {
      $0.payloadBytes = #""m"[1,2,3]"#.utf8.count + 6
      var route = Route(method: "m")
      route.compensation = "undo"
      $0.routes = [route]
    }
    #expect(sendThree(&bench) == ["2: -32082", "3: -32082"])
  }

  @Test func `what drains is shown with its method`() {
    var bench = bench { _ in }
    _ = sendThree(&bench)
    let client = bench.connect()
    bench.send(line("9", "lastword.inspect", params: #"{"key":"k"}"#), from: client)
    let heard = bench.heard(client)
    #expect(heard.first?.matches(of: /"method":"m"/).count == 3)
  }

  @Test func `what makes no room is refused, and supersedes nothing`() {
    var bench = bench { $0.unansweredPerConnection = 2 }
    let (client, other) = (bench.connect(), bench.connect())
    bench.send(line("1", task: #"{"key":"a"}"#) + line("2", task: #"{"key":"b"}"#), from: client)
    bench.send(line("7", task: newest), from: other)
    bench.send(line("3", task: newest), from: client)
    #expect(codes(bench.heard(client)) == ["3: -32082"])
    #expect(bench.asked().allSatisfy { !$0.contains("cancelRequest") } && bench.heard(other) == [])
    #expect(bench.core.gauges.lanes == 3)
  }

  @Test func `who joins a task needs no room but for itself`() {
    var bench = bench(connected: false) {
      $0.waitingPerUpstream = 1
      $0.payloadBytes = 3
      $0.store.tasks = 1
    }
    let client = bench.connect()
    let task = #"{"key":"k","policy":"preferPrevious"}"#
    for id in 1...2 { bench.send(line("\(id)", task: task), from: client) }
    #expect(bench.heard(client) == [] && bench.core.liveRequestCount == 2)
  }

  @Test func `a notification is bound by no number of answers`() {
    var bench = bench { $0.unansweredPerConnection = 1 }
    let client = bench.connect()
    bench.send(line("1") + #"{"jsonrpc":"2.0","method":"n"}"# + "\n", from: client)
    #expect(bench.asked().count == 2)
  }
}
