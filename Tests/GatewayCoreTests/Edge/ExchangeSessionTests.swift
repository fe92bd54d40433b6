import GatewayCore
import TaskStore
import Testing

/// POSTs that name the same session share keys of scope `connection`, groups and ids, as long as one of them is there.
@Suite struct ExchangeSessionTests {
  private func post(_ bench: inout Bench, _ session: String?, listener: Int = 0) throws -> ClientID {
    let connected = bench.core.clientConnected(listener: listener, as: .exchange)
    let client = try #require(connected)
    if let session { bench.core.name(client, session: Array(session.utf8)) }
    return client
  }

  private func request(_ id: Int, _ task: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"m","task":{\#(task)}}"# + "\n"
  }

  @Test func `a key of scope connection is that of all POSTs of a session, and of no other`() throws {
    var bench = Bench()
    let task = #""key":"k","scope":"connection""#
    let first = try post(&bench, "one")
    let (same, other, alone) = (try post(&bench, "one"), try post(&bench, "two"), try post(&bench, nil))
    bench.send(request(1, task), from: first)
    bench.send(request(2, task), from: other)
    bench.send(request(3, task), from: alone)
    #expect(bench.heard(first) == [])
    bench.send(request(4, task), from: same)
    #expect(bench.heard(first).count == 1 && bench.heard(other) == [] && bench.heard(alone) == [])
  }

  @Test func `ids are those of the session, the newest first`() throws {
    var bench = Bench()
    let (first, second) = (try post(&bench, "one"), try post(&bench, "one"))
    bench.send(request(7, ""), from: first)
    bench.send(request(7, ""), from: second)
    let cancel = #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}"# + "\n"
    let stranger = try post(&bench, "two")
    bench.send(cancel, from: stranger)
    #expect(bench.heard(second) == [])
    let third = try post(&bench, "one")
    bench.send(cancel, from: third)
    #expect(bench.heard(second).count == 1 && bench.heard(first) == [])
    bench.send(cancel, from: third)
    #expect(bench.heard(first).count == 1)
  }

  @Test func `a session ends with the last of its POSTs`() throws {
    var bench = Bench()
    let first = try post(&bench, "one")
    let number = bench.core.number(of: first)
    let second = try post(&bench, "one")
    #expect(bench.core.number(of: second) == number)
    bench.core.clientDisconnected(first)
    let third = try post(&bench, "one")
    #expect(bench.core.number(of: third) == number)
    bench.core.clientDisconnected(second)
    bench.core.clientDisconnected(third)
    let later = try post(&bench, "one")
    #expect(bench.core.number(of: later) != number)
  }

  @Test func `the same name at another listener is another session`() throws {
    var bench = Bench()
    let (here, there) = (try post(&bench, "one"), try post(&bench, "one", listener: 1))
    #expect(bench.core.number(of: here) != bench.core.number(of: there))
  }
}
