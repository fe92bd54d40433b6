import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// Progress of an upstream that clients share: each hears that of its own requests, by its own token.
@Suite struct SharedProgressTests {
  private func bench(_ adjust: (inout GatewayConfiguration) -> Void = { _ in }) -> Bench {
    var configuration = GatewayConfiguration()
    configuration.upstreams[0].passesProgress = true
    adjust(&configuration)
    return Bench(configuration)
  }

  private func report(_ token: String, _ value: String = "1") -> String {
    #"{"jsonrpc":"2.0","method":"$/progress","params":{"token":\#(token),"value":\#(value)}}"#
  }

  private func reportMCP(_ token: String) -> String {
    #"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":\#(token),"x":2}}"#
  }

  /// What upstream was asked first.
  private func asked(_ bench: inout Bench) -> String { bench.asked().first ?? "nothing" }

  @Test func `two clients have the same token, and each hears of its own request`() {
    var bench = bench()
    let clients = [bench.connect(), bench.connect()]
    for (id, client) in zip(7..., clients) {
      bench.send(line("\(id)", params: #"{"a":1.0,"workDoneToken":5, "z":[]}"#), from: client)
    }
    #expect(
      bench.asked()
        == [
          line("1", params: #"{"a":1.0,"workDoneToken":"1w", "z":[]}"#),
          line("2", params: #"{"a":1.0,"workDoneToken":"2w", "z":[]}"#),
        ].map { String($0.dropLast()) })
    bench.answer(report(#""2w""#, "[2]") + "\n" + report(#""1w""#, #"{"n":1}"#) + "\n")
    #expect(bench.heard(clients[0]) == [report("5", #"{"n":1}"#)])
    #expect(bench.heard(clients[1]) == [report("5", "[2]")])
    #expect(bench.core.counters.droppedPieces == 0 && bench.core.counters.unsolicited == 0)
  }

  @Test(arguments: [
    (#"{"workDoneToken":"é","x":0}"#, #"{"workDoneToken":"1w","x":0}"#, #""1w""#, #""é""#),
    (#"{"partialResultToken":"\u0041"}"#, #"{"partialResultToken":"1p"}"#, #""1p""#, #""\u0041""#),
    (
      #"{"partialResultToken":2,"workDoneToken":1}"#, #"{"partialResultToken":"1p","workDoneToken":"1w"}"#,
      #""1p""#, "2"
    ),
    (
      #"{"_meta":{"x":{},"progressToken":1.5}}"#, #"{"_meta":{"x":{},"progressToken":"1m"}}"#, #""1m""#, "1.5"
    ),
    (#"{"workDone\u0054oken":1}"#, #"{"workDone\u0054oken":"1w"}"#, #""1w""#, "1"),
  ])
  func `only the token changes, and comes back as it was`(
    params: String, sent: String, token: String, own: String
  ) {
    for report in [report, { token, _ in reportMCP(token) }] {
      var bench = bench()
      let client = bench.connect()
      bench.send(line("1", params: params), from: client)
      #expect(asked(&bench) == String(line("1", params: sent).dropLast()))
      bench.answer(report(token, "1") + "\n")
      #expect(bench.heard(client) == [report(own, "1")])
    }
  }

  @Test(arguments: [
    #"{"workDoneToken":null}"#, #"{"workDoneToken":{"a":"1w"}}"#, #"{"x":{"workDoneToken":1}}"#, "[1]",
    #"{"_meta":[1]}"#, #"{"progressToken":1}"#,
  ])
  func `what is no token stays`(params: String) {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", params: params), from: client)
    #expect(asked(&bench) == String(line("1", params: params).dropLast()))
    bench.answer(report(#""1w""#) + "\n")
    #expect(bench.heard(client).isEmpty && bench.core.counters.droppedPieces == 1)
  }

  @Test(arguments: [
    #"{"workDoneToken":1,"workDoneToken":2}"#,
    #"{"_meta":{"progressToken":1},"_meta":{"progressToken":"1m"}}"#,
    #"{"_meta":{"progressToken":1,"progressToken":2}}"#,
    #"{"partialResultToken":"\#(String(repeating: "x", count: 127))"}"#,
  ])
  func `a token that stands there twice, or is too long, is refused`(params: String) {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", params: params), from: client)
    bench.send(#"{"jsonrpc":"2.0","method":"n","params":\#(params)}"# + "\n", from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains(#""id":1,"error":{"code":-32602"#), "\(heard)")
    #expect(bench.asked().isEmpty)
  }

  @Test func `a token may have as many bytes as that`() {
    let token = "\"" + String(repeating: "x", count: 126) + "\""
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", params: #"{"workDoneToken":\#(token)}"#), from: client)
    bench.answer(report(#""1w""#) + "\n")
    #expect(bench.heard(client) == [report(token)])
  }

  @Test func `nothing of what nobody waits for any more is heard, not even in the same turn`() {
    var bench = bench()
    let client = bench.connect()
    let task = #"{"key":"k"}"#
    bench.send(line("1", params: #"{"workDoneToken":"t"}"#, task: task), from: client)
    _ = bench.asked()
    bench.answer(report(#""1w""#) + "\n")
    bench.send(line("2", params: #"{"workDoneToken":"t"}"#, task: task), from: client)
    bench.answer(report(#""1w""#) + "\n")
    let heard = bench.heard(client)
    #expect(heard.count == 2 && heard[0] == report(#""t""#) && heard[1].contains("-32080"), "\(heard)")
    let second = bench.asked().last?.firstMatch(of: /"id":(\d+),.*"(\d+)w"/)
    #expect(second != nil && second?.1 == second?.2, "a task has its own token")
    bench.answer(report("\"\(second?.1 ?? "")w\"") + "\n")
    #expect(bench.heard(client) == [report(#""t""#)])
    bench.answer(result(String(second?.1 ?? ""), "0") + "\n" + report("\"\(second?.1 ?? "")w\"") + "\n")
    #expect(bench.heard(client) == [result("2", "0")])
    #expect(bench.core.counters.droppedPieces == 2)
  }

  @Test(arguments: [
    "5", #""5""#, #""1x""#, #""w""#, #""01w""#, #""1w2""#, #""\u0031w""#, "null", "{}",
    #""99999999999999999999w""#,
    #""-1w""#,
  ])
  func `a token that is none of ours is nobody's`(token: String) {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", params: #"{"workDoneToken":5}"#), from: client)
    bench.answer(report(token) + "\n" + reportMCP(token) + "\n")
    #expect(bench.heard(client).isEmpty && bench.core.counters.unsolicited == 2)
  }

  @Test func `a token that its request did not give is nobody's`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", params: #"{"workDoneToken":5}"#) + line("2"), from: client)
    _ = bench.asked()
    for token in ["1p", "1m", "2w", "3w", "70000w"] { bench.answer(report("\"\(token)\"") + "\n") }
    #expect(bench.heard(client).isEmpty && bench.core.counters.droppedPieces == 5)
  }

  @Test func `the token of another connection's request is nobody's`() {
    var bench = bench { $0.upstreams[0].endpoints = 2 }
    let client = bench.connect()
    for id in 1...2 { bench.send(line("\(id)", params: #"{"workDoneToken":\#(id)}"#), from: client) }
    let sent = bench.sent()
    #expect(sent.count == 2 && sent[0].hasPrefix("0: ") && sent[1].hasPrefix("1: "), "\(sent)")
    bench.answer(report(#""2w""#) + "\n")
    #expect(bench.heard(client).isEmpty && bench.core.counters.droppedPieces == 1)
    bench.answer(report(#""2w""#) + "\n", from: UpstreamID(slot: 1))
    #expect(bench.heard(client) == [report("2")])
  }

  @Test func `the deadline begins anew with each report`() {
    var bench = bench {
      $0.timeoutMilliseconds = 1_000
      $0.longest.timeoutMilliseconds = 5_000
    }
    let client = bench.connect()
    bench.send(line("1", params: #"{"workDoneToken":5}"#), from: client)
    bench.timePasses(999)
    bench.answer(report(#""1w""#) + "\n")
    bench.timePasses(999)
    #expect(bench.heard(client) == [report("5")])
    bench.timePasses(1)
    #expect(bench.heard(client).first?.contains("-32083") == true)
  }

  @Test func `who asks the very same shares the progress, who has another token does not`() {
    var bench = bench { $0.routes = [Self.joinable] }
    let clients = [bench.connect(), bench.connect(), bench.connect()]
    let task = #"{"key":"k","policy":"preferPrevious","join":"always"}"#
    for (client, token) in zip(clients, [5, 5, 6]) {
      bench.send(line("1", params: #"{"workDoneToken":\#(token)}"#, task: task), from: client)
    }
    bench.send(line("2", params: "{}", task: task), from: clients[2])
    bench.answer(report(#""1w""#) + "\n")
    #expect(bench.heard(clients[0]) == [report("5")] && bench.heard(clients[1]) == [report("5")])
    let refused = bench.heard(clients[2])
    #expect(refused.count == 2 && refused.allSatisfy { $0.contains("-32081") }, "\(refused)")
  }

  private static var joinable: Route {
    var route = Route(method: "m")
    route.join = .always
    route.superseded = .follow
    return route
  }

  @Test func `who has a token follows nobody, and nobody follows it`() {
    var bench = bench { $0.routes = [Self.joinable] }
    let clients = [bench.connect(), bench.connect(), bench.connect()]
    let (task, token) = (#"{"key":"k"}"#, #"{"workDoneToken":5}"#)
    for (client, params) in zip(clients, [token, "{}", token]) {
      bench.send(line("1", params: params, task: task), from: client)
    }
    for client in clients.dropLast() { #expect(bench.heard(client).first?.contains("-32080") == true) }
    #expect(bench.heard(clients[2]).isEmpty)
  }

  @Test func `a notification cannot say another's token`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", params: #"{"workDoneToken":5}"#), from: client)
    _ = bench.asked()
    let other = bench.connect()
    bench.send(#"{"jsonrpc":"2.0","method":"n","params":{"workDoneToken":"1w"}}"# + "\n", from: other)
    let told = asked(&bench)
    #expect(told.contains(#""method":"n""#) && !told.contains(#""1w""#), "\(told)")
    bench.send(
      #"{"jsonrpc":"2.0","method":"window/workDoneProgress/cancel","params":{"token":"1w"}}"# + "\n",
      from: other)
    #expect(bench.asked().isEmpty)
    bench.send(line("2", "window/workDoneProgress/cancel", params: #"{"token":"1w"}"#), from: other)
    #expect(bench.asked().isEmpty)
    #expect(bench.heard(other).map { $0.contains(#""id":2,"error":{"code":-32601,"#) } == [true])
  }

  @Test func `without the setting nothing is replaced or passed on`() {
    var bench = bench { $0.upstreams[0].passesProgress = false }
    let client = bench.connect()
    bench.send(line("1", params: #"{"workDoneToken":5}"#), from: client)
    #expect(asked(&bench) == String(line("1", params: #"{"workDoneToken":5}"#).dropLast()))
    bench.answer(report("5") + "\n" + report(#""1w""#) + "\n")
    #expect(bench.heard(client).isEmpty && bench.core.counters.unsolicited == 2)
  }

  @Test func `without the setting nobody ends another's work by its token either`() {
    var bench = bench { $0.upstreams[0].passesProgress = false }
    let clients = [bench.connect(), bench.connect()]
    bench.send(line("1", params: #"{"workDoneToken":1}"#), from: clients[0])
    #expect(bench.asked().count == 1)
    let cancel = "window/workDoneProgress/cancel"
    bench.send(#"{"jsonrpc":"2.0","method":"\#(cancel)","params":{"token":1}}"# + "\n", from: clients[1])
    bench.send(line("2", cancel, params: #"{"token":1}"#), from: clients[1])
    #expect(bench.asked().isEmpty)
    #expect(bench.heard(clients[1]).map { $0.contains(#""id":2,"error":{"code":-32601,"#) } == [true])
    #expect(bench.core.liveRequestCount == 1)
  }

  @Test func `to an upstream of the connection's own it goes on`() {
    var bench = Bench.ofOwnUpstreams()
    let client = bench.connect()
    bench.send(line("1", params: #"{"workDoneToken":1}"#), from: client)
    bench.connectUpstreams()
    bench.send(
      #"{"jsonrpc":"2.0","method":"window/workDoneProgress/cancel","params":{"token":1}}"# + "\n",
      from: client)
    #expect(bench.asked().last?.contains("window/workDoneProgress/cancel") == true)
  }

  @Test func `a request goes with what is left of its time, and in a frame, too`() {
    var bench = bench {
      $0.upstreams[0].passesTask = true
      $0.upstreams[0].framing = .contentLength
    }
    let client = bench.connect()
    bench.send(line("1", params: #"{"workDoneToken":55555}"#, task: #"{"timeoutMs":700}"#), from: client)
    bench.core.flush(into: &bench.sink)
    let text = String(decoding: bench.sink.toUpstream, as: UTF8.self)
    let params = #"{"workDoneToken":"1w"}"#
    let message = #"{"jsonrpc":"2.0","id":1,"method":"m","params":\#(params),"task":{"timeoutMs":700}}"#
    #expect(text == "Content-Length: \(message.utf8.count)\r\n\r\n\(message)")
  }

  @Test func `of requests that have ended no token is kept for ever`() {
    var bench = bench()
    let client = bench.connect()
    for id in 1...2_000 {
      bench.send(
        line("\(id)", params: #"{"workDoneToken":5}"#, task: #"{"key":"k\#(id % 7)"}"#), from: client)
      for asked in bench.asked() {
        if id.isMultiple(of: 3), let own = asked.firstMatch(of: /"id":(\d+)/)?.1 {
          bench.answer(result(String(own), "0") + "\n")
        }
      }
      _ = bench.heard(client)
    }
    #expect(bench.core.progressTokenCount < 600)
  }
}
