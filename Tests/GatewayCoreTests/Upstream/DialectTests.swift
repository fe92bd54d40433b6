import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// What an upstream hears, as its options have it.
@Suite struct DialectTests {
  private func bench(_ adjust: (inout GatewayConfiguration) -> Void) -> Bench {
    var configuration = GatewayConfiguration()
    adjust(&configuration)
    return Bench(configuration)
  }

  private let keyed = #"{"key":"k"}"#

  private mutating func supersede(_ bench: inout Bench) -> [String] {
    let client = bench.connect()
    bench.send(line("1", task: keyed), from: client)
    _ = bench.asked()
    bench.send(line("2", task: keyed), from: client)
    return bench.asked().filter { !$0.contains(#""method":"m""#) }
  }

  @Test(arguments: [
    (CancelDialect.lsp, [#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#], 2),
    (.mcp, [#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#], 1),
    (.notification, [#"{"jsonrpc":"2.0","method":"job.\"stop\"","params":{"job":1}}"#], 2),
    (.none, [], 2), (.abort, [], 2),
  ])
  func `each dialect has its words`(dialect: CancelDialect, words: [String], tasks: Int) {
    var bench = bench {
      $0.upstreams[0].cancel = dialect
      $0.upstreams[0].cancelNotification = CancelNotification(
        method: "job.\"stop\"", member: "job", isAnswered: true)
    }
    var test = self
    #expect(test.supersede(&bench) == words)
    #expect(bench.core.taskCount == tasks)
    #expect(bench.core.counters.cancelsSent == UInt64(words.count))
  }

  @Test func `a task ends with a notification that is never answered`() {
    var bench = bench {
      $0.upstreams[0].cancel = .notification
      $0.upstreams[0].cancelNotification = CancelNotification(method: "stop", member: "id", isAnswered: false)
    }
    var test = self
    #expect(test.supersede(&bench).count == 1)
    #expect(bench.core.taskCount == 1)
  }

  @Test func `a route has its own way of cancelling`() {
    var bench = bench {
      var route = Route(method: "m")
      route.cancel = CancelDialect.none
      $0.routes = [route]
    }
    var test = self
    #expect(test.supersede(&bench) == [])
  }

  @Test(arguments: [CancelDialect.mcp, .notification])
  func `what may have to be undone is not taken back unheard`(dialect: CancelDialect) {
    var bench = bench {
      $0.upstreams[0].cancel = dialect
      $0.upstreams[0].cancelNotification = CancelNotification(method: "stop", member: "id", isAnswered: false)
      $0.routes = [Route(method: "m", compensation: "undo")]
    }
    var test = self
    #expect(test.supersede(&bench) == [])
    bench.answer(result("1", "7") + "\n")
    let asked = bench.asked()
    #expect(asked.count == 1 && asked[0].contains(#""method":"undo","params":{"result":7}"#))
  }

  @Test(arguments: CancelDialect.allCases)
  func `what a client takes back in another protocol's words is its own, whatever upstream speaks`(
    dialect: CancelDialect
  ) {
    var bench = bench {
      $0.upstreams[0].cancel = dialect
      $0.upstreams[0].cancelNotification = CancelNotification(method: "stop", member: "job", isAnswered: true)
    }
    let (client, other) = (bench.connect(), bench.connect())
    bench.send(line("1"), from: other)
    bench.send(line("1") + line("2"), from: client)
    _ = bench.asked()
    bench.send(
      #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"# + "\n"
        + #"{"jsonrpc":"2.0","method":"st\u006fp","params":{"job":2}}"# + "\n", from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 2 && heard.allSatisfy { $0.contains("-32800") })
    #expect(bench.heard(other) == [])
    // Upstream knows the other's request as 1, and these as 2 and 3.
    #expect(bench.asked().allSatisfy { $0.hasSuffix(":2}}") || $0.hasSuffix(":3}}") })
  }

  @Test func `a notification of such a name that takes nothing back is one like any other`() {
    var bench = Bench()
    let client = bench.connect()
    let text = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"x"}}"#
    bench.send(text + "\n", from: client)
    #expect(bench.asked() == [text])
  }

  /// What upstream might take for a cancel of its request 1, in all forms but the one that takes back a client's own.
  private static func forms(_ method: String, _ member: String) -> [String] {
    let params = [#","params":{"\#(member)":1}"#, #","params":[1]"#, #","params":{"reason":1}"#, ""]
    let requests = params.map { #""id":2,"method":"\#(method)"\#($0)"# }
    let notifications = params.dropFirst().map { #""method":"\#(method)"\#($0)"# }
    let wrapped = #""id":2,"method":"lastword.call","params":{"method":"\#(method)","params":[1]}"#
    return requests + notifications + [wrapped]
  }

  /// A client sends such a message while another one's request is under way.
  private func forges(_ message: String, _ bench: inout Bench) {
    let (client, other) = (bench.connect(), bench.connect())
    bench.send(line("1"), from: other)
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","id":1,"method":"m"}"#])
    bench.send(#"{"jsonrpc":"2.0",\#(message)}"# + "\n", from: client)
    #expect(bench.asked() == [], "\(message)")
    let refused = bench.heard(client).map {
      $0.hasPrefix(#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"#)
    }
    #expect(refused == (message.contains(#""id":2"#) ? [true] : []), "\(message)")
    #expect(bench.core.counters.invalid == 1 && bench.core.liveRequestCount == 1)
  }

  @Test(arguments: forms("stop", "job") + forms(#"st\u006fp"#, "job"), [CancelDialect.notification, .none])
  func `no other form of an upstream's own cancel reaches one that clients share`(
    message: String, dialect: CancelDialect
  ) {
    var bench = bench {
      $0.upstreams[0].cancel = dialect
      $0.upstreams[0].cancelNotification = CancelNotification(method: "stop", member: "job", isAnswered: true)
    }
    forges(message, &bench)
  }

  @Test(arguments: forms("notifications/cancelled", "requestId"), [true, false])
  func `nor does one of the Model Context Protocol, where upstream or a route speaks that`(
    message: String, isOfRoute: Bool
  ) {
    var bench = bench {
      guard isOfRoute else { return $0.upstreams[0].cancel = .mcp }
      $0.routes = [Route(method: "m")]
      $0.routes[0].cancel = .mcp
    }
    forges(message, &bench)
  }

  @Test func `an upstream of a connection's own hears them, as all ids there are its client's`() {
    for message in Self.forms("stop", "job") {
      var bench = Bench.ofOwnUpstreams {
        $0.upstreams[0].cancel = .notification
        $0.upstreams[0].cancelNotification = CancelNotification(
          method: "stop", member: "job", isAnswered: true)
      }
      let client = bench.connect()
      bench.send(#"{"jsonrpc":"2.0",\#(message)}"# + "\n", from: client)
      bench.connectUpstreams()
      #expect(bench.asked().map { $0.contains(#""method":"stop""#) } == [true], "\(message)")
    }
  }

  @Test(arguments: forms("stop", "job"))
  func `POSTs that go to the upstream that is for them do not cancel there`(message: String) throws {
    var bench = bench {
      $0.upstreams = [UpstreamOptions(cancel: .mcp), UpstreamOptions(cancel: .abort)]
      $0.upstreams[0].isPerConnection = true
      $0.upstreams[0].placeForPosts = 1
      $0.upstreams[1].shape = .exchanges
      $0.upstreams[1].cancelNotification = CancelNotification(method: "stop", member: "job", isAnswered: true)
    }
    let connected = bench.core.clientConnected(listener: 0, as: .exchange)
    let post = try #require(connected)
    bench.send(#"{"jsonrpc":"2.0",\#(message)}"# + "\n", from: post)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.exchanges.isEmpty && bench.core.counters.invalid == 1)
  }

  @Test func `a method that only begins like a cancel is one like any other`() {
    var bench = bench {
      $0.upstreams[0].cancelNotification = CancelNotification(method: "stop", member: "job", isAnswered: true)
    }
    let client = bench.connect()
    for method in ["sto", "stops", "notifications/cancelled"] { bench.send(line("1", method), from: client) }
    #expect(bench.asked().count == 3)
  }

  // MARK: Framing

  @Test func `Content-Length frames requests, cancels and compensations`() {
    var bench = bench {
      $0.upstreams[0].framing = .contentLength
      $0.routes = [Route(method: "join", compensation: "leave")]
    }
    let client = bench.connect()
    bench.send(line("1", "join", params: "[1]", task: keyed), from: client)
    _ = bench.heard(client)
    bench.send(line("2", "join", params: "[2]", task: keyed), from: client)
    _ = bench.heard(client)
    let body = #"{"jsonrpc":"2.0","id":1,"result":"é"}"#
    bench.answer("Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    _ = bench.heard(client)
    let sent = String(decoding: bench.sink.toUpstream, as: UTF8.self)
    let messages = sent.split(separator: "Content-Length: ").map { $0.split(separator: "\r\n\r\n") }
    #expect(messages.count == 3)
    for message in messages { #expect(Int(message[0]) == message[1].utf8.count) }
    #expect(messages[1][1].contains("$/cancelRequest"))
    #expect(messages[2][1].contains(#""method":"leave","params":{"params":[1],"result":"é"}"#))
  }

  @Test func `behind a header line breaks stay, in a line they do not`() {
    let body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":[1,\n2]}"
    for (framing, params) in [(Framing.contentLength, "[1,\n2]"), (.lines, "[1, 2]")] {
      var bench = bench { $0.upstreams[0].framing = framing }
      let client = bench.connect()
      bench.send("Content-Length: \(body.utf8.count)\r\n\r\n\(body)", from: client)
      _ = bench.heard(client)
      #expect(String(decoding: bench.sink.toUpstream, as: UTF8.self).contains("\"params\":\(params)}"))
    }
  }

  @Test func `what a child prints is skipped and counted`() {
    var bench = bench { $0.upstreams[0].toleratesNoise = true }
    let client = bench.connect()
    bench.send(line("1"), from: client)
    _ = bench.heard(client)
    bench.answer("Starting up...\n{ not json }\n" + result("1", "0") + "\n")
    #expect(bench.heard(client) == [result("1", "0")])
    #expect(bench.core.counters.noise == 2 && bench.sink.disconnects == 0)
  }

  // MARK: Another lastword

  @Test func `what is left of the time, and the trace, go along to another lastword`() {
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    var bench = bench {
      $0.upstreams[0].passesTask = true
      $0.upstreams[0].inFlightPerEndpoint = 1
    }
    let client = bench.connect()
    bench.send(
      line("1") + line("2", task: #"{"key":"k","timeoutMs":900,"traceparent":"\#(trace)"}"#), from: client)
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","id":1,"method":"m","task":{"timeoutMs":60000}}"#])
    bench.timePasses(250)
    bench.answer(result("1", "0") + "\n")
    #expect(
      bench.asked() == [
        #"{"jsonrpc":"2.0","id":2,"method":"m","task":{"timeoutMs":650,"traceparent":"\#(trace)"}}"#
      ])
    bench.answer(result("2", "0") + "\n")
    _ = bench.heard(client)
    #expect(bench.core.leftovers == ["1 clients"])
  }
}
