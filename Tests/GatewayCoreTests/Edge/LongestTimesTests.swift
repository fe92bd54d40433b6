import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// What a request may ask for itself has an operator's maximum.
@Suite struct LongestTimesTests {
  /// What a request says of each time, with what else it needs, and how long that may be.
  struct Said: Sendable, CustomTestStringConvertible {
    let name: String
    let most: Int
    var more = ""
    let setOfRoute: @Sendable (inout Route, UInt32) -> Void

    var testDescription: String { name }

    func task(_ value: Int) -> String { #"{"key":"k"\#(more),"\#(name)":\#(value)}"# }
  }

  static let all = [
    Said(name: "timeoutMs", most: 600_000) { $0.longestTimeoutMilliseconds = $1 },
    Said(name: "drainMs", most: 10_000) { $0.longestDrainMilliseconds = $1 },
    Said(name: "debounceMs", most: 5_000) { $0.longestDebounceMilliseconds = $1 },
    Said(name: "maxWaitMs", most: 30_000, more: #","debounceMs":1"#) { $0.longestMaxWaitMilliseconds = $1 },
    Said(name: "maxStaleMs", most: 60_000) { $0.longestMaxStaleMilliseconds = $1 },
  ]

  private func refusal(of task: String, _ configuration: GatewayConfiguration = GatewayConfiguration())
    -> String?
  {
    var bench = Bench(configuration)
    let client = bench.connect()
    bench.send(line("1", task: task), from: client)
    return bench.heard(client).first
  }

  private func configuration(_ adjust: (inout Route) -> Void) -> GatewayConfiguration {
    var route = Route(method: "m")
    adjust(&route)
    var configuration = GatewayConfiguration()
    configuration.routes = [route]
    return configuration
  }

  @Test(arguments: all)
  func `a request may ask for so long, and for no millisecond more`(said: Said) {
    #expect(refusal(of: said.task(said.most)) == nil)
    let refusal = refusal(of: said.task(said.most + 1))
    let words = "task.\(said.name) must be an integer of 0 to \(said.most) milliseconds"
    #expect(refusal?.contains("-32602") == true && refusal?.contains(words) == true)
  }

  @Test(arguments: all, [7, 3_600_000])
  func `a route may allow less or more`(said: Said, most: Int) {
    let configuration = configuration { said.setOfRoute(&$0, UInt32(most)) }
    #expect(refusal(of: said.task(most), configuration) == nil)
    let refusal = refusal(of: said.task(most + 1), configuration)
    #expect(refusal?.contains("task.\(said.name) must be an integer of 0 to \(most) milliseconds") == true)
  }

  @Test func `a route's requests may have no deadline, and may still say one up to the longest`() {
    let configuration = configuration { $0.timeoutMilliseconds = Admission.unlimited }
    var bench = Bench(configuration)
    let client = bench.connect()
    bench.send(line("1") + line("2", "other"), from: client)
    bench.timePasses(3_600_000)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains(#""id":2,"error":{"code":-32083"#), "\(heard)")
    let words = "task.timeoutMs must be an integer of 0 to 600000 milliseconds"
    #expect(refusal(of: #"{"timeoutMs":600001}"#, configuration)?.contains(words) == true)
  }

  @Test func `what a request gets that says nothing it may say`() {
    var configuration = configuration { $0.drainMilliseconds = 3_600_000 }
    configuration.timeoutMilliseconds = 3_600_000
    #expect(refusal(of: #"{"key":"k","timeoutMs":3600000,"drainMs":3600000}"#, configuration) == nil)
    #expect(refusal(of: #"{"key":"k","drainMs":3600001}"#, configuration)?.contains("3600000") == true)
  }

  @Test func `a notification that asks for more is not sent`() {
    var bench = Bench()
    let client = bench.connect()
    let task = #"{"key":"k","debounceMs":3600000}"#
    bench.send(#"{"jsonrpc":"2.0","method":"later","task":\#(task)}"# + "\n", from: client)
    #expect(bench.core.taskCount == 0 && bench.heard(client) == [])
  }

  // MARK: What a connection leaves behind

  private let longDrain = #"{"key":"k","policy":"wait","drainMs":10000}"#
  private let next = #"{"key":"k","policy":"wait"}"#

  @Test func `what a connection left behind holds up others by the operator's time`() {
    var bench = Bench()
    let (one, other) = (bench.connect(), bench.connect())
    bench.send(line("1", task: longDrain), from: one)
    bench.send(line("2", "n", task: next), from: other)
    #expect(bench.asked().count == 1)
    bench.core.clientDisconnected(one)
    #expect(bench.asked().map { $0.contains("$/cancelRequest") } == [true])
    bench.timePasses(4_999)
    #expect(bench.asked() == [])
    bench.timePasses(1)
    #expect(bench.asked().map { $0.contains(#""method":"n""#) } == [true])
  }

  @Test(arguments: [true, false])
  func `what drained before its connection went is over at once`(ends: Bool) {
    var configuration = GatewayConfiguration()
    configuration.drainMilliseconds = 100
    var options = ListenerOptions()
    options.cancelsAtEnd = true
    configuration.listeners = [options]
    var bench = Bench(configuration)
    let (one, other) = (bench.connect(), bench.connect())
    bench.send(line("1", task: longDrain), from: one)
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n", from: one)
    bench.send(line("2", "n", task: next), from: other)
    bench.timePasses(5_000)
    #expect(bench.asked().count == 2)
    if ends { bench.core.clientEnded(one) } else { bench.core.clientDisconnected(one) }
    #expect(bench.asked().map { $0.contains(#""method":"n""#) } == [true])
    #expect(bench.core.leftovers.contains { $0.contains("long drain") } == false)
  }

  @Test func `what goes on for others drains by the operator's time, too`() {
    var configuration = configuration { $0.drainMilliseconds = 200 }
    configuration.drainMilliseconds = 100
    var bench = Bench(configuration)
    let (one, other) = (bench.connect(), bench.connect())
    let shared = #"{"key":"k","policy":"preferPrevious","drainMs":10000}"#
    for client in [one, other] { bench.send(line("1", task: shared), from: client) }
    bench.core.clientDisconnected(one)
    bench.timePasses(1_000)
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n", from: other)
    bench.send(line("2", "n", task: next), from: other)
    #expect(bench.asked().count == 2)
    bench.timePasses(199)
    #expect(bench.asked() == [])
    bench.timePasses(1)
    #expect(bench.asked().map { $0.contains(#""method":"n""#) } == [true])
  }

  @Test func `nothing is remembered of what has ended`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1", task: longDrain) + line("2", task: longDrain), from: client)
    _ = bench.asked()
    #expect(bench.core.leftovers.contains("2 long drains"))
    bench.answer(result("1", "1") + "\n")
    _ = bench.asked()
    bench.core.clientDisconnected(client)
    #expect(bench.core.leftovers.contains { $0.contains("long drain") } == false)
  }
}
