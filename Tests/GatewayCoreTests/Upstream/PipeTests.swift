import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// What the core does for two programs at the ends of a pipe.
@Suite struct PipeTests {
  private func bench(_ adjust: (inout GatewayConfiguration) -> Void = { _ in }) -> Bench {
    Bench.ofOwnUpstreams {
      $0.upstreams[0].toleratesNoise = true
      adjust(&$0)
    }
  }

  private func connect(_ bench: inout Bench) -> ClientID {
    let client = bench.connect()
    bench.send(line("1") + line("2"), from: client)
    bench.connectUpstreams()
    _ = bench.asked()
    return client
  }

  @Test(arguments: [#"{"id":1,"jsonrpc":"2.0","result":[1,}"#, #"{"jsonrpc":"2.0","id":1,"result":nul}"#])
  func `an answer that is no JSON fails its request at once, and no other`(answer: String) {
    var bench = bench()
    let client = connect(&bench)
    bench.answer(answer + "\n" + result("2", "0") + "\n")
    let heard = bench.heard(client)
    #expect(heard.count == 2 && heard[0].contains(#""id":1,"error":{"code":-32084"#))
    #expect(heard[0].contains("cannot be read") && heard[1] == result("2", "0"))
    #expect(bench.core.counters.refusedMessages == 1 && bench.core.counters.noise == 0)
  }

  @Test func `upstream may nest as deep as clients may, and one level more fails its request`() {
    for (depth, isRight) in [(300, true), (301, false)] {
      var bench = bench { $0.scan.nestingLevels = 300 }
      let client = connect(&bench)
      let deep = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
      bench.answer(result("1", deep) + "\n")
      #expect((bench.heard(client) == [result("1", deep)]) == isRight)
      #expect(bench.core.counters.refusedMessages == (isRight ? 0 : 1))
    }
  }

  /// One whose upstream speaks in this framing, and whose messages may have so many bytes.
  private func narrowBench(_ framing: Framing, toleratesNoise: Bool, bytes: Int = 100) -> Bench {
    Bench.ofOwnUpstreams {
      $0.messageLimitBytes = bytes
      $0.upstreams[0].framing = framing
      $0.upstreams[0].toleratesNoise = toleratesNoise
    }
  }

  private func frame(_ text: String, _ framing: Framing) -> String {
    framing == .lines ? text + "\n" : "Content-Length: \(text.utf8.count)\r\n\r\n\(text)"
  }

  @Test(arguments: [Framing.lines, .contentLength], [true, false])
  func `an answer that is too long fails its request at once, and no other`(
    framing: Framing, isTolerant: Bool
  ) {
    let beginning = #"{"jsonrpc":"2.0","id":1,"result":""#
    for extra in [0, 1, 4_000, 10_000] {
      for pieceBytes in [1, 7, 100_000] {
        var bench = narrowBench(framing, toleratesNoise: isTolerant)
        let client = connect(&bench)
        let text = beginning + String(repeating: "x", count: 100 - beginning.utf8.count - 2 + extra) + #""}"#
        let bytes = Array((frame(text, framing) + frame(result("2", "0"), framing)).utf8)
        for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
          bench.answer(String(decoding: bytes[start...].prefix(pieceBytes), as: UTF8.self))
        }
        let heard = bench.heard(client)
        #expect(heard.count == 2 && heard.last == result("2", "0"))
        let expected = extra == 0 ? text : "upstream's answer is longer than messageBytes (100)"
        #expect(heard.first?.contains(expected) == true)
        #expect(bench.core.counters.refusedMessages == (extra == 0 ? 0 : 1) && bench.sink.disconnects == 0)
      }
    }
  }

  @Test(arguments: [#"{"jsonrpc":"2.0","result":["#, #"{"id":1,"#, "["])
  func `what is too long and does not show what it is ends the connection`(beginning: String) {
    for framing in [Framing.lines, .contentLength] {
      var bench = narrowBench(framing, toleratesNoise: true)
      let client = connect(&bench)
      bench.answer(frame(beginning + String(repeating: " ", count: 5_000) + "]}", framing))
      #expect(bench.heard(client).allSatisfy { $0.contains("-32084") })
      #expect(bench.sink.closed == [client.slot])
      #expect(bench.core.counters.refusedMessages == 1)
    }
  }

  @Test(arguments: [Framing.lines, .contentLength], [true, false])
  func `what upstream asks beyond a bound is answered at once, and all else goes on`(
    framing: Framing, isTolerant: Bool
  ) {
    let deep = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
    let questions = [
      (
        #"{"jsonrpc":"2.0","id":"q","method":"ask","params":["\#(String(repeating: "x", count: 5_000))"]}"#,
        #""id":"q","error":{"code":-32086,"message":"message too large: longer than messageBytes (400)"}"#
      ),
      (
        #"{"jsonrpc":"2.0","method":"ask","params":\#(deep),"id":2.5}"#,
        #""id":2.5,"error":{"code":-32700,"message":"parse error: nested deeper than nestingLevels (128)"}"#
      ),
    ]
    for (question, error) in questions {
      var bench = narrowBench(framing, toleratesNoise: isTolerant, bytes: 400)
      let client = connect(&bench)
      bench.answer(frame(question, framing) + frame(result("2", "0"), framing))
      #expect(bench.heard(client) == [result("2", "0")])
      #expect(bench.sent().joined().contains(error))
      #expect(bench.core.counters.refusedMessages == 1 && bench.sink.disconnects == 0)
    }
  }

  @Test(arguments: [Framing.lines, .contentLength], [true, false])
  func `what upstream tells beyond a bound is counted, and all else goes on`(
    framing: Framing, isTolerant: Bool
  ) {
    let deep = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
    for params in [deep, "[" + String(repeating: " ", count: 5_000) + "]"] {
      var bench = narrowBench(framing, toleratesNoise: isTolerant, bytes: 400)
      let client = connect(&bench)
      _ = bench.sent()
      let telling = #"{"jsonrpc":"2.0","method":"tell","params":\#(params)}"#
      bench.answer(frame(telling, framing) + frame(result("2", "0"), framing))
      #expect(bench.heard(client) == [result("2", "0")] && bench.sent() == [])
      #expect(bench.core.counters.refusedMessages == 1 && bench.sink.disconnects == 0)
      #expect(bench.core.counters.noise == 0)
    }
  }

  /// What upstream asks that is JSON but no request, what stands in its answer, and under which id.
  private static let wrongQuestions: [(question: String, reason: String, id: String)] = {
    let id = "\"\(String(repeating: "q", count: 127))\""
    let method = "\"\(String(repeating: "m", count: 257))\""
    return [
      (#"{"jsonrpc":"2.0","id":\#(id),"method":"ask"}"#, "id is longer than 128 bytes", id),
      (#"{"jsonrpc":"2.0","id":2,"method":\#(method)}"#, "method is longer than 256 bytes", "2"),
      (#"{"jsonrpc":"2.0","id":2,"method":7}"#, "method must be a string", "2"),
      (
        #"{"jsonrpc":"2.0","id":"q","method":"ask","params":5}"#, "params must be an array or an object",
        #""q""#
      ),
      (#"{"id":2,"method":"ask"}"#, "jsonrpc is missing", "2"),
      (#"{"jsonrpc":"2.0","id":2,"method":"ask","method":"ask"}"#, "a member occurs twice", "2"),
    ]
  }()

  @Test(arguments: [true, false])
  func `what upstream asks that is no request is answered at once, and fails none`(isOwn: Bool) {
    for (question, reason, id) in Self.wrongQuestions {
      var bench = bench { $0.upstreams[0].isPerConnection = isOwn }
      let client = connect(&bench)
      _ = bench.sent()
      bench.answer(question + "\n" + result("2", "0") + "\n")
      #expect(bench.heard(client) == [result("2", "0")])
      let sent = bench.sent()
      #expect(sent.count == 1 && sent[0].contains(#""id":\#(id),"error":{"code":-32600,"#), "\(sent)")
      #expect(sent.joined().contains(reason), "\(sent)")
      #expect(bench.core.counters.refusedMessages == 1 && bench.core.counters.droppedUnknown == 0)
    }
  }

  @Test(arguments: [#"{"jsonrpc":"2.0","method":7}"#, #"{"jsonrpc":"2.0","method":"tell","params":5}"#])
  func `what upstream tells that is no notification is counted, and nobody hears of it`(telling: String) {
    var bench = bench()
    let client = connect(&bench)
    _ = bench.sent()
    bench.answer(telling + "\n" + result("2", "0") + "\n")
    #expect(bench.heard(client) == [result("2", "0")] && bench.sent() == [])
    #expect(bench.core.counters.refusedMessages == 1)
  }

  @Test func `what names a request and is neither an answer nor a question fails that`() {
    var bench = bench()
    let client = connect(&bench)
    bench.answer(#"{"jsonrpc":"2.0","id":1,"params":[]}"# + "\n" + result("2", "0") + "\n")
    let heard = bench.heard(client)
    #expect(heard.count == 2 && heard[0].contains(#""id":1,"error":{"code":-32084"#))
  }

  @Test func `too long an answer to what has ended is dropped`() {
    var bench = narrowBench(.lines, toleratesNoise: true)
    let client = connect(&bench)
    bench.answer(result("77", String(repeating: " ", count: 5_000)) + "\n" + result("2", "0") + "\n")
    #expect(bench.heard(client) == [result("2", "0")])
    #expect(bench.core.counters.droppedUnknown == 1)
  }

  @Test(arguments: [true, false])
  func `an answer that is nested too deep names the nesting and the bound`(isTolerant: Bool) {
    var bench = bench { $0.upstreams[0].toleratesNoise = isTolerant }
    let client = connect(&bench)
    let deep = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
    bench.answer(result("1", deep) + "\n" + result("2", "0") + "\n")
    let heard = bench.heard(client)
    #expect(heard.count == 2 && heard.last == result("2", "0"))
    #expect(heard.first?.contains("upstream's answer is nested deeper than nestingLevels (128)") == true)
  }

  @Test func `a client that nests too deep hears of the nesting and the bound`() {
    var bench = Bench()
    let client = bench.connect()
    let deep = String(repeating: "[", count: 129) + String(repeating: "]", count: 129)
    bench.send(deep + "\n" + deep.dropFirst().dropLast() + "x\n", from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 2)
    #expect(heard.first?.contains("parse error at byte 128: nested deeper than nestingLevels (128)") == true)
    #expect(heard.last?.contains(#""parse error at byte 256""#) == true)
  }

  @Test func `without a deadline a request waits for ever, and may still have one of its own`() {
    var bench = bench { $0.timeoutMilliseconds = Admission.unlimited }
    let client = connect(&bench)
    bench.send(line("3", task: #"{"timeoutMs":1000}"#), from: client)
    bench.timePasses(365 * 24 * 3_600_000)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains(#""id":3,"error":{"code":-32083"#))
    bench.send(line("4", task: #"{"timeoutMs":600001}"#), from: client)
    #expect(bench.heard(client).first?.contains("600000 milliseconds") == true)
  }

  @Test func `another gateway hears of no deadline as of the longest there is`() {
    var bench = bench {
      $0.timeoutMilliseconds = Admission.unlimited
      $0.upstreams[0].passesTask = true
    }
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.connectUpstreams()
    #expect(bench.asked().first?.contains(#""timeoutMs":3600000"#) == true)
  }

  @Test func `an upstream can be opened before anything is asked of it`() {
    var bench = bench {
      var listener = ListenerOptions()
      listener.opensUpstreams = true
      $0.listeners = [listener]
    }
    _ = bench.connect()
    bench.connectUpstreams()
    #expect(bench.sink.connects == 1)
  }
}
