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

  /// Whether something is still to be told. `#expect` cannot look at a property of what cannot be copied.
  private func isTold(_ bench: borrowing Bench) -> Bool { bench.core.hasRefusedNotifications }

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
    #expect(!isTold(bench))
    bench.send(notification(#"text\u0044idChange"#) + notification("other"), from: clients[0])
    bench.send(notification("third"), from: clients[1])
    #expect(bench.core.counters.notificationsLost == 3)
    let told = bench.core.takeRefusedNotifications()
    #expect(told.map(\.method) == ["textDidChange", "third"])
    #expect(told.allSatisfy { $0.reason == "too many tasks of this connection" })
    #expect(!isTold(bench))
    bench.send(notification("again"), from: clients[0])
    #expect(bench.core.counters.notificationsLost == 4 && !isTold(bench))
    #expect(bench.heard(clients[0]).isEmpty && bench.heard(clients[1]).isEmpty)
  }

  @Test func `one that finds room is none of them`() {
    var bench = bench()
    let clients = connect(&bench, 1)
    bench.answer(result("1", "0") + "\n")
    _ = bench.sent()
    bench.send(notification("m"), from: clients[0])
    #expect(bench.core.counters.notificationsLost == 0 && !isTold(bench))
  }

  @Test func `of many connections in one turn not all are told`() {
    var bench = bench()
    let clients = connect(&bench, 20)
    for client in clients { bench.send(notification("m"), from: client) }
    #expect(bench.core.counters.notificationsLost == 20)
    let told = bench.core.takeRefusedNotifications()
    #expect(told.count == 16)
  }
}
