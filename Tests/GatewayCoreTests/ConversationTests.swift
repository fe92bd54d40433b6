import GatewayCore
import Testing

/// What the core says to clients and to upstream.
@Suite struct ConversationTests {
  @Test func `a request goes upstream under our id and its answer comes back under the client's`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line(#""x""#, params: #"{"a": 1.0}"#), from: client)
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a": 1.0}}"#])
    bench.answer(result("1", "[2.50]") + "\n")
    #expect(bench.heard(client) == [result(#""x""#, "[2.50]")])
    #expect(bench.core.taskCount == 0 && bench.core.keyCount == 0)
  }

  @Test(arguments: [
    "1.0", "1e2", "9007199254740993", "123456789012345678901234567890", "1.5", #""\u0041""#, "null",
  ])
  func `an id comes back byte for byte`(id: String) {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line(id), from: client)
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","id":1,"method":"m"}"#])
    bench.answer(result("1", "0") + "\n")
    #expect(bench.heard(client) == [result(id, "0")])
  }

  @Test func `the superseded caller hears why, of which task, and whether upstream may have done the work`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"a\"b"}"#) + line("2", task: #"{"key":"a\u0022b"}"#), from: client)
    #expect(
      bench.heard(client) == [
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32080,"message":"superseded by a newer request","#
          + #""data":{"key":"a\"b","generation":1,"supersededBy":2,"phase":"running","upstream":"cancelSent"}}}"#
      ])
    #expect(
      bench.asked() == [
        #"{"jsonrpc":"2.0","id":1,"method":"m"}"#,
        #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#,
        #"{"jsonrpc":"2.0","id":2,"method":"m"}"#,
      ])
  }

  @Test func `keys are bytes, and their escapes do not count`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"a"}"#) + line("2", task: #"{"key":"\u0061"}"#), from: client)
    #expect(bench.heard(client).count == 1)
    bench.send(line("3", task: #"{"key":"é"}"#) + line("4", task: "{\"key\":\"e\u{301}\"}"), from: client)
    #expect(bench.heard(client) == [])
  }

  @Test func `listeners do not share keys`() {
    var bench = Bench()
    let one = bench.connect()
    let other = bench.core.clientConnected(listener: 1)!
    bench.send(line("1", task: #"{"key":"a"}"#), from: one)
    bench.send(line("1", task: #"{"key":"a"}"#), from: other)
    #expect(bench.heard(one) == [])
  }

  @Test func `only the very same question joins`() {
    var bench = Bench()
    let client = bench.connect()
    let prefer = #"{"key":"k","policy":"preferPrevious"}"#
    bench.send(line("1", params: "[1,2]", task: prefer), from: client)
    bench.send(line("2", params: "[1, 2]", task: prefer), from: client)
    bench.send(line("3", "n", params: "[1,2]", task: prefer), from: client)
    #expect(bench.heard(client).filter { $0.contains("-32081") }.count == 2)
    bench.send(line("4", params: "[1,2]", task: prefer), from: client)
    #expect(bench.asked().count == 1)
    bench.answer(result("1", "7") + "\n")
    #expect(bench.heard(client) == [result("1", "7"), result("4", "7")])
  }

  @Test func `join identical goes with superseding policies, and not with others`() {
    var bench = Bench()
    let client = bench.connect()
    let join = #"{"key":"k","policy":"cancel","join":"identical"}"#
    bench.send(line("1", params: "[1]", task: join) + line("2", params: "[1]", task: join), from: client)
    #expect(bench.heard(client) == [] && bench.asked().count == 1)
    bench.send(line("3", params: "[2]", task: join), from: client)
    #expect(bench.heard(client).filter { $0.contains("-32080") }.count == 2)
    for bad in [
      #"{"key":"k","policy":"wait","join":"identical"}"#, #"{"key":"k","join":"always"}"#,
      #"{"key":"k","join":"sometimes"}"#, #"{"join":"never"}"#,
    ] {
      bench.send(line("4", task: bad), from: client)
      #expect(bench.heard(client).map { $0.contains("-32602") } == [true])
    }
  }

  @Test func `who leaves a task that others share does not hear that it was not sent`() {
    var bench = Bench()
    let client = bench.connect()
    let shared = #"{"key":"k","policy":"preferPrevious","debounceMs":100"#
    bench.send(line("1", params: "[1]", task: shared + #","timeoutMs":50}"#), from: client)
    bench.send(line("2", params: "[1]", task: shared + "}"), from: client)
    bench.timePasses(50)
    let left = bench.heard(client)
    #expect(
      left.count == 1 && left[0].contains(#""phase":"running","upstream":"mayHaveCompleted""#), "\(left)")
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}"# + "\n", from: client)
    let last = bench.heard(client)
    #expect(last.count == 1 && last[0].contains(#""phase":"queued","upstream":"notSent""#), "\(last)")
    bench.timePasses(1000)
    #expect(bench.asked() == [])
  }

  @Test func `a debounced request goes upstream once nothing newer came`() {
    var bench = Bench()
    let client = bench.connect()
    let debounced = #"{"key":"k","debounceMs":100,"maxWaitMs":250}"#
    bench.send(line("1", "a", task: debounced), from: client)
    bench.timePasses(60)
    bench.send(line("2", "b", task: debounced), from: client)
    #expect(bench.heard(client)[0].contains(#""phase":"queued","upstream":"notSent""#))
    bench.timePasses(99)
    #expect(bench.asked() == [])
    bench.timePasses(1)
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","id":2,"method":"b"}"#])
    for bad in [
      #"{"debounceMs":100}"#, #"{"key":"k","maxWaitMs":100}"#, #"{"key":"k","debounceMs":9,"maxWaitMs":9}"#,
    ] {
      bench.send(line("3", task: bad), from: client)
      #expect(bench.heard(client).map { $0.contains("-32602") } == [true])
    }
  }

  @Test func `a message may come in any pieces`() {
    let text = line("1", params: #"["é"]"#, task: #"{"key":"k"}"#) + line("2")
    for cut in 1..<text.utf8.count {
      var bench = Bench()
      let client = bench.connect()
      let bytes = Array(text.utf8)
      for part in [bytes[..<cut], bytes[cut...]] {
        bench.core.received(
          (Array(part) + [UInt8](repeating: 0x20, count: 64)).span, count: part.count, from: client)
      }
      #expect(bench.asked().count == 2)
    }
  }

  @Test func `the same id twice in flight: both are served, and a cancel means the newest`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1", "a") + line("1", "b"), from: client)
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n", from: client)
    #expect(bench.asked().last == #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}"#)
    bench.answer(result("1", "0") + "\n")
    #expect(bench.heard(client).last == result("1", "0"))
  }

  @Test func `a cancel of what is unknown or answered changes nothing`() {
    var bench = Bench()
    let client = bench.connect()
    for id in ["1", #""x""#, "null", "{}"] {
      bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(id)}}"# + "\n", from: client)
    }
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest"}"# + "\n", from: client)
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":[]}"# + "\n", from: client)
    #expect(bench.heard(client) == [] && bench.asked() == [])
  }

  @Test func `a cancel that is sent as a request is answered like one`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.send(line("2", "$/cancelRequest", params: #"{"id":1}"#), from: client)
    bench.send(line("3", "$/cancelRequest", params: #"{"id":1}"#), from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 3 && heard[0].contains("-32800"))
    #expect(heard.dropFirst() == [result("2", "null"), result("3", "null")])
  }

  @Test func `a notification is never answered, whatever is wrong with it`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(#"{"jsonrpc":"2.0","method":"m","task":{"policy":"cancel"}}"# + "\n", from: client)
    bench.send(#"{"jsonrpc":"2.0","method":"lastword.nothing"}"# + "\n", from: client)
    bench.send(#"{"jsonrpc":"2.0","method":"m","params":7}"# + "\n", from: client)
    bench.send(#"{"jsonrpc":"2.0","method":"m","task":7}"# + "\n", from: client)
    bench.core.drain()
    bench.send(#"{"jsonrpc":"2.0","method":"m"}"# + "\n", from: client)
    #expect(bench.heard(client) == [] && bench.asked() == [])
    #expect(bench.core.taskCount == 0)
  }

  @Test func `notifications of a key go upstream in turn`() {
    var bench = Bench()
    let client = bench.connect()
    let wait = #"{"key":"k","policy":"wait"}"#
    for name in ["a", "b", "c"] {
      bench.send(#"{"jsonrpc":"2.0","method":"\#(name)","task":\#(wait)}"# + "\n", from: client)
    }
    #expect(bench.asked() == ["a", "b", "c"].map { #"{"jsonrpc":"2.0","method":"\#($0)"}"# })
    #expect(bench.core.taskCount == 0 && bench.core.keyCount == 0)
  }

  @Test func `a joiner that leaves is not told of a cancel that upstream never hears`() {
    var bench = Bench()
    let client = bench.connect()
    let task = #"{"key":"k","policy":"preferPrevious"}"#
    bench.send(line("1", task: task) + line("2", task: task), from: client)
    #expect(bench.asked().count == 1)
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}"# + "\n", from: client)
    #expect(bench.asked() == [])
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains(#""phase":"running","upstream":"mayHaveCompleted""#))
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n", from: client)
    #expect(bench.heard(client)[0].contains(#""upstream":"cancelSent""#))
  }

  @Test func `a cancel with an id is answered like any request, also when there is nothing to cancel`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.send(line("2", "$/cancelRequest", params: #"{"id":1}"#), from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 2 && heard[0].contains("-32800"))
    #expect(heard.last == result("2", "null"))
    bench.send(
      line("3", "$/cancelRequest", params: #"{"id":1}"#) + line("4", "$/cancelRequest"), from: client)
    #expect(bench.heard(client) == [result("3", "null"), result("4", "null")])
  }

  @Test func `a queued request that the shut-down meets never goes upstream`() {
    var bench = Bench()
    let client = bench.connect()
    for id in 1...3 { bench.send(line("\(id)", task: #"{"key":"k","policy":"wait"}"#), from: client) }
    #expect(bench.asked().count == 1)
    bench.core.shutDown()
    let heard = bench.heard(client)
    #expect(heard.filter { $0.contains(#""phase":"queued","upstream":"notSent""#) }.count == 2)
    #expect(heard.filter { $0.contains(#""phase":"running","upstream":"mayHaveCompleted""#) }.count == 1)
    #expect(bench.asked() == [])
    #expect(bench.core.taskCount == 0 && bench.core.keyCount == 0)
  }

  @Test func `the gateway is quiet once every reply is out, whatever upstream still drains`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    _ = bench.asked()
    bench.core.drain()
    #expect(bench.core.isQuiet == false)
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n", from: client)
    #expect(bench.core.isQuiet == false)
    #expect(bench.heard(client).count == 1)
    #expect(bench.core.taskCount == 1 && bench.core.isQuiet)
  }

  @Test func `the gateway is not quiet while upstream has not taken a notification`() {
    var bench = Bench()
    bench.sink.upstreamRoom = 0
    let client = bench.connect()
    bench.send(#"{"jsonrpc":"2.0","method":"m"}"# + "\n", from: client)
    #expect(bench.asked() == [] && !bench.core.isQuiet)
    bench.sink.upstreamRoom = nil
    #expect(bench.asked().count == 1 && bench.core.isQuiet)
  }

  @Test func `the gateway is not quiet while a notification waits for its turn or for a connection`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k"}"#), from: client)
    bench.send(
      #"{"jsonrpc":"2.0","method":"m","task":{"key":"k","policy":"cancelAndWait"}}"# + "\n", from: client)
    #expect(bench.heard(client).count == 1 && !bench.core.isQuiet)
    bench.answer(result("1", "0") + "\n")
    #expect(bench.asked().count == 3 && bench.core.isQuiet)
    bench.core.upstreamDisconnected(Bench.upstream)
    bench.send(#"{"jsonrpc":"2.0","method":"m"}"# + "\n", from: client)
    #expect(bench.asked() == [] && !bench.core.isQuiet)
  }
}
