import GatewayCore
import TaskStore
import Testing

/// What is left behind by connections that are gone makes room at the bound of tasks.
@Suite struct TaskRoomTests {
  private func bench(tasks: Int, _ set: (inout GatewayConfiguration) -> Void = { _ in }) -> Bench {
    var configuration = GatewayConfiguration()
    configuration.store.tasks = tasks
    set(&configuration)
    return Bench(configuration)
  }

  /// Asks as often, and is gone before anything is answered.
  private func leave(_ count: Int, in bench: inout Bench, task: String? = nil) {
    let client = bench.connect()
    for id in 1...count { bench.send(line("\(id)", task: task), from: client) }
    #expect(bench.asked().count == count)
    bench.core.clientDisconnected(client)
    _ = bench.asked()
  }

  private func isRefused(_ heard: [String]) -> Bool {
    heard.count == 1 && heard[0].contains(#""code":-32082,"message":"too many tasks""#)
  }

  @Test func `what drains for nobody gives its place to who is here`() {
    var bench = bench(tasks: 2)
    leave(2, in: &bench)
    let client = bench.connect()
    bench.send(line("1"), from: client)
    #expect(bench.heard(client) == [] && bench.asked().count == 1)
    #expect(bench.core.counters.tasksForgotten == 1 && bench.core.taskCount == 2)
    bench.send(line("2"), from: client)
    #expect(bench.heard(client) == [] && bench.asked().count == 1)
    #expect(bench.core.counters.tasksForgotten == 2)
    // Now everything is somebody's.
    bench.send(line("3"), from: client)
    #expect(isRefused(bench.heard(client)))
  }

  @Test func `so does what drains for a client that wants nothing any more`() {
    var listener = ListenerOptions()
    listener.cancelsAtEnd = true
    var bench = bench(tasks: 1) { $0.listeners = [listener] }
    let (ended, client) = (bench.connect(), bench.connect())
    bench.send(line("1"), from: ended)
    #expect(bench.asked().count == 1)
    bench.core.clientEnded(ended)
    bench.sendInTurn(line("1"), from: client)
    #expect(bench.heard(client) == [] && bench.core.counters.tasksForgotten == 1)
  }

  @Test func `its answer reaches nobody, and is nobody else's`() {
    var bench = bench(tasks: 1)
    let gone = bench.connect()
    bench.send(line("1"), from: gone)
    #expect(bench.asked().count == 1)
    bench.core.clientDisconnected(gone)
    _ = bench.asked()
    let client = bench.connect()
    bench.send(line("7"), from: client)
    #expect(bench.asked().count == 1)
    bench.answer(result("1", "0") + "\n")
    #expect(bench.heard(client) == [] && bench.core.counters.droppedUnknown == 1)
    bench.answer(result("2", "0") + "\n")
    #expect(bench.heard(client) == [result("7", "0")])
  }

  @Test func `what drains for a client that is here keeps its place`() {
    var bench = bench(tasks: 1)
    let (client, other) = (bench.connect(), bench.connect())
    bench.send(line("1"), from: other)
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n", from: other)
    bench.send(line("2"), from: client)
    #expect(isRefused(bench.heard(client)) && bench.core.counters.tasksForgotten == 0)
  }

  @Test func `an orphan goes before what may still hold up others`() {
    var bench = bench(tasks: 2) { $0.drainMilliseconds = 100 }
    leave(1, in: &bench, task: #"{"key":"first","policy":"cancelAndWait"}"#)
    bench.timePasses(200)
    leave(1, in: &bench, task: #"{"key":"second","policy":"cancelAndWait"}"#)
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"third"}"#), from: client)
    #expect(bench.asked().count == 1 && bench.core.counters.tasksForgotten == 1)
    #expect(bench.core.gauges.tasks.orphaned == 0 && bench.core.gauges.tasks.draining == 1)
  }

  @Test func `where nothing was found it is looked for again after a while`() {
    var bench = bench(tasks: 1)
    let (gone, client) = (bench.connect(), bench.connect())
    bench.send(line("1"), from: gone)
    _ = bench.asked()
    bench.send(line("1"), from: client)
    #expect(isRefused(bench.heard(client)))
    bench.core.clientDisconnected(gone)
    bench.timePasses(GatewayCore.taskSearchMilliseconds - 1)
    bench.send(line("2"), from: client)
    #expect(isRefused(bench.heard(client)))
    bench.timePasses(1)
    bench.send(line("3"), from: client)
    #expect(bench.heard(client) == [])
  }
}
