import GatewayCore
import Testing

/// Several messages in one array.
@Suite struct BatchTests {
  private func batch(_ lines: String...) -> String {
    "[" + lines.map { $0.trimmingSuffix(while: \.isNewline) }.joined(separator: ",") + "]\n"
  }

  @Test func `a batch is split upstream, and its answers come back in one array`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(batch(line("1", "a"), line("2", "b")), from: client)
    #expect(bench.asked().count == 2)
    bench.answer(result("2", "20") + "\n")
    #expect(bench.heard(client) == [])
    bench.answer(result("1", "10") + "\n")
    #expect(bench.heard(client) == ["[\(result("2", "20")),\(result("1", "10"))]"])
    #expect(bench.core.leftovers == ["1 clients"])
  }

  @Test func `an empty batch is one error, a batch of nonsense an array of them`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send("[]\n[1,[],{}]\n", from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 2)
    #expect(heard[0].hasPrefix(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600"#))
    #expect(heard[1].hasPrefix("[{") && heard[1].matches(of: /-32600/).count == 3)
  }

  @Test func `a batch of notifications is not answered`() {
    var bench = Bench()
    let client = bench.connect()
    let notification = #"{"jsonrpc":"2.0","method":"n"}"#
    bench.send(batch(notification, notification), from: client)
    #expect(bench.asked().count == 2)
    #expect(bench.heard(client) == [])
    #expect(bench.core.leftovers == ["1 clients"])
  }

  @Test func `in a batch the later request of a key supersedes the earlier`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(batch(line("1", task: #"{"key":"k"}"#), line("2", task: #"{"key":"k"}"#)), from: client)
    _ = bench.asked()
    bench.answer(result("2", "0") + "\n")
    let heard = bench.heard(client)
    #expect(heard.count == 1)
    #expect(
      heard[0].contains(#""id":1,"error":{"code":-32080"#) && heard[0].hasSuffix(#""id":2,"result":0}]"#))
  }

  @Test func `a result in a batch is committed when it comes, not when the array leaves`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(batch(line("1", task: #"{"key":"k"}"#), line("2", "slow")), from: client)
    bench.answer(result("1", "10") + "\n")
    bench.send(line("3", task: #"{"key":"k"}"#), from: client)
    bench.answer(result("2", "20") + "\n")
    #expect(bench.heard(client) == ["[\(result("1", "10")),\(result("2", "20"))]"])
  }

  @Test func `over the limit of items one error comes and nothing runs`() {
    var configuration = GatewayConfiguration()
    configuration.batchItems = 2
    var bench = Bench(configuration)
    let client = bench.connect()
    bench.send(batch(line("1"), line("2")), from: client)
    #expect(bench.asked().count == 2)
    bench.send(batch(line("3"), line("4"), line("5")), from: client)
    #expect(bench.asked() == [])
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("-32600") && heard[0].contains(#""id":null"#))
  }

  @Test func `once an answer does not fit, it and all later ones say so`() {
    var configuration = GatewayConfiguration()
    configuration.batchReplyBytes = 100
    var bench = Bench(configuration)
    let client = bench.connect()
    bench.send(batch(line("1"), line("2"), line("3")), from: client)
    bench.answer(result("1", "0") + "\n")
    bench.answer(result("2", "\"" + String(repeating: "x", count: 60) + "\"") + "\n")
    bench.answer(result("3", "0") + "\n")
    let heard = bench.heard(client)
    #expect(heard.count == 1)
    #expect(heard[0].hasPrefix("[\(result("1", "0")),") && heard[0].matches(of: /-32086/).count == 2)
  }

  @Test func `what a client lets pile up in batches counts as its output`() {
    var configuration = GatewayConfiguration()
    configuration.clientOutputHardBytes = 500
    var bench = Bench(configuration)
    let client = bench.connect()
    bench.send(batch(line("1"), line("2")), from: client)
    bench.answer(result("1", "\"" + String(repeating: "x", count: 600) + "\"") + "\n")
    _ = bench.heard(client)
    #expect(bench.sink.closed == [client.slot])
    bench.answer(result("2", "0") + "\n")
    #expect(bench.core.leftovers == [])
  }

  @Test func `a connection that breaks takes its batches with it`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(batch(line("1"), line("2")), from: client)
    bench.answer(result("1", "0") + "\n")
    bench.core.clientDisconnected(client)
    bench.answer(result("2", "0") + "\n")
    #expect(bench.core.leftovers == [])
  }

  @Test func `a half-closed client gets its whole array`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(batch(line("1"), line("2")), from: client)
    bench.core.clientEnded(client)
    bench.answer(result("1", "0") + "\n")
    #expect(bench.heard(client) == [] && bench.sink.closed.isEmpty)
    bench.answer(result("2", "0") + "\n")
    #expect(bench.heard(client).count == 1 && bench.sink.closed == [client.slot])
  }
}

extension String {
  fileprivate func trimmingSuffix(while matches: (Character) -> Bool) -> Substring {
    var text = self[...]
    while let last = text.last, matches(last) { text.removeLast() }
    return text
  }
}
