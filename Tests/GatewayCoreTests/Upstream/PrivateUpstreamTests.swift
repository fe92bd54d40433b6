import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// Upstreams that each client connection has for itself, as editors have language servers.
@Suite struct PrivateUpstreamTests {
  /// A client whose upstream is connected, at the slot that is its place among the clients.
  private func connect(_ bench: inout Bench) -> ClientID {
    let client = bench.connect()
    bench.send(#"{"jsonrpc":"2.0","id":"hello","method":"initialize"}"# + "\n", from: client)
    bench.connectUpstreams()
    return client
  }

  private func notification(_ method: String) -> String { #"{"jsonrpc":"2.0","method":"\#(method)"}"# }

  @Test func `each client gets a connection of its own, when it first needs one`() {
    var bench = Bench.ofOwnUpstreams()
    let (one, other) = (bench.connect(), bench.connect())
    #expect(bench.sink.connects == 0)
    bench.send(line("1"), from: one)
    bench.connectUpstreams()
    bench.send(line("1"), from: other)
    bench.connectUpstreams()
    let lines = bench.sent()
    #expect(lines.count == 2 && lines[0].hasPrefix("0:") && lines[1].hasPrefix("1:"))
    bench.answer(result("1", "\"one\"") + "\n")
    bench.answer(result("1", "\"not its own\"") + "\n", from: UpstreamID(slot: 1))
    #expect(bench.heard(one) == [result("1", "\"one\"")])
    #expect(bench.heard(other) == [])
  }

  @Test func `requests and notifications pass in the order in which they came`() {
    var bench = Bench.ofOwnUpstreams()
    let client = bench.connect()
    let messages = (0..<6).map { $0 % 2 == 0 ? line("\($0)", "m\($0)") : notification("m\($0)") + "\n" }
    bench.send(messages.joined(), from: client)
    bench.connectUpstreams()
    let methods = bench.asked().compactMap { $0.split(separator: "\"method\":\"").last?.prefix(2) }
    #expect(methods == ["m0", "m1", "m2", "m3", "m4", "m5"])
  }

  @Test func `what upstream tells and asks reaches its client, and the answer reaches upstream`() {
    var bench = Bench.ofOwnUpstreams()
    let (client, other) = (connect(&bench), connect(&bench))
    _ = bench.sent()
    bench.answer(
      notification("log") + "\n" + #"{"jsonrpc":"2.0","id":"é 1.0","method":"ask","params":{"a":[1]}}"# + "\n"
    )
    #expect(
      bench.heard(client) == [
        notification("log"), #"{"jsonrpc":"2.0","id":1,"method":"ask","params":{"a":[1]}}"#,
      ])
    #expect(bench.heard(other) == [])
    bench.send(result("1", "[ null ]") + "\n", from: client)
    #expect(bench.sent() == [#"0: {"jsonrpc":"2.0","id":"é 1.0","result":[ null ]}"#])
    bench.send(result("1", "2") + "\n", from: client)
    #expect(bench.sent() == [])
    #expect(bench.core.counters.unsolicited == 1)
  }

  /// One whose upstream has asked it something, too.
  private func connect(_ bench: inout Bench, asked id: Int) -> ClientID {
    let client = connect(&bench)
    _ = bench.asked()
    bench.answer(question(id))
    _ = bench.heard(client)
    return client
  }

  private func question(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"method":"ask"}"# + "\n" }

  @Test(arguments: [
    (#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#, #"{"jsonrpc":"2.0","id":7,"result":{}}"#),
    (#"{"jsonrpc":"2.0","error":null,"id":1,"result":null}"#, #"{"jsonrpc":"2.0","id":7,"result":null}"#),
    (
      #"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":"m"}}"#,
      #"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"m"}}"#
    ),
  ])
  func `null beside the other is no answer of its own`(answer: String, relayed: String) {
    var bench = Bench.ofOwnUpstreams()
    let client = connect(&bench, asked: 7)
    bench.send(answer + "\n", from: client)
    #expect(bench.heard(client) == [] && bench.asked() == [relayed])
  }

  @Test(arguments: [
    #"{"id":1,"result":{},"error":null}"#, #"{"jsonrpc":"1.0","id":1,"result":{}}"#,
    #"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"m"}}"#,
    #"{"jsonrpc":"2.0","id":1,"error":"no"}"#, #"{"jsonrpc":"2.0","id":1,"result":1,"result":2}"#,
    #"{"jsonrpc":"2.0","id":[1],"result":1}"#, #"{"jsonrpc":"2.0","id":null,"result":1}"#,
    #"{"jsonrpc":"2.0","result":1}"#, #"[{"id":1,"result":{}}]"#,
  ])
  func `of a bad answer who asked hears, and not its client`(answer: String) {
    var bench = Bench.ofOwnUpstreams()
    let client = connect(&bench, asked: 7)
    bench.send(answer + "\n", from: client)
    #expect(bench.heard(client) == [])
    let heard = bench.asked()
    #expect(heard.count == 1 && heard[0].hasPrefix(#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"#))
    // It is not waited for any more.
    bench.send(#"{"jsonrpc":"2.0","id":1,"result":1}"# + "\n", from: client)
    #expect(bench.heard(client) == [] && bench.asked() == [])
  }

  @Test func `an answer that says not to what ends every wait of its client's upstreams, and nobody else's`()
  {
    var bench = Bench.ofOwnUpstreams()
    let (client, other) = (connect(&bench), connect(&bench))
    _ = bench.sent()
    bench.answer(question(7) + question(8))
    bench.answer(question(9), from: UpstreamID(slot: 1))
    _ = (bench.heard(client), bench.heard(other))
    bench.send(#"{"jsonrpc":"2.0","id":true,"result":1}"# + "\n", from: client)
    let heard = bench.sent()
    #expect(
      heard.count == 2 && heard[0].contains(#""id":7,"error""#) && heard[1].contains(#""id":8,"error""#))
    #expect(bench.heard(client) == [] && bench.heard(other) == [])
  }

  @Test func `a bad answer to nothing is answered by nobody`() {
    var bench = Bench.ofOwnUpstreams()
    let client = connect(&bench)
    _ = bench.asked()
    bench.send(#"{"id":1,"result":{}}"# + "\n" + #"{"jsonrpc":"2.0","result":1}"# + "\n", from: client)
    #expect(bench.heard(client) == [] && bench.asked() == [])
    #expect(bench.core.counters.invalid == 2 && bench.core.counters.unsolicited == 2)
  }

  @Test func `without a scope a key is found where its requests went`() {
    var bench = Bench.ofOwnUpstreams {
      $0.upstreams.append(UpstreamOptions())
      var route = Route(method: "shared")
      route.upstream = 1
      $0.routes = [route]
    }
    let (client, other) = (connect(&bench), connect(&bench))
    let keyed = #"{"key":"k"}"#
    bench.send(line("1", task: keyed) + line("2", "shared", task: keyed), from: client)
    bench.send(line("1", task: keyed), from: other)
    _ = (bench.heard(client), bench.heard(other))
    let inspect = { (scope: String) in
      #"{"jsonrpc":"2.0","id":5,"method":"lastword.inspect","params":{"key":"k"\#(scope)}}"# + "\n"
    }
    bench.send(
      inspect("") + inspect(#","scope":"connection""#) + inspect(#","scope":"shared""#), from: client)
    let counts = bench.heard(client).map { $0.split(separator: "\"count\":")[1].prefix(1) }
    #expect(counts == ["2", "1", "1"])
    bench.send(
      #"{"jsonrpc":"2.0","id":6,"method":"lastword.cancel","params":{"key":"k"}}"# + "\n", from: client)
    #expect(bench.heard(client).last == result("6", #"{"cancelled":2}"#))
    #expect(bench.core.liveRequestCount == 3)
  }

  @Test func `an error is an answer, too`() {
    var bench = Bench.ofOwnUpstreams()
    let client = connect(&bench)
    _ = bench.sent()
    bench.answer(line("7", "ask"))
    _ = bench.heard(client)
    bench.send(#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"# + "\n", from: client)
    #expect(bench.sent() == [#"0: {"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no"}}"#])
  }

  @Test func `upstream takes back what it asked, under the number that the client knows`() {
    var bench = Bench.ofOwnUpstreams()
    let client = connect(&bench)
    bench.answer(line("\"a\"", "ask") + line("\"b\"", "ask"))
    bench.answer(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"b"}}"# + "\n")
    bench.answer(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}"# + "\n")
    #expect(
      bench.heard(client).suffix(2) == [
        #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}"#,
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
      ])
  }

  @Test func `what an MCP server takes back is not answered, and no longer counts as asked`() {
    var bench = Bench.ofOwnUpstreams { $0.upstreamRequests = 1 }
    let client = connect(&bench)
    _ = bench.sent()
    bench.answer(line("\"a\"", "ask"))
    bench.answer(#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}"# + "\n")
    bench.answer(line("\"b\"", "ask"))
    #expect(bench.heard(client).last == #"{"jsonrpc":"2.0","id":2,"method":"ask"}"#)
    bench.send(result("1", "0") + "\n" + result("2", "0") + "\n", from: client)
    #expect(bench.sent() == [#"0: {"jsonrpc":"2.0","id":"b","result":0}"#])
  }

  private func takesBack(_ id: String) -> String {
    #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"# + "\n"
  }

  @Test func `of questions with one id, however it is spelled, the newest that is open is taken back`() {
    var bench = Bench.ofOwnUpstreams()
    let client = connect(&bench)
    _ = bench.sent()
    for id in [#""a""#, #""\u0061""#, "1", #""a""#, #""a""#] { bench.answer(line(id, "ask")) }
    bench.answer(takesBack(#""a""#))
    bench.send(result("2", "0") + "\n", from: client)
    for _ in 1...3 { bench.answer(takesBack(#""\u0061""#)) }
    let heard = Array(bench.heard(client).dropFirst(5))
    #expect(heard == ["5", "4", "1"].map { String(takesBack($0).dropLast()) })
    #expect(bench.core.counters.unsolicited == 1)
    #expect(bench.sent() == [#"0: {"jsonrpc":"2.0","id":"\u0061","result":0}"#])
    bench.answer(takesBack("1"))
    #expect(bench.heard(client) == [String(takesBack("3").dropLast())])
  }

  @Test(.timeLimit(.minutes(1)))
  func `what one question that is taken back costs does not grow with those that are open`() {
    let count = 20_000
    var bench = Bench.ofOwnUpstreams { $0.upstreamRequests = count }
    let client = connect(&bench)
    func say(_ text: (Int) -> String, _ bench: inout Bench) {
      for number in 1...count { bench.answer(text(number)) }
      bench.core.flush(into: &bench.sink)
      bench.sink.toClients = [:]
    }
    say({ line("\($0)", "ask") }, &bench)
    say({ #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#($0)}}"# + "\n" }, &bench)
    #expect(bench.core.counters.unsolicited == 0)
    bench.send(result("\(count)", "0") + "\n", from: client)
    #expect(bench.asked().last == result("\(count)", "0"))
  }

  @Test func `what upstream takes back too late is not taken for another request`() {
    var bench = Bench.ofOwnUpstreams()
    let client = connect(&bench)
    bench.answer(line("2", "ask") + line("1", "ask"))
    bench.send(result("1", "0") + "\n", from: client)
    _ = bench.heard(client)
    bench.answer(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}"# + "\n")
    #expect(bench.heard(client) == [])
    #expect(bench.core.counters.unsolicited == 1)
  }

  @Test func `upstream may ask only so much at once`() {
    var bench = Bench.ofOwnUpstreams { $0.upstreamRequests = 1 }
    let client = connect(&bench)
    _ = bench.sent()
    bench.answer(line("1", "ask") + line("2", "ask"))
    #expect(bench.heard(client).count == 1)
    let refused = bench.sent()
    #expect(refused.count == 1 && refused[0].contains(#""id":2,"error":{"code":-32082"#))
  }

  @Test func `an upstream that all share is told that nobody knows what it asks`() {
    var bench = Bench()
    let client = bench.connect()
    bench.answer(line("\"x\"", "ask") + notification("log") + "\n")
    #expect(
      bench.asked() == [#"{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"method not found"}}"#])
    #expect(bench.heard(client) == [])
    #expect(bench.core.counters.unsolicited == 2)
  }

  // MARK: Ends

  @Test func `a client that goes takes its upstream with it`() {
    var bench = Bench.ofOwnUpstreams()
    let client = connect(&bench)
    bench.send(line("1", task: #"{"key":"k"}"#), from: client)
    _ = bench.asked()
    bench.core.clientDisconnected(client)
    _ = bench.asked()
    #expect(bench.sink.disconnected == [UpstreamID(slot: 0)])
    #expect(bench.core.leftovers == [])
  }

  @Test func `the end of a client's input is passed on, behind all that it sent`() {
    var bench = Bench.ofOwnUpstreams { $0.inFlightPerEndpoint = 1 }
    let client = connect(&bench)
    bench.send(line("1"), from: client)
    bench.core.clientEnded(client)
    _ = bench.asked()
    #expect(bench.sink.ended == [])
    bench.answer(result("1", "0") + "\n")
    #expect(bench.asked().count == 1)
    #expect(bench.sink.ended == [UpstreamID(slot: 0)] && bench.sink.closed == [])
    bench.answer(result("2", "0") + "\n")
    #expect(bench.heard(client).count == 2)
    #expect(bench.sink.closed == [client.slot] && bench.sink.disconnected == [UpstreamID(slot: 0)])
  }

  /// A client that took back a request, which may have to be undone at its own upstream, and sent FIN.
  private func undoing(_ bench: inout Bench) -> ClientID {
    let client = connect(&bench)
    bench.answer(result("1", "0") + "\n")
    bench.send(line("1", "join"), from: client)
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n", from: client)
    bench.core.clientEnded(client)
    _ = (bench.heard(client), bench.asked())
    return client
  }

  @Test func `the end goes behind what undoes what the client took back`() {
    var bench = Bench.ofOwnUpstreams { $0.routes = [Route(method: "join", compensation: "leave")] }
    let client = undoing(&bench)
    #expect(bench.sink.ended == [] && bench.sink.closed == [])
    bench.answer(result("2", "7") + "\n")
    let undone = bench.asked()
    #expect(undone.count == 1 && undone.first?.contains(#""method":"leave""#) == true)
    #expect(bench.sink.ended == [] && bench.sink.closed == [])
    bench.answer(result("131074", "null") + "\n")
    _ = bench.asked()
    #expect(bench.sink.ended == [UpstreamID(slot: 0)] && bench.sink.closed == [client.slot])
    #expect(bench.core.leftovers == [])
  }

  @Test func `where what the client took back has failed, there is nothing to undo before the end`() {
    var bench = Bench.ofOwnUpstreams { $0.routes = [Route(method: "join", compensation: "leave")] }
    let client = undoing(&bench)
    bench.answer(#"{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"cancelled"}}"# + "\n")
    #expect(bench.asked() == [])
    #expect(bench.sink.ended == [UpstreamID(slot: 0)] && bench.sink.closed == [client.slot])
  }

  /// The drain grace is 5 s. Beyond `stallMs` nothing is waited for.
  @Test(
    arguments: [(orphan: 10_000, stall: 60_000, end: 15_000), (60_000, 20_000, 20_000)]
      as [(UInt64, UInt64, UInt64)])
  func `the end does not wait for longer than something may have to be undone`(
    orphan: UInt64, stall: UInt64, end: UInt64
  ) {
    var bench = Bench.ofOwnUpstreams {
      $0.routes = [Route(method: "join", compensation: "leave")]
      $0.store.orphanMilliseconds = orphan
      $0.stallMilliseconds = stall
    }
    let client = undoing(&bench)
    bench.timePasses(end - 1)
    _ = bench.asked()
    #expect(bench.sink.ended == [] && bench.sink.closed == [])
    bench.timePasses(1)
    #expect(bench.asked() == [])
    #expect(bench.sink.closed == [client.slot] && bench.sink.disconnected == [UpstreamID(slot: 0)])
    #expect(bench.core.leftovers == [])
  }

  @Test func `where FIN is a client's end, nothing is undone behind it`() {
    var bench = Bench.ofOwnUpstreams {
      $0.routes = [Route(method: "join", compensation: "leave")]
      $0.listeners = [ListenerOptions()]
      $0.listeners[0].cancelsAtEnd = true
    }
    let client = undoing(&bench)
    #expect(bench.sink.closed == [client.slot] && bench.sink.disconnected == [UpstreamID(slot: 0)])
    #expect(bench.core.leftovers == [])
  }

  @Test func `a client that ends is closed only when its upstream has all that it said`() {
    var bench = Bench.ofOwnUpstreams()
    let client = bench.connect()
    bench.send(notification("one") + "\n", from: client)
    bench.core.clientEnded(client)
    _ = bench.asked()
    #expect(bench.sink.closed == [])
    bench.sink.upstreamRoom = 20
    bench.connectUpstreams()
    _ = bench.sent()
    #expect(bench.sink.closed == [] && bench.sink.ended == [])
    bench.sink.upstreamRoom = nil
    #expect(bench.asked() == [notification("one")])
    #expect(bench.sink.ended == [UpstreamID(slot: 0)] && bench.sink.disconnected == [UpstreamID(slot: 0)])
    #expect(bench.sink.closed == [client.slot])
    #expect(bench.core.leftovers == [])
  }

  @Test func `a client that ends does not wait for an upstream that is never there, or never reads`() {
    var bench = Bench.ofOwnUpstreams()
    let (one, other) = (bench.connect(), connect(&bench))
    bench.send(notification("one") + "\n", from: one)
    _ = bench.asked()
    bench.core.upstreamDisconnected(UpstreamID(slot: 1))
    bench.core.clientEnded(one)
    bench.timePasses(4_000)
    _ = bench.asked()
    #expect(bench.sink.closed == [one.slot])
    bench.answer(result("1", "0") + "\n")
    bench.sink.upstreamRoom = 0
    bench.send(notification("two") + "\n", from: other)
    bench.core.clientEnded(other)
    _ = bench.heard(other)
    #expect(bench.sink.closed == [one.slot])
    bench.timePasses(60_000)
    _ = bench.heard(other)
    #expect(bench.sink.closed == [one.slot, other.slot])
    #expect(bench.core.leftovers == [])
  }

  /// A client that sends no more, whose upstream was told so at the time 1,000 and may speak for another 500 ms.
  private func endedClient(of bench: inout Bench) -> ClientID {
    let client = connect(&bench)
    bench.answer(result("1", "0") + "\n")
    _ = (bench.heard(client), bench.asked())
    bench.core.clientEnded(client)
    _ = bench.asked()
    #expect(bench.sink.ended == [UpstreamID(slot: 0)] && bench.sink.closed == [])
    return client
  }

  @Test func `what upstream says behind the end of its client's input reaches the client, until it ends`() {
    var bench = Bench.ofOwnUpstreams { $0.upstreams[0].lastWordsMilliseconds = 500 }
    let client = endedClient(of: &bench)
    bench.timePasses(499)
    bench.answer(notification("late") + "\n")
    #expect(bench.heard(client) == [notification("late")] && bench.sink.closed == [])
    bench.answer(notification("last") + "\n")
    bench.core.upstreamDisconnected(UpstreamID(slot: 0))
    #expect(bench.heard(client) == [notification("last")])
    #expect(bench.sink.closed == [client.slot] && bench.sink.disconnected == [])
    #expect(bench.core.leftovers == [])
  }

  @Test func `an upstream that does not end is listened to only for so long`() {
    var bench = Bench.ofOwnUpstreams {
      $0.upstreams[0].lastWordsMilliseconds = 500
      // Whoever has nothing to read is not given up for that.
      $0.stallMilliseconds = 100
    }
    let client = endedClient(of: &bench)
    #expect(bench.core.nextDueMilliseconds == 1_500)
    bench.timePasses(499)
    _ = bench.asked()
    #expect(bench.sink.closed == [])
    bench.timePasses(1)
    _ = bench.asked()
    #expect(bench.sink.closed == [client.slot] && bench.sink.disconnected == [UpstreamID(slot: 0)])
    #expect(bench.core.counters.clientsGivenUp == 0 && bench.core.leftovers == [])
  }

  @Test func `an upstream's time for last words begins when all is answered`() {
    var bench = Bench.ofOwnUpstreams { $0.upstreams[0].lastWordsMilliseconds = 500 }
    let client = connect(&bench)
    bench.core.clientEnded(client)
    _ = bench.asked()
    bench.timePasses(5_000)
    bench.answer(result("1", "0") + "\n")
    #expect(bench.heard(client).count == 1 && bench.sink.closed == [])
    bench.timePasses(499)
    bench.answer(notification("late") + "\n")
    #expect(bench.heard(client) == [notification("late")])
    bench.timePasses(1)
    _ = bench.asked()
    #expect(bench.sink.closed == [client.slot])
  }

  @Test func `a client whose end takes everything back hears no last words`() {
    var bench = Bench.ofOwnUpstreams {
      $0.upstreams[0].lastWordsMilliseconds = 500
      $0.listeners = [ListenerOptions()]
      $0.listeners[0].cancelsAtEnd = true
    }
    let client = connect(&bench)
    bench.answer(result("1", "0") + "\n")
    _ = (bench.heard(client), bench.asked())
    bench.core.clientEnded(client)
    _ = bench.asked()
    #expect(bench.sink.closed == [client.slot])
  }

  // MARK: Waiting for upstream

  /// One whose client is not read from while 100 bytes are unsent to its upstream.
  private func waitingBench() -> Bench {
    Bench.ofOwnUpstreams {
      $0.upstreamOutputSoftBytes = 100
      $0.listeners = [ListenerOptions()]
      $0.listeners[0].waitsForUpstreams = true
      $0.messageMilliseconds = 10
    }
  }

  /// The upstream takes so many bytes, or whatever there is.
  private func upstreamTakes(_ byteCount: Int?, in bench: inout Bench) {
    bench.sink.upstreamRoom = byteCount
    bench.core.upstreamBecameWritable(UpstreamID(slot: 0))
    _ = bench.asked()
  }

  /// A notification of so many bytes, its line feed among them.
  private func notification(ofBytes count: Int) -> String {
    let empty = #"{"jsonrpc":"2.0","method":"m","params":[""]}"#
    let filling = String(repeating: "x", count: count - empty.utf8.count - 1)
    return #"{"jsonrpc":"2.0","method":"m","params":["\#(filling)"]}"# + "\n"
  }

  @Test func `no more is read from a client while its upstream is behind, until half of it is left`() {
    var bench = waitingBench()
    let client = connect(&bench)
    _ = bench.asked()
    bench.sink.upstreamRoom = 0
    bench.send(notification(ofBytes: 99), from: client)
    _ = bench.asked()
    #expect(bench.sink.paused == [])
    upstreamTakes(49, in: &bench)
    bench.send(notification(ofBytes: 50), from: client)
    _ = bench.asked()
    #expect(bench.sink.paused == [client.slot])
    upstreamTakes(49, in: &bench)
    #expect(bench.sink.paused == [client.slot])
    upstreamTakes(1, in: &bench)
    #expect(bench.sink.paused == [])
  }

  @Test func `a client that is not read from is not given up in the middle of a message`() {
    var bench = waitingBench()
    let client = connect(&bench)
    _ = bench.asked()
    bench.sink.upstreamRoom = 0
    bench.send(notification(ofBytes: 101) + #"{"jsonrpc""#, from: client)
    _ = bench.asked()
    bench.timePasses(60_000)
    _ = bench.asked()
    #expect(bench.sink.paused == [client.slot] && bench.sink.closed == [])
    upstreamTakes(nil, in: &bench)
    #expect(bench.sink.paused == [])
    bench.timePasses(10)
    _ = bench.asked()
    #expect(bench.sink.closed == [client.slot])
  }

  @Test func `a client of another listener is read from, whatever its upstream takes`() {
    var bench = Bench.ofOwnUpstreams { $0.upstreamOutputSoftBytes = 100 }
    let client = connect(&bench)
    _ = bench.asked()
    bench.sink.upstreamRoom = 0
    bench.send(notification(ofBytes: 200), from: client)
    _ = bench.asked()
    #expect(bench.sink.paused == [])
  }

  @Test func `an upstream that all share hears nothing of a client's end`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.core.clientEnded(client)
    _ = bench.asked()
    #expect(bench.sink.ended == [])
  }

  @Test func `an attempt that is still under way ends, too`() {
    var bench = Bench.ofOwnUpstreams()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    _ = bench.asked()
    bench.core.clientDisconnected(client)
    _ = bench.asked()
    #expect(bench.sink.disconnected == [UpstreamID(slot: 0)])
    #expect(bench.core.leftovers == [])
  }

  @Test func `when its upstream is lost, a client hears so of each request and is closed`() {
    var bench = Bench.ofOwnUpstreams()
    let client = connect(&bench)
    bench.send(
      line("1") + line("2", task: #"{"key":"k"}"#) + line("3", task: #"{"key":"k","policy":"wait"}"#),
      from: client)
    _ = bench.heard(client)
    bench.core.upstreamDisconnected(UpstreamID(slot: 0))
    let heard = bench.heard(client)
    #expect(heard.count == 4 && heard.allSatisfy { $0.contains("-32084") })
    #expect(heard.filter { $0.contains("notSent") }.count == 1)
    #expect(bench.sink.closed == [client.slot])
    #expect(bench.core.leftovers == [])
    #expect(bench.sink.connects == 1)
  }

  @Test func `what it still waits for elsewhere is answered first`() {
    var bench = Bench.ofOwnUpstreams {
      $0.upstreams.append(UpstreamOptions())
      var route = Route(method: "shared")
      route.upstream = 1
      $0.routes = [route]
    }
    let client = bench.connect()
    bench.send(line("1") + line("2", "shared"), from: client)
    bench.connectUpstreams()
    _ = bench.heard(client)
    // The upstream that is shared came first.
    bench.core.upstreamDisconnected(UpstreamID(slot: 1))
    #expect(bench.heard(client).count == 1)
    #expect(bench.sink.closed == [])
    bench.send(line("3", "shared"), from: client)
    bench.answer(result("2", "0") + "\n")
    #expect(bench.heard(client) == [result("2", "0")])
    #expect(bench.sink.closed == [client.slot])
  }

  @Test func `what is queued when its upstream is lost hears so in its turn`() {
    var bench = Bench.ofOwnUpstreams {
      $0.upstreams.append(UpstreamOptions())
      var route = Route(method: "shared")
      route.upstream = 1
      $0.routes = [route]
    }
    let client = bench.connect()
    bench.send(
      line("1", "shared", task: #"{"key":"k","scope":"connection"}"#)
        + line("2", task: #"{"key":"k","policy":"wait"}"#), from: client)
    bench.connectUpstreams()
    _ = bench.heard(client)
    bench.core.upstreamDisconnected(UpstreamID(slot: 1))
    #expect(bench.heard(client) == [])
    // The connection's number is free again.
    bench.timePasses(1)
    bench.answer(result("1", "0") + "\n")
    let heard = bench.heard(client)
    #expect(heard.count == 2 && heard[0] == result("1", "0"))
    #expect(heard[1].contains("-32084") && heard[1].contains("notSent"))
    #expect(bench.sink.closed == [client.slot])
  }

  @Test func `an upstream that does not read its answers is given up, and what follows in the batch refused`()
  {
    var bench = Bench.ofOwnUpstreams {
      $0.upstreamOutputSoftBytes = 50
      $0.upstreamOutputHardBytes = 100
    }
    let client = connect(&bench)
    _ = bench.asked()
    bench.sink.upstreamRoom = 0
    bench.answer(line("1", "ask") + line("2", "ask"))
    _ = bench.heard(client)
    let long = "\"" + String(repeating: "x", count: 200) + "\""
    bench.send("[\(result("1", long)),\(line("5").dropLast()),\(result("2", "0"))]\n", from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 2 && heard.allSatisfy { $0.contains("-32084") })
    #expect(bench.sink.disconnected.count == 1 && bench.sink.connects == 1)
    #expect(bench.sink.closed == [client.slot])
  }

  @Test func `behind the end of its client upstream is told nothing, and nobody hears that it was`() {
    var bench = Bench.ofOwnUpstreams()
    let client = connect(&bench)
    bench.send(line("1", task: #"{"timeoutMs":100}"#), from: client)
    #expect(bench.asked().count == 2)
    bench.core.clientEnded(client)
    #expect(bench.asked() == [])
    bench.timePasses(100)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("-32083") && heard[0].contains("mayHaveCompleted"))
    bench.core.clientDisconnected(client)
    #expect(bench.asked() == [])
    #expect(bench.sink.disconnected == [UpstreamID(slot: 0)])
  }

  @Test func `a connection that was never there is tried again, and its client stays`() {
    var bench = Bench.ofOwnUpstreams()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    _ = bench.asked()
    bench.core.upstreamDisconnected(UpstreamID(slot: 0))
    bench.timePasses(4_000)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("-32084") && heard[0].contains("notSent"))
    #expect(bench.sink.closed == [])
    #expect(bench.sink.connects == 2)
  }

  @Test func `only so many clients have upstreams of their own`() {
    var bench = Bench.ofOwnUpstreams { $0.privateUpstreams = 1 }
    let (one, other) = (connect(&bench), bench.connect())
    bench.send(line("1"), from: other)
    #expect(bench.heard(other).first?.contains("-32082") == true)
    bench.core.clientDisconnected(one)
    bench.send(line("2"), from: other)
    #expect(bench.heard(other) == [])
  }

  @Test func `what a client left behind keeps no other from having an upstream`() {
    var bench = Bench.ofOwnUpstreams { $0.privateUpstreams = 1 }
    let (one, other) = (bench.connect(), bench.connect())
    let task = #"{"key":"k","debounceMs":5000}"#
    bench.send(#"{"jsonrpc":"2.0","method":"later","task":\#(task)}"# + "\n", from: one)
    bench.core.clientDisconnected(one)
    bench.send(line("1"), from: other)
    #expect(bench.heard(other) == [])
  }

  // MARK: Keys

  @Test func `keys are the connection's own`() {
    var bench = Bench.ofOwnUpstreams()
    let (one, other) = (connect(&bench), connect(&bench))
    for client in [one, other] { bench.send(line("1", task: #"{"key":"k"}"#), from: client) }
    #expect(bench.heard(one) == [] && bench.heard(other) == [])
    bench.send(line("2", task: #"{"key":"k"}"#), from: one)
    #expect(bench.heard(one).first?.contains("-32080") == true)
    #expect(bench.heard(other) == [])
  }

  @Test func `a shared key is refused rather than ignored`() {
    var bench = Bench.ofOwnUpstreams()
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k","scope":"shared"}"#), from: client)
    let heard = bench.heard(client)
    #expect(heard.first?.contains("-32602") == true && heard.first?.contains("task.scope") == true)
  }

  @Test func `a client of the Model Context Protocol takes back its request in its own words`() {
    var bench = Bench.ofOwnUpstreams { $0.upstreams[0].cancel = .mcp }
    let client = connect(&bench)
    bench.send(line("\"slow\"", "tools/call"), from: client)
    _ = bench.asked()
    bench.send(
      #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow"}}"# + "\n",
      from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("-32800"))
    #expect(
      bench.asked() == [#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#])
  }
}
