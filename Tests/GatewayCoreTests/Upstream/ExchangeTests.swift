import GatewayCore
import TaskStore
import Testing

/// Upstreams that take each request by itself.
@Suite struct ExchangeTests {
  private func bench(
    cancel: CancelDialect = .abort, stops: Bool = true,
    _ adjust: (inout GatewayConfiguration) -> Void = { _ in }
  ) -> Bench {
    var configuration = GatewayConfiguration()
    configuration.upstreams = [UpstreamOptions(cancel: cancel)]
    configuration.upstreams[0].shape = .exchanges
    configuration.upstreams[0].stopsWhenAborted = stops
    adjust(&configuration)
    return Bench(configuration)
  }

  private func task(_ number: UInt64) -> TaskID { TaskID(rawValue: number) }
  private let keyed = #"{"key":"k"}"#

  @Test func `a request is an exchange, and its answer is delivered`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("\"a\"", params: "[1,  2]"), from: client)
    #expect(bench.heard(client) == [])
    #expect(
      bench.sink.exchanges.map(\.message) == [#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1,  2]}"#])
    #expect(bench.sink.exchanges[0].exchange.task == task(1))
    bench.answer(result("1", "[ 7 ]"), to: task(1))
    #expect(bench.heard(client) == [result("\"a\"", "[ 7 ]")])
    #expect(bench.core.taskCount == 0)
  }

  @Test(arguments: [
    (#"{"jsonrpc":"2.0","id":9,"result":1}"#, true),
    (#"{"jsonrpc":"2.0","id":"1","error":{"code":-32000,"message":"m"}}"#, true), ("{}", false),
    ("<html>", false),
    (#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, false),
  ])
  func `what is no answer fails the request, and another one's answer is told apart`(
    text: String, isOther: Bool
  ) {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    _ = bench.asked()
    #expect(bench.answer(text, to: task(1)) == !isOther)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("-32084") && heard[0].contains("mayHaveCompleted"))
  }

  @Test func `line breaks stay where no lines are`() {
    var bench = bench()
    let client = bench.connect()
    let params = "[1,\n2]"
    let body = #"{"jsonrpc":"2.0","id":1,"method":"m","params":\#(params)}"#
    bench.send("Content-Length: \(body.utf8.count)\r\n\r\n\(body)", from: client)
    _ = bench.heard(client)
    #expect(bench.sink.exchanges.map(\.message) == [body])
  }

  @Test func `a superseded exchange is aborted once, and has ended`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", task: keyed), from: client)
    _ = bench.asked()
    bench.send(line("2", task: keyed), from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("-32080") && heard[0].contains("cancelSent"))
    #expect(bench.sink.aborted == [task(1)])
    #expect(bench.core.taskCount == 1)
    bench.answer(result("1", "0"), to: task(1))
    #expect(bench.heard(client) == [])
    #expect(bench.core.counters.droppedUnknown == 1)
  }

  @Test func `an upstream that may go on when it is aborted may have completed it`() {
    var bench = bench(stops: false)
    let client = bench.connect()
    bench.send(line("1", task: keyed), from: client)
    _ = bench.asked()
    bench.send(line("2", task: keyed), from: client)
    #expect(bench.heard(client)[0].contains("mayHaveCompleted"))
    #expect(bench.sink.aborted == [task(1)] && bench.core.counters.cancelsSent == 1)
  }

  @Test func `no time at all is over in the turn in which it began`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", task: #"{"timeoutMs":0}"#), from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("-32083") && heard[0].contains("notSent"))
    #expect(bench.sink.exchanges.isEmpty && bench.core.nextDueMilliseconds == nil)
  }

  @Test func `no grace at all is over in the turn in which it began`() {
    var bench = bench(cancel: .none)
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k","drainMs":0}"#), from: client)
    _ = bench.asked()
    bench.send(line("2", task: #"{"key":"k","policy":"cancelAndWait"}"#), from: client)
    _ = bench.asked()
    #expect(bench.sink.exchanges.map(\.exchange.task) == [task(1), task(2)])
  }

  @Test func `what is superseded in the turn in which it came never begins`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", task: keyed) + line("2", task: keyed), from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("notSent"))
    #expect(bench.sink.exchanges.map(\.exchange.task) == [task(2)])
    #expect(bench.sink.aborted == [])
  }

  @Test func `an upstream that is not to be told is awaited`() {
    var bench = bench(cancel: .none)
    let client = bench.connect()
    bench.send(line("1", task: keyed), from: client)
    _ = bench.asked()
    bench.send(line("2", task: keyed), from: client)
    #expect(bench.heard(client)[0].contains("mayHaveCompleted"))
    #expect(bench.sink.aborted == [] && bench.core.taskCount == 2)
    bench.answer(result("1", "0"), to: task(1))
    #expect(bench.core.counters.droppedLate == 1 && bench.core.taskCount == 1)
  }

  // MARK: Notifications

  private func notification(_ task: String? = nil) -> String {
    #"{"jsonrpc":"2.0","method":"n"\#(task.map { ",\"task\":\($0)" } ?? "")}"# + "\n"
  }

  @Test func `a notification is an exchange that ends with its delivery`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(notification(), from: client)
    #expect(bench.heard(client) == [])
    #expect(bench.sink.exchanges.map(\.message) == [#"{"jsonrpc":"2.0","method":"n"}"#])
    #expect(bench.sink.exchanges[0].exchange.task == task(1))
    #expect(bench.sink.exchanges[0].exchange.isNotification)
    #expect(bench.core.taskCount == 1 && !bench.core.isQuiet)
    bench.core.exchangeDelivered(task(1), over: Bench.upstream)
    #expect(bench.core.taskCount == 0 && bench.core.isQuiet)
    #expect(bench.core.counters.notificationsLost == 0)
    #expect(bench.heard(client) == [] && bench.sink.aborted == [])
  }

  @Test func `notifications are in flight until they are delivered or lost`() {
    var bench = bench { $0.inFlightPerEndpoint = 1 }
    let client = bench.connect()
    bench.send(notification() + notification() + notification() + line("1"), from: client)
    #expect(bench.asked() == [] && bench.sink.exchanges.count == 1)
    bench.core.exchangeDelivered(task(1), over: Bench.upstream)
    #expect(bench.asked() == [] && bench.sink.exchanges.count == 2)
    bench.core.exchangeFailed(task(2), .unanswered, over: Bench.upstream)
    #expect(bench.asked() == [] && bench.sink.exchanges.count == 3)
    bench.core.exchangeFailed(task(3), .unreached, over: Bench.upstream)
    #expect(bench.asked() == [] && bench.sink.exchanges.count == 4)
    #expect(bench.core.counters.notificationsLost == 2)
  }

  @Test(arguments: [ExchangeFailure.unanswered, .unreached, .untried, .tooLong])
  func `a lost notification is not the endpoint's fault`(failure: ExchangeFailure) {
    var bench = bench {
      $0.failuresInARow = 1
      $0.upstreams[0].endpoints = 2
    }
    let client = bench.connect()
    for number in 1...6 as ClosedRange<UInt64> {
      bench.send(notification(), from: client)
      _ = bench.asked()
      bench.core.exchangeFailed(
        task(number), failure, over: UpstreamID(slot: bench.sink.exchanges.last!.upstream))
    }
    #expect(bench.core.counters.notificationsLost == 6)
    bench.send(line("1") + line("2"), from: client)
    _ = bench.asked()
    #expect(Set(bench.sink.exchanges.suffix(2).map(\.upstream)) == [0, 1])
  }

  @Test func `an answer that is too long names the bound`() {
    var bench = bench { $0.messageLimitBytes = 5_000 }
    let client = bench.connect()
    bench.send(line("1"), from: client)
    _ = bench.asked()
    bench.core.exchangeFailed(task(1), .tooLong, over: Bench.upstream)
    let heard = bench.heard(client)
    #expect(heard.first?.contains("upstream's answer is longer than messageBytes (5000)") == true)
    #expect(heard.first?.contains("mayHaveCompleted") == true)
  }

  @Test func `what was refused on this side is not the endpoint's fault`() {
    var bench = bench { $0.failuresInARow = 1 }
    let client = bench.connect()
    bench.send(line("1"), from: client)
    _ = bench.asked()
    bench.core.exchangeFailed(task(1), .untried, over: Bench.upstream)
    bench.send(line("2"), from: client)
    _ = bench.heard(client)
    #expect(bench.sink.exchanges.count == 2)
  }

  @Test func `what waits for a notification waits until it is delivered`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(notification(keyed) + line("1", task: #"{"key":"k","policy":"wait"}"#), from: client)
    _ = bench.asked()
    #expect(bench.sink.exchanges.count == 1)
    bench.core.exchangeDelivered(task(1), over: Bench.upstream)
    _ = bench.asked()
    #expect(bench.sink.exchanges.map(\.exchange.task) == [task(1), task(2)])
  }

  @Test func `a notification that is superseded on its way is aborted, and not lost`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(notification(keyed), from: client)
    _ = bench.asked()
    bench.send(notification(keyed), from: client)
    _ = bench.asked()
    #expect(bench.sink.aborted == [task(1)] && bench.core.taskCount == 1)
    bench.core.exchangeFailed(task(1), .unanswered, over: Bench.upstream)
    bench.core.exchangeDelivered(task(1), over: Bench.upstream)
    #expect(bench.core.counters.notificationsLost == 0 && bench.core.counters.cancelsSent == 0)
  }

  @Test func `one that cannot be aborted goes on, and drains`() {
    var bench = bench(cancel: .lsp)
    let client = bench.connect()
    bench.send(notification(keyed), from: client)
    _ = bench.asked()
    bench.send(line("1", task: #"{"key":"k","policy":"cancelAndWait"}"#), from: client)
    _ = bench.asked()
    #expect(bench.sink.exchanges.count == 1 && bench.sink.aborted == [])
    bench.core.exchangeDelivered(task(1), over: Bench.upstream)
    _ = bench.asked()
    #expect(bench.sink.exchanges.count == 2 && bench.core.counters.notificationsLost == 0)
  }

  @Test func `a notification has no answer that could take too long`() {
    var bench = bench { $0.answerMilliseconds = 10 }
    let client = bench.connect()
    bench.send(notification(), from: client)
    _ = bench.asked()
    bench.timePasses(11)
    _ = bench.asked()
    #expect(bench.core.taskCount == 1 && bench.sink.aborted == [])
  }

  @Test(arguments: [nil, "undo"])
  func `a notification on its way keeps nothing of its params`(compensation: String?) {
    var bench = bench { $0.routes = [Route(method: "n", compensation: compensation)] }
    let client = bench.connect()
    let params = "[\"\(String(repeating: "x", count: 1_000))\"]"
    bench.send(
      #"{"jsonrpc":"2.0","method":"n","params":\#(params),"task":{"key":"k"}}"# + "\n", from: client)
    #expect(bench.core.requestByteCount > 1_000)
    _ = bench.asked()
    #expect(bench.sink.exchanges[0].message.contains(params) && bench.core.taskCount == 1)
    #expect(bench.core.requestByteCount == #""n""#.count)
  }

  @Test func `what is on its way when everything is given up is lost and aborted`() {
    var bench = bench { $0.inFlightPerEndpoint = 1 }
    let client = bench.connect()
    bench.send(notification() + notification(), from: client)
    _ = bench.asked()
    bench.core.drain()
    bench.core.shutDown()
    _ = bench.asked()
    #expect(bench.sink.exchanges.count == 1 && bench.sink.aborted == [task(1)])
    #expect(bench.core.counters.notificationsLost == 2)
  }

  @Test func `nothing starts once everything is given up`() {
    var bench = bench { $0.inFlightPerEndpoint = 1 }
    let client = bench.connect()
    let waits = #"{"key":"k","policy":"wait"}"#
    bench.send(
      line("1", task: waits) + line("2", task: waits) + line("3", task: waits) + line("4"), from: client)
    _ = bench.asked()
    bench.core.drain()
    bench.core.shutDown()
    #expect(bench.heard(client).count { $0.contains("-32085") } == 4)
    #expect(bench.sink.exchanges.count == 1 && bench.core.taskCount == 0)
  }

  @Test func `a lost cancel of ours is counted`() {
    var bench = bench(cancel: .lsp)
    let client = bench.connect()
    bench.send(line("1", task: keyed), from: client)
    _ = bench.asked()
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n", from: client)
    _ = bench.asked()
    let told = bench.sink.exchanges[1].exchange
    #expect(told.task == nil && told.isNotification)
    bench.core.exchangeLost(over: Bench.upstream)
    #expect(bench.core.counters.notificationsLost == 1)
  }

  @Test func `what waits for a notification goes out in the turn in which that arrives`() {
    var bench = bench {
      $0.upstreams.insert(UpstreamOptions(), at: 0)
      var route = Route(method: "n")
      route.upstream = 1
      $0.routes = [route]
    }
    let client = bench.connect()
    bench.send(
      #"{"jsonrpc":"2.0","method":"n","task":{"key":"k"}}"# + "\n"
        + line("1", task: #"{"key":"k","policy":"wait"}"#), from: client)
    #expect(bench.asked() == [])
    bench.core.exchangeDelivered(task(1), over: UpstreamID(slot: 1))
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","id":2,"method":"m"}"#])
  }

  @Test(arguments: [
    (ExchangeFailure.unanswered, "mayHaveCompleted"), (.unreached, "notSent"), (.untried, "notSent"),
  ])
  func `a caller learns whether an exchange that failed had been sent`(
    failure: ExchangeFailure, word: String
  ) {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    _ = bench.asked()
    bench.core.exchangeFailed(task(1), failure, over: Bench.upstream)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("-32084") && heard[0].contains(word))
    #expect(bench.core.taskCount == 0)
  }

  @Test(arguments: [
    "", "<html>", "[]", #"{"jsonrpc":"2.0","method":"m"}"#, result("2", "0"), result("null", "0"),
  ])
  func `an answer that is none fails its request`(text: String) {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    _ = bench.asked()
    bench.answer(text, to: task(1))
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("-32084") && heard[0].contains("mayHaveCompleted"))
  }

  @Test func `an exchange that has ended is not aborted`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1") + line("2"), from: client)
    _ = bench.asked()
    bench.answer("<html>", to: task(1))
    bench.core.exchangeFailed(task(2), .unanswered, over: Bench.upstream)
    #expect(bench.heard(client).count == 2)
    #expect(bench.sink.aborted == [])
  }

  @Test func `an error without an id is the answer to what was asked`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    _ = bench.asked()
    bench.answer(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}"#, to: task(1))
    #expect(bench.heard(client) == [#"{"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"what?"}}"#])
  }

  @Test func `what is left of the caller's time goes along, and the trace`() {
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    var bench = bench { $0.inFlightPerEndpoint = 1 }
    let client = bench.connect()
    bench.send(line("1") + line("2", task: #"{"timeoutMs":500,"traceparent":"\#(trace)"}"#), from: client)
    _ = bench.asked()
    bench.timePasses(200)
    bench.answer(result("1", "0"), to: task(1))
    _ = bench.heard(client)
    let exchange = bench.sink.exchanges[1].exchange
    #expect(exchange.remainingMilliseconds == 300)
    #expect(String(decoding: exchange.traceparent, as: UTF8.self) == trace)
    #expect(bench.sink.exchanges[0].exchange.traceparent == [])
  }

  @Test func `the circuit of an endpoint that cannot be reached opens, even if it is the only one`() {
    var bench = bench { $0.failuresInARow = 2 }
    let client = bench.connect()
    for id in 1...2 {
      bench.send(line("\(id)"), from: client)
      _ = bench.asked()
      bench.core.exchangeFailed(task(UInt64(id)), .unreached, over: Bench.upstream)
    }
    _ = bench.heard(client)
    bench.send(line("3"), from: client)
    #expect(bench.heard(client) == [])
    #expect(bench.sink.exchanges.count == 2)
    bench.timePasses(50)
    _ = bench.heard(client)
    #expect(bench.sink.exchanges.count == 3)
  }

  @Test func `what succeeded too late is undone by an exchange of its own`() {
    var bench = bench { $0.routes = [Route(method: "join", compensation: "leave")] }
    let client = bench.connect()
    bench.send(line("1", "join", params: "[1]", task: keyed), from: client)
    _ = bench.asked()
    bench.send(line("2", "join", params: "[2]", task: keyed), from: client)
    #expect(bench.heard(client)[0].contains("mayHaveCompleted"))
    #expect(bench.sink.aborted == [])
    bench.answer(result("1", "\"seat\""), to: task(1))
    _ = bench.asked()
    let undoing = bench.sink.exchanges[1]
    #expect(undoing.message.hasSuffix(#""method":"leave","params":{"params":[1],"result":"seat"}}"#))
    #expect(bench.sink.exchanges.count == 2)
    bench.answer(result("\(undoing.exchange.task!.rawValue)", "null"), to: undoing.exchange.task!)
    _ = bench.asked()
    #expect(bench.sink.exchanges.count == 3)
    #expect(bench.core.counters.compensationsSent == 1 && bench.core.counters.compensationsFailed == 0)
  }

  @Test func `an undoing that the end of the gateway overtakes never begins`() {
    var bench = bench { $0.routes = [Route(method: "join", compensation: "leave")] }
    let client = bench.connect()
    bench.send(line("1", "join", task: keyed), from: client)
    _ = bench.asked()
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n", from: client)
    bench.answer(result("1", "0"), to: task(1))
    bench.core.shutDown()
    _ = bench.asked()
    #expect(bench.sink.exchanges.count == 1 && bench.sink.aborted == [])
    #expect(bench.core.counters.compensationsFailed == 1)
  }

  @Test func `an exchange that is forgotten is aborted`() {
    var bench = bench(cancel: .none) { $0.store.orphanMilliseconds = 100 }
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k","drainMs":0}"#), from: client)
    _ = bench.asked()
    bench.send(line("2", task: keyed), from: client)
    _ = bench.heard(client)
    bench.timePasses(1)
    bench.timePasses(101)
    _ = bench.asked()
    #expect(bench.sink.aborted == [task(1)])
  }
}
