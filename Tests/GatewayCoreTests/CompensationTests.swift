import GatewayCore
import TaskStore
import Testing

/// What succeeded too late is undone upstream.
@Suite struct CompensationTests {
  private func bench(_ adjust: (inout GatewayConfiguration) -> Void = { _ in }) -> Bench {
    var configuration = GatewayConfiguration()
    configuration.routes = [Route(method: "join", compensation: "le\"ave")]
    adjust(&configuration)
    return Bench(configuration)
  }

  /// A join that was sent, superseded by its caller's cancel, and told to stop.
  private func cancelJoin(_ bench: inout Bench, from client: ClientID, params: String? = "[1]") {
    bench.send(line("1", "join", params: params), from: client)
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n", from: client)
    _ = bench.asked()
  }

  @Test func `the undoing names what was asked and what came of it`() {
    var bench = bench()
    cancelJoin(&bench, from: bench.connect())
    bench.answer(result("1", #"{"member": 7}"#) + "\n")
    #expect(
      bench.asked() == [
        #"{"jsonrpc":"2.0","id":131073,"method":"le\"ave","params":{"params":[1],"result":{"member": 7}}}"#
      ])
    #expect(bench.core.counters.compensationsSent == 1)
    bench.answer(result("131073", "null") + "\n")
    #expect(bench.core.counters.compensationsFailed == 0)
    #expect(bench.core.leftovers == ["1 clients"])
  }

  @Test func `a request without params is undone without them`() {
    var bench = bench()
    cancelJoin(&bench, from: bench.connect(), params: nil)
    bench.answer(result("1", "0") + "\n")
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","id":131073,"method":"le\"ave","params":{"result":0}}"#])
  }

  @Test func `methods without such a route are not undone`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", "joins"), from: client)
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n", from: client)
    _ = bench.asked()
    bench.answer(result("1", "0") + "\n")
    #expect(bench.asked() == [])
    #expect(bench.core.counters.droppedLate == 1)
  }

  @Test func `an undoing that upstream refuses has failed`() {
    var bench = bench()
    cancelJoin(&bench, from: bench.connect())
    bench.answer(result("1", "0") + "\n")
    bench.answer(#"{"jsonrpc":"2.0","id":131073,"error":{"code":1,"message":"no"}}"# + "\n")
    #expect(bench.core.counters.compensationsFailed == 1)
    #expect(bench.core.leftovers == ["1 clients"])
  }

  @Test func `an undoing that is not answered in time has failed`() {
    var bench = bench { $0.store.compensationMilliseconds = 100 }
    cancelJoin(&bench, from: bench.connect())
    bench.answer(result("1", "0") + "\n")
    bench.timePasses(99)
    #expect(bench.core.counters.compensationsFailed == 0 && !bench.core.isQuiet)
    bench.timePasses(1)
    #expect(bench.core.counters.compensationsFailed == 1)
  }

  @Test func `an undoing that is lost with its connection has failed, and is not sent again`() {
    var bench = bench()
    cancelJoin(&bench, from: bench.connect())
    bench.answer(result("1", "0") + "\n")
    _ = bench.asked()
    bench.core.upstreamDisconnected(Bench.upstream)
    bench.core.upstreamConnected(Bench.upstream)
    #expect(bench.core.counters.compensationsFailed == 1)
    #expect(bench.asked() == [])
  }

  @Test func `a request that was never sent has nothing to undo`() {
    var configuration = GatewayConfiguration()
    configuration.routes = [Route(method: "join", compensation: "leave")]
    var bench = Bench(configuration, connected: false)
    cancelJoin(&bench, from: bench.connect())
    #expect(bench.core.leftovers == ["1 clients"])
    #expect(bench.core.counters.compensationsSent == 0)
  }

  @Test func `a task keeps the route under which it was admitted`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", "join"), from: client)
    var other = GatewayConfiguration()
    other.routes = [Route(method: "join", compensation: "other")]
    bench.core.reconfigure(other)
    bench.send(line("2", "join"), from: client)
    for id in 1...2 {
      bench.send(
        #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(id)}}"# + "\n", from: client)
    }
    _ = bench.asked()
    bench.answer(result("1", "0") + "\n" + result("2", "0") + "\n")
    let undone = bench.asked()
    #expect(undone.first?.contains(#""le\"ave""#) == true && undone.last?.contains(#""other""#) == true)
  }

  @Test func `new bounds count from now on`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k","policy":"wait"}"#), from: client)
    bench.send(line("2", task: #"{"key":"k","policy":"wait"}"#), from: client)
    var smaller = GatewayConfiguration()
    smaller.store.queuePerLane = 1
    bench.core.reconfigure(smaller)
    bench.send(line("3", task: #"{"key":"k","policy":"wait"}"#), from: client)
    #expect(bench.heard(client).first?.contains("the key's queue is full") == true)
  }
}
