import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// What counts for whom, what goes with a connection, and whose turn it is at an upstream.
@Suite struct AccountTests {
  private let patient = #"{"key":"k","policy":"wait"}"#

  private func bench(connected: Bool = true, _ set: (inout GatewayConfiguration) -> Void = { _ in }) -> Bench
  {
    var configuration = GatewayConfiguration()
    set(&configuration)
    return Bench(configuration, connected: connected)
  }

  private func notification(_ method: String, task: String? = nil) -> String {
    let task = task.map { #","task":\#($0)"# } ?? ""
    return #"{"jsonrpc":"2.0","method":"\#(method)"\#(task)}"# + "\n"
  }

  private func isFull(_ heard: [String]) -> Bool {
    heard.count == 1 && heard[0].contains(#""code":-32082,"message":"too many tasks of this connection""#)
  }

  // MARK: What counts

  @Test func `debounced notifications count for who sent them, and for nobody else`() {
    var bench = bench { $0.tasksPerConnection = 2 }
    let (client, other) = (bench.connect(), bench.connect())
    for key in 1...3 {
      bench.send(notification("n", task: #"{"key":"\#(key)","debounceMs":100}"#), from: client)
    }
    #expect(bench.core.taskCount == 2)
    bench.send(line("1"), from: client)
    #expect(isFull(bench.heard(client)))
    bench.send(line("1"), from: other)
    #expect(bench.asked().count == 1)
  }

  @Test func `what drains counts for who asked for it until it has ended`() {
    var bench = bench { $0.tasksPerConnection = 1 }
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n", from: client)
    _ = bench.heard(client)
    bench.send(line("2"), from: client)
    #expect(isFull(bench.heard(client)))
    bench.answer(result("1", "0") + "\n")
    bench.send(line("3"), from: client)
    #expect(bench.heard(client) == [] && bench.core.liveRequestCount == 1)
  }

  @Test func `what is superseded before it was sent makes room for what takes its place`() {
    var bench = bench(connected: false) { $0.tasksPerConnection = 1 }
    let (client, other) = (bench.connect(), bench.connect())
    for id in 1...2 { bench.send(line("\(id)", task: #"{"key":"k"}"#), from: client) }
    #expect(bench.heard(client).map { $0.contains("-32080") } == [true])
    bench.send(line("7", task: #"{"key":"o"}"#), from: other)
    bench.send(line("3", task: #"{"key":"o"}"#), from: client)
    #expect(isFull(bench.heard(client)) && bench.heard(other) == [])
  }

  @Test func `what a connection left behind is nobody's else`() {
    var bench = bench { $0.tasksPerConnection = 1 }
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.core.clientDisconnected(client)
    #expect(bench.core.taskCount == 1)
    let other = bench.connect()
    bench.send(line("1"), from: other)
    #expect(bench.core.liveRequestCount == 1)
    bench.answer(result("1", "0") + "\n" + result("2", "0") + "\n")
    #expect(bench.heard(other) == [result("1", "0")] && bench.core.leftovers == ["1 clients"])
  }

  // MARK: What goes

  @Test func `notifications that were not sent go with their connection`() {
    var bench = bench()
    let (client, other) = (bench.connect(), bench.connect())
    bench.send(line("7", task: patient), from: other)
    bench.send(notification("debounced", task: #"{"key":"d","debounceMs":10}"#), from: client)
    bench.send(notification("queued", task: patient), from: client)
    bench.core.clientDisconnected(client)
    #expect(bench.core.taskCount == 1)
    bench.timePasses(10)
    bench.answer(result("1", "0") + "\n")
    #expect(bench.asked().count == 1 && bench.core.leftovers == ["1 clients"])
  }

  @Test func `notifications that wait for upstream go with their connection`() {
    var bench = bench(connected: false)
    let client = bench.connect()
    bench.send(notification("n"), from: client)
    bench.core.clientDisconnected(client)
    bench.connectUpstreams()
    #expect(bench.asked() == [] && bench.core.leftovers == [])
  }

  @Test func `nothing that goes starts because something before it goes`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", task: patient), from: client)
    bench.send(notification("n", task: patient), from: client)
    bench.send(line("2", task: patient), from: client)
    _ = bench.asked()
    bench.core.clientDisconnected(client)
    #expect(bench.asked().allSatisfy { $0.contains("cancelRequest") })
    bench.answer(result("1", "0") + "\n")
    #expect(bench.asked() == [] && bench.core.leftovers == [])
  }

  @Test func `what somebody else joined lives on`() {
    var bench = bench(connected: false)
    let (client, other) = (bench.connect(), bench.connect())
    let task = #"{"key":"k","policy":"preferPrevious"}"#
    bench.send(line("1", task: task), from: client)
    bench.send(line("7", task: task), from: other)
    bench.core.clientDisconnected(client)
    bench.connectUpstreams()
    #expect(bench.asked().count == 1)
    bench.answer(result("1", "0") + "\n")
    #expect(bench.heard(other) == [result("7", "0")] && bench.core.leftovers == ["1 clients"])
  }

  @Test func `who sends no more stays until its notifications have been sent`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(notification("n", task: #"{"key":"k","debounceMs":10}"#), from: client)
    bench.core.clientEnded(client)
    #expect(bench.asked() == [] && bench.sink.closed.isEmpty)
    bench.timePasses(10)
    #expect(bench.asked().count == 1 && bench.sink.closed == [client.slot])
    #expect(bench.core.leftovers == [])
  }

  // MARK: Whose turn it is

  @Test func `connections take turns at an upstream, each with its oldest`() {
    var bench = bench { $0.inFlightPerEndpoint = 1 }
    let (greedy, honest, third) = (bench.connect(), bench.connect(), bench.connect())
    for id in 1...4 { bench.send(line("\(id)", "g\(id)"), from: greedy) }
    for id in 1...2 { bench.send(line("\(id)", "h\(id)"), from: honest) }
    bench.send(line("1", "t1"), from: third)
    #expect(bench.served(7) == ["g1", "g2", "h1", "t1", "g3", "h2", "g4"])
  }

  @Test func `the higher priority goes first, whoever asks`() {
    var bench = bench {
      $0.inFlightPerEndpoint = 1
      var route = Route(method: "high")
      route.priority = 9
      $0.routes = [route]
    }
    let (one, other) = (bench.connect(), bench.connect())
    bench.send(line("1", "g1") + line("2", "g2"), from: one)
    bench.send(line("1", "h1") + line("2", "high") + line("3", "high"), from: other)
    #expect(bench.served(5) == ["g1", "high", "high", "g2", "h1"])
  }

  @Test func `who leaves the line does not hold up the others`() {
    var bench = bench { $0.inFlightPerEndpoint = 1 }
    let (one, other, third) = (bench.connect(), bench.connect(), bench.connect())
    bench.send(line("1", "a1") + line("2", "a2"), from: one)
    bench.send(line("1", "b1"), from: other)
    bench.send(line("1", "c1"), from: third)
    bench.core.clientDisconnected(other)
    #expect(bench.served(3) == ["a1", "a2", "c1"])
    #expect(bench.core.leftovers == ["2 clients"])
  }

  @Test func `an answer that one client does not read holds up nobody else's`() {
    var bench = bench { $0.clientOutputSoftBytes = 1 }
    let (deaf, other) = (bench.connect(), bench.connect())
    bench.send(line("1") + line("2"), from: deaf)
    bench.send(line("1"), from: other)
    _ = bench.asked()
    bench.sink.clientRoom = 0
    bench.answer(result("1", "0") + "\n")
    #expect(bench.heard(deaf) == [] && bench.sink.paused == [deaf.slot])
    bench.sink.clientRoom = nil
    bench.answer(result("3", "0") + "\n")
    #expect(bench.heard(other) == [result("1", "0")])
  }
}
