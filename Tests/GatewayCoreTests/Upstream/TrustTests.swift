import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// Answers of an upstream that is trusted to write them right, and what is read whole all the same.
@Suite struct TrustTests {
  private func bench(
    trusts: Bool = true, _ adjust: (inout GatewayConfiguration) -> Void = { _ in }
  ) -> Bench {
    var configuration = GatewayConfiguration()
    configuration.upstreams[0].trustsAnswers = trusts
    adjust(&configuration)
    return Bench(configuration)
  }

  private func error(_ id: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":1,"message":"no"}}"#
  }

  @Test func `an answer reaches its caller under the caller's own id`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line(#""a\u0062""#) + line("1e2"), from: client)
    bench.answer(result("2", #"{"a": [1]}"#) + "\n" + error("1") + "\n")
    #expect(bench.heard(client) == [result("1e2", #"{"a": [1]}"#), error(#""a\u0062""#)])
    #expect(bench.core.counters.delivered == 1 && bench.core.counters.failed == 1)
    #expect(bench.core.leftovers == ["1 clients"])
  }

  @Test(arguments: ["{,}", "\u{1}", #"1,"x":2"#, "[[}", "1\r2"])
  func `what is wrong behind the id goes to the caller as it is, and only if it is trusted`(body: String) {
    for trusts in [true, false] {
      var bench = bench(trusts: trusts)
      let client = bench.connect()
      bench.send(line("7"), from: client)
      bench.answer(result("1", body) + "\n")
      let heard = bench.heard(client)
      #expect(heard.count == 1 && (heard == [result("7", body)]) == trusts)
    }
  }

  @Test func `an answer that is not for the fast path is read whole`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("7") + line("8") + line("9"), from: client)
    bench.answer(#"{"id":1,"jsonrpc":"2.0","result":0}"# + "\r\n" + result("2", "0") + "\r\n")
    #expect(bench.heard(client) == [result("7", "0"), result("8", "0")])
    bench.answer(#"{"jsonrpc":"2.0","id":3,"error":0}"# + "\n")
    #expect(bench.heard(client).first?.contains("-32084") == true)
    bench.answer("no JSON\n")
    #expect(bench.core.counters.upstreamDisconnections == 1)
  }

  @Test func `an answer that spans chunks is taken, too`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("7"), from: client)
    let answer = result("1", #"{"a":1}"#) + "\n"
    for byte in answer { bench.answer(String(byte)) }
    #expect(bench.heard(client) == [result("7", #"{"a":1}"#)])
  }

  @Test func `a late answer, a second one and one to nobody are dropped`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k"}"#) + line("2", task: #"{"key":"k"}"#), from: client)
    _ = (bench.heard(client), bench.asked())
    bench.answer(result("1", "{") + "\n" + result("2", "2") + "\n" + result("2", "3") + "\n")
    bench.answer(result("99", "4") + "\n")
    #expect(bench.heard(client) == [result("2", "2")])
    #expect(bench.core.counters.droppedLate == 1 && bench.core.counters.droppedUnknown == 2)
    #expect(bench.core.leftovers == ["1 clients"])
  }

  @Test func `an answer over another connection than its call's is dropped`() {
    var bench = bench { $0.upstreams[0].endpoints = 2 }
    let client = bench.connect()
    bench.send(line("7"), from: client)
    let sent = bench.sent()
    let asked = sent.first?.hasPrefix("0") == true ? 0 : 1
    bench.answer(result("1", "0") + "\n", from: UpstreamID(slot: 1 - asked))
    #expect(sent.count == 1 && bench.heard(client) == [])
    bench.answer(result("1", "0") + "\n", from: UpstreamID(slot: asked))
    #expect(bench.heard(client) == [result("7", "0")])
  }

  @Test func `all who joined get the answer, whatever their framing`() {
    var bench = bench()
    let (first, second) = (bench.connect(), bench.connect())
    let task = #"{"key":"k","join":"identical"}"#
    bench.send(line("7", task: task), from: first)
    let request = line("8", task: task).dropLast()
    bench.send("Content-Length: \(request.utf8.count)\r\n\r\n\(request)", from: second)
    bench.answer(result("1", "[ 1 ]") + "\n")
    #expect(bench.heard(first) == [result("7", "[ 1 ]")])
    let heard = String(decoding: bench.sink.toClients[second.slot] ?? [], as: UTF8.self)
    let answer = result("8", "[ 1 ]")
    #expect(heard == "Content-Length: \(answer.utf8.count)\r\n\r\n\(answer)")
  }

  @Test func `an answer that goes into an array is read whole, also when its caller joined`() {
    var bench = bench()
    let (alone, batched) = (bench.connect(), bench.connect())
    bench.send(line("7", task: #"{"key":"k","join":"identical"}"#), from: alone)
    let batch = [line("8", task: #"{"key":"k","join":"identical"}"#), line("9", "n")]
    bench.send("[" + batch.map { String($0.dropLast()) }.joined(separator: ",") + "]\n", from: batched)
    bench.answer(result("1", #"{"a":1} , "x":2"#) + "\n" + result("2", "3") + "\n")
    #expect(bench.heard(alone) == [result("7", #"{"a":1}"#)])
    #expect(bench.heard(batched) == ["[" + result("8", #"{"a":1}"#) + "," + result("9", "3") + "]"])
    bench.send("[" + line("10").dropLast() + "]\n", from: batched)
    bench.answer(result("3", "{") + "\n")
    #expect(bench.heard(batched).first?.contains("-32084") == true)
    #expect(bench.core.counters.upstreamDisconnections == 1)
  }

  @Test func `what is undone is undone with the result alone`() {
    var bench = bench { $0.routes = [Route(method: "join", compensation: "leave")] }
    let client = bench.connect()
    bench.send(line("1", "join", params: "[1]"), from: client)
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n", from: client)
    _ = bench.asked()
    bench.answer(result("1", #"{"seat":7},"x":[]"#) + "\n")
    #expect(
      bench.asked() == [
        #"{"jsonrpc":"2.0","id":131073,"method":"leave","params":{"params":[1],"result":{"seat":7}}}"#
      ])
    bench.answer(result("131073", "null") + "\n")
    #expect(bench.core.leftovers == ["1 clients"])
  }

  @Test func `a long answer is still refused`() {
    var bench = bench { $0.messageLimitBytes = 100 }
    let client = bench.connect()
    bench.send(line("7"), from: client)
    bench.answer(result("1", "\"" + String(repeating: "x", count: 100) + "\"") + "\n")
    #expect(bench.heard(client).first?.contains("-32084") == true)
  }
}
