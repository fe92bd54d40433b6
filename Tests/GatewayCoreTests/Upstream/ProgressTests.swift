import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// Progress that an upstream of a connection's own reports: configured deadlines begin anew.
@Suite struct ProgressTests {
  private static let timeout: UInt64 = 1_000

  /// A client whose upstream is connected.
  private func connect(_ bench: inout Bench) -> ClientID {
    let client = bench.connect()
    bench.send(#"{"jsonrpc":"2.0","method":"initialized"}"# + "\n", from: client)
    bench.connectUpstreams()
    _ = bench.asked()
    return client
  }

  private func bench(longest: UInt32 = 5_000) -> Bench {
    Bench.ofOwnUpstreams {
      $0.timeoutMilliseconds = UInt32(Self.timeout)
      $0.longest.timeoutMilliseconds = longest
    }
  }

  private func request(_ id: Int, _ params: String, task: String? = nil) -> String {
    let task = task.map { #","task":\#($0)"# } ?? ""
    return #"{"jsonrpc":"2.0","id":\#(id),"method":"build","params":\#(params)\#(task)}"# + "\n"
  }

  private func report(_ token: String) -> String {
    #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":\#(token),"value":1}}"# + "\n"
  }

  private func reportMCP(_ token: String) -> String {
    #"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":\#(token)}}"#
      + "\n"
  }

  private func tokenCount(_ bench: borrowing Bench) -> Int { bench.core.progressTokenCount }

  private func isExpired(_ heard: [String], _ id: Int = 1) -> Bool {
    heard.contains { $0.contains(#""id":\#(id),"error":{"code":-32083"#) }
  }

  @Test(arguments: [
    (#"{"workDoneToken":"t"}"#, #""t""#), (#"{"partialResultToken":7}"#, "7"),
    (#"{"a":1,"workDoneToken":"\u0074"}"#, #""\u0074""#), (#"{"workDoneToken":"t"}"#, #""\u0074""#),
    (#"{"workDoneToken":"t","partialResultToken":"p"}"#, #""p""#),
    (#"{"_meta":{"x":[],"progressToken":"t"}}"#, #""t""#), (#"{"_meta":{"progressToken":1.50}}"#, "1.50"),
  ])
  func `the deadline begins anew with each report of progress`(params: String, token: String) {
    for report in [report(token), reportMCP(token)] {
      var bench = bench()
      let client = connect(&bench)
      bench.send(request(1, params), from: client)
      for _ in 0..<3 {
        bench.timePasses(Self.timeout - 1)
        bench.answer(report)
        #expect(bench.heard(client) == [String(report.dropLast())])
      }
      bench.timePasses(Self.timeout - 1)
      #expect(bench.heard(client).isEmpty)
      bench.timePasses(1)
      #expect(isExpired(bench.heard(client)))
    }
  }

  @Test(arguments: [
    (#"{"workDoneToken":"1"}"#, "1"), (#"{"workDoneToken":1}"#, #""1""#),
    (#"{"workDoneToken":"a"}"#, #""b""#),
    (#"{"workDoneToken":null}"#, "null"), (#"{"_meta":{"workDoneToken":1}}"#, "1"),
    (#"{"progressToken":1}"#, "1"), ("[1]", "1"), (#"{"_meta":[1]}"#, "1"), (#"{"workDoneToken":1}"#, "1.0"),
    (#"{"_meta":{"progressToken":{}}}"#, "{}"),
  ])
  func `a report that names no request extends nothing`(params: String, token: String) {
    for report in [report(token), reportMCP(token)] {
      var bench = bench()
      let client = connect(&bench)
      bench.send(request(1, params), from: client)
      bench.timePasses(Self.timeout - 1)
      bench.answer(report)
      bench.timePasses(1)
      #expect(isExpired(bench.heard(client)))
    }
  }

  @Test func `no deadline lies farther from the admission than a request may ask for`() {
    var bench = bench(longest: 1_500)
    let client = connect(&bench)
    bench.send(request(1, #"{"workDoneToken":1}"#), from: client)
    bench.timePasses(900)
    bench.answer(report("1"))
    bench.timePasses(599)
    bench.answer(report("1"))
    _ = bench.heard(client)
    bench.timePasses(0)
    #expect(bench.heard(client).isEmpty)
    bench.timePasses(1)
    #expect(isExpired(bench.heard(client)))
  }

  @Test func `what a request says itself stays`() {
    var bench = bench()
    let client = connect(&bench)
    bench.send(request(1, #"{"workDoneToken":1}"#, task: #"{"timeoutMs":1000}"#), from: client)
    bench.timePasses(999)
    bench.answer(report("1"))
    bench.timePasses(1)
    #expect(isExpired(bench.heard(client)))
  }

  @Test func `who joined waits longer, too, unless it said how long`() {
    var bench = bench()
    let client = connect(&bench)
    let task = #"{"key":"k","join":"identical"}"#
    bench.send(request(1, #"{"workDoneToken":1}"#, task: task), from: client)
    bench.send(request(2, #"{"workDoneToken":1}"#, task: task), from: client)
    let own = #"{"key":"k","join":"identical","timeoutMs":1200}"#
    bench.send(request(3, #"{"workDoneToken":1}"#, task: own), from: client)
    bench.timePasses(999)
    bench.answer(report("1"))
    _ = bench.heard(client)
    bench.timePasses(201)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && isExpired(heard, 3))
    bench.timePasses(798)
    let others = bench.heard(client)
    #expect(isExpired(others, 1) == false && others.isEmpty)
    bench.timePasses(1)
    let last = bench.heard(client)
    #expect(isExpired(last, 1) && isExpired(last, 2))
  }

  @Test func `each caller waits by its own time, and one without a deadline gets none`() {
    var configuration = GatewayConfiguration()
    configuration.upstreams[0].isPerConnection = true
    configuration.timeoutMilliseconds = UInt32(Self.timeout)
    var bench = Bench(configuration)
    let client = connect(&bench)
    let task = #"{"key":"k","join":"identical"}"#
    bench.send(request(1, #"{"workDoneToken":1}"#, task: task), from: client)
    configuration.timeoutMilliseconds = 3_000
    bench.core.reconfigure(configuration)
    bench.send(request(2, #"{"workDoneToken":1}"#, task: task), from: client)
    configuration.timeoutMilliseconds = Admission.unlimited
    bench.core.reconfigure(configuration)
    bench.send(request(3, #"{"workDoneToken":1}"#, task: task), from: client)
    bench.timePasses(999)
    bench.answer(report("1"))
    _ = bench.heard(client)
    bench.timePasses(1_000)
    #expect(isExpired(bench.heard(client), 1))
    bench.timePasses(1_999)
    #expect(bench.heard(client).isEmpty)
    bench.timePasses(1)
    #expect(isExpired(bench.heard(client), 2))
    bench.timePasses(1_000_000)
    #expect(bench.heard(client).isEmpty)
  }

  @Test func `where nothing has a deadline progress gives none`() {
    var bench = Bench.ofOwnUpstreams { $0.timeoutMilliseconds = Admission.unlimited }
    let client = connect(&bench)
    bench.send(request(1, #"{"workDoneToken":1}"#), from: client)
    bench.answer(report("1"))
    #expect(bench.heard(client) == [String(report("1").dropLast())])
    bench.timePasses(1_000_000)
    #expect(bench.heard(client).isEmpty)
  }

  // MARK: What nobody waits for

  @Test(arguments: [CancelDialect.lsp, .mcp, .none])
  func `nothing more is heard of what was superseded, and all of what took its place`(cancel: CancelDialect) {
    for report in [report, reportMCP] {
      var bench = Bench.ofOwnUpstreams { $0.upstreams[0].cancel = cancel }
      let client = connect(&bench)
      for (id, token) in [(1, #""a""#), (2, #""b""#)] {
        let params = #"{"workDoneToken":\#(token),"_meta":{"progressToken":\#(token)}}"#
        bench.send(request(id, params, task: #"{"key":"k"}"#), from: client)
      }
      bench.answer(report(#""a""#) + report(#""b""#) + report(#""c""#))
      let heard = bench.heard(client)
      #expect(heard.count == 3 && heard[0].contains("-32080"), "\(heard)")
      #expect(heard[1...] == [String(report(#""b""#).dropLast()), String(report(#""c""#).dropLast())])
      #expect(bench.core.counters.droppedPieces == 1)
    }
  }

  @Test func `nor of what was answered, cancelled, or is overdue`() {
    var bench = bench()
    let client = connect(&bench)
    for id in 1...3 { bench.send(request(id, #"{"partialResultToken":\#(id)}"#), from: client) }
    bench.answer(result("2", "1") + "\n" + report("1"))
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}"# + "\n", from: client)
    bench.answer(report("2"))
    bench.timePasses(Self.timeout)
    bench.answer(report("3"))
    #expect(!bench.heard(client).contains { $0.contains("progress") })
    #expect(bench.core.counters.droppedPieces == 3)
  }

  @Test func `a token that upstream makes by itself is its own, whoever had it before`() {
    var bench = bench()
    let client = connect(&bench)
    bench.send(request(1, #"{"workDoneToken":1}"#), from: client)
    bench.answer(result("2", "1") + "\n")
    bench.answer(
      #"{"jsonrpc":"2.0","id":1,"method":"window/workDoneProgress/create","params":{"token":1}}"# + "\n")
    _ = bench.heard(client)
    bench.answer(report("1"))
    #expect(bench.heard(client) == [String(report("1").dropLast())])
  }

  @Test func `a token names the newest request that has it, and none once that has ended`() {
    var bench = bench()
    let client = connect(&bench)
    bench.send(request(1, #"{"workDoneToken":1}"#) + request(2, #"{"workDoneToken":1}"#), from: client)
    let asked = bench.asked()
    bench.timePasses(999)
    bench.answer(report("1"))
    _ = bench.heard(client)
    bench.timePasses(1)
    let heard = bench.heard(client)
    #expect(isExpired(heard, 1) && !isExpired(heard, 2))
    #expect(asked.count == 2)
    bench.timePasses(998)
    bench.send(request(3, #"{"workDoneToken":1}"#), from: client)
    bench.answer(report("1"))
    _ = bench.heard(client)
    bench.timePasses(1)
    #expect(isExpired(bench.heard(client), 2))
    bench.timePasses(998)
    #expect(bench.heard(client).isEmpty)
    bench.timePasses(1)
    #expect(isExpired(bench.heard(client), 3))
  }

  @Test func `a token that another connection has is none of this one's`() {
    var bench = bench()
    let (client, other) = (connect(&bench), connect(&bench))
    bench.send(request(1, #"{"workDoneToken":1}"#), from: client)
    bench.send(request(1, #"{"workDoneToken":1}"#), from: other)
    bench.timePasses(999)
    bench.answer(report("1"))
    bench.timePasses(1)
    #expect(!isExpired(bench.heard(client)))
    #expect(isExpired(bench.heard(other)))
  }

  @Test func `tokens of very many requests are not kept`() {
    var bench = bench()
    let client = connect(&bench)
    bench.send(request(0, #"{"workDoneToken":0}"#), from: client)
    for id in 1...1_000 {
      bench.send(request(id, #"{"workDoneToken":\#(id),"partialResultToken":"\#(id)"}"#), from: client)
      bench.answer(result("\(id + 1)", "1") + "\n")
    }
    #expect((300...520).contains(tokenCount(bench)))
  }
}
