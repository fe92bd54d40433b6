import GatewayCore
import Testing

/// Clients that are waited for in vain.
@Suite struct TimeoutTests {
  private func isClosed(_ bench: inout Bench, _ client: ClientID) -> Bool {
    bench.core.flush(into: &bench.sink)
    return bench.sink.closed.contains(client.slot)
  }

  @Test func `a connection that sends nothing is closed after a minute`() {
    var bench = Bench()
    let client = bench.connect()
    bench.timePasses(59_999)
    #expect(!isClosed(&bench, client) && bench.core.nextDueMilliseconds == 1_000 + 60_000)
    bench.timePasses(1)
    #expect(isClosed(&bench, client))
    #expect(bench.core.counters.clientsGivenUp == 1 && bench.core.leftovers == [])
  }

  @Test func `white space is not a first byte`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send("\n", from: client)
    bench.timePasses(60_000)
    #expect(isClosed(&bench, client))
  }

  @Test func `a connection between messages may idle`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1", "lastword.ping"), from: client)
    bench.timePasses(10_000_000)
    #expect(!isClosed(&bench, client))
  }

  @Test(arguments: [#"{"jsonrpc"#, "Content-Length: 20\r\n\r\n{"])
  func `half a message closes the connection after ten seconds`(half: String) {
    var bench = Bench()
    let client = bench.connect()
    bench.send(half, from: client)
    bench.timePasses(9_999)
    #expect(!isClosed(&bench, client))
    bench.timePasses(1)
    #expect(isClosed(&bench, client))
  }

  @Test func `a byte now and then does not put that off`() {
    var bench = Bench()
    let client = bench.connect()
    for _ in 0..<10 {
      #expect(!isClosed(&bench, client))
      bench.send("[", from: client)
      bench.timePasses(1_000)
    }
    #expect(isClosed(&bench, client))
  }

  @Test func `a reply that is read in the middle of a message does not put that off either`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1") + "{", from: client)
    bench.timePasses(6_000)
    bench.answer(result("1", "0") + "\n")
    #expect(bench.heard(client).count == 1)
    bench.timePasses(4_000)
    #expect(isClosed(&bench, client))
  }

  @Test func `each message has its own ten seconds`() {
    var bench = Bench()
    let client = bench.connect()
    for _ in 0..<10 {
      bench.send("{", from: client)
      bench.timePasses(6_000)
      bench.send("}\n{", from: client)
      bench.timePasses(6_000)
      bench.send("}\n", from: client)
    }
    #expect(!isClosed(&bench, client))
  }

  @Test(arguments: ["{\(String(repeating: "x", count: 200))", "Content-Length: 200\r\n\r\n{"])
  func `a message gets its own time although one over the limit came before it`(long: String) {
    var configuration = GatewayConfiguration()
    configuration.messageLimitBytes = 100
    var bench = Bench(configuration)
    let client = bench.connect()
    bench.send(long, from: client)
    bench.timePasses(9_000)
    bench.send(String(repeating: "x", count: 199) + (long.hasPrefix("{") ? "\n{" : "Con"), from: client)
    bench.timePasses(9_999)
    #expect(!isClosed(&bench, client))
    bench.timePasses(1)
    #expect(isClosed(&bench, client))
  }

  @Test func `whoever has waited longest is closed first`() {
    var bench = Bench()
    let first = bench.connect()
    bench.timePasses(1_000)
    let second = bench.connect()
    bench.send("{", from: second)
    bench.timePasses(10_000)
    #expect(isClosed(&bench, second) && !isClosed(&bench, first))
    bench.timePasses(49_000)
    #expect(isClosed(&bench, first))
  }

  @Test func `an idle connection can be closed, unless an answer is still to come`() {
    var configuration = GatewayConfiguration()
    configuration.idleMilliseconds = 500
    var bench = Bench(configuration)
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.timePasses(2_000)
    #expect(!isClosed(&bench, client))
    bench.answer(result("1", "0") + "\n")
    bench.timePasses(499)
    #expect(!isClosed(&bench, client))
    bench.timePasses(1)
    #expect(isClosed(&bench, client))
  }

  @Test func `a client that stops reading is closed when it has taken nothing for a minute`() {
    var configuration = GatewayConfiguration()
    configuration.clientOutputSoftBytes = 100
    var bench = Bench(configuration)
    let client = bench.connect()
    bench.sink.clientRoom = 0
    for id in 1...4 { bench.send(line("\(id)", "lastword.ping"), from: client) }
    #expect(!isClosed(&bench, client) && bench.sink.paused == [client.slot])
    bench.timePasses(50_000)
    bench.sink.clientRoom = 10
    bench.core.clientBecameWritable(client)
    #expect(!isClosed(&bench, client))
    bench.timePasses(59_999)
    #expect(!isClosed(&bench, client))
    bench.timePasses(1)
    #expect(isClosed(&bench, client))
  }

  @Test func `a limit of 0 is none`() {
    var configuration = GatewayConfiguration()
    configuration.firstByteMilliseconds = 0
    configuration.messageMilliseconds = 0
    var bench = Bench(configuration)
    let (silent, slow) = (bench.connect(), bench.connect())
    bench.send("{", from: slow)
    bench.timePasses(1_000_000)
    #expect(!isClosed(&bench, silent) && !isClosed(&bench, slow))
  }
}
