import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// A notification that is refused at a bound is told of, as nobody is answered.
@Suite struct LostNotificationTests {
  private func notification(_ method: String) -> String {
    #"{"jsonrpc":"2.0","method":"\#(method)"}"# + "\n"
  }

  private func bench() -> Bench { Bench.ofOwnUpstreams { $0.tasksPerConnection = 1 } }

  /// The methods that are told of since the last time.
  private func told(_ bench: inout Bench) -> [String] {
    bench.core.hasRefusedNotifications ? bench.core.takeRefusedNotifications().map(\.method) : []
  }

  /// Clients with room for one task, which a request has taken.
  private func connect(_ bench: inout Bench, _ clientCount: Int) -> [ClientID] {
    var clients: [ClientID] = []
    for _ in 0..<clientCount {
      let client = bench.connect()
      bench.send(line("1"), from: client)
      clients.append(client)
    }
    bench.connectUpstreams()
    return clients
  }

  @Test func `each is counted, and the first of a connection is told with its method`() {
    var bench = bench()
    let clients = connect(&bench, 2)
    #expect(told(&bench).isEmpty)
    bench.send(notification(#"text\u0044idChange"#) + notification("other"), from: clients[0])
    bench.send(notification("third"), from: clients[1])
    #expect(bench.core.counters.notificationsLost == 3)
    let refused = bench.core.takeRefusedNotifications()
    #expect(refused.map(\.method) == ["textDidChange", "third"])
    #expect(refused.allSatisfy { $0.reason == "too many tasks of this connection" })
    bench.send(notification("again"), from: clients[0])
    #expect(bench.core.counters.notificationsLost == 4)
    #expect(told(&bench).isEmpty)
    #expect(bench.heard(clients[0]).isEmpty)
    #expect(bench.heard(clients[1]).isEmpty)
  }

  @Test func `who comes in the place of another connection is told, too`() {
    var bench = bench()
    let first = connect(&bench, 1)[0]
    bench.send(notification("m"), from: first)
    #expect(told(&bench) == ["m"])
    bench.core.clientDisconnected(first)
    let second = connect(&bench, 1)[0]
    #expect(second.slot == first.slot)
    bench.send(notification("n"), from: second)
    #expect(told(&bench) == ["n"])
  }

  @Test func `one that finds room is none of them`() {
    var bench = bench()
    let clients = connect(&bench, 1)
    bench.answer(result("1", "0") + "\n")
    _ = bench.sent()
    bench.send(notification("m"), from: clients[0])
    #expect(bench.core.counters.notificationsLost == 0)
    #expect(told(&bench).isEmpty)
  }

  @Test func `of many connections in one turn not all are told, but those that go on are later`() {
    var bench = bench()
    let clients = connect(&bench, 20)
    for client in clients { bench.send(notification("m"), from: client) }
    #expect(bench.core.counters.notificationsLost == 20)
    #expect(told(&bench).count == 16)
    for client in clients { bench.send(notification("n"), from: client) }
    #expect(told(&bench) == ["n", "n", "n", "n"])
  }
}
