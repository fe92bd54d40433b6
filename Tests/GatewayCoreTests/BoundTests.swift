import GatewayCore
import Testing

/// What one message may hold: exactly at the bound it is served, one more is refused, and the next one is served.
@Suite struct BoundTests {
  private let ping = line("9", "lastword.ping")

  /// What a client hears whose upstream answers everything at once.
  private func exchange(_ text: String, _ bench: inout Bench, _ client: ClientID) -> [String] {
    bench.send(text, from: client)
    for request in bench.asked() {
      if let id = request.firstMatch(of: /"id":(\d+)/)?.1 { bench.answer(result(String(id), "0") + "\n") }
    }
    return bench.heard(client)
  }

  private func exchangeBody(_ body: String, _ bench: inout Bench, _ client: ClientID) -> String {
    bench.send("Content-Length: \(body.utf8.count)\r\n\r\n" + body, from: client)
    bench.core.flush(into: &bench.sink)
    return String(decoding: bench.sink.toClients.removeValue(forKey: client.slot) ?? [], as: UTF8.self)
  }

  private func check(_ edge: Edge, _ bench: inout Bench, _ client: ClientID) {
    let served = exchange(edge.most, &bench, client)
    #expect(served.count == 1 && !served[0].contains("error"))
    let refused = exchange(edge.over, &bench, client)
    #expect(refused.count == 1 && refused[0].contains(#""code":\#(edge.code),"message":""#))
    #expect(refused.first?.contains(edge.words) == true)
    #expect(exchange(ping, &bench, client) == [result("9", "null")])
    #expect(bench.core.leftovers == ["1 clients"])
  }

  @Test(arguments: Edge.all)
  func `the most is served, one more refused, and the next served`(edge: Edge) {
    var configuration = GatewayConfiguration()
    edge.set(&configuration)
    var bench = Bench(configuration)
    check(edge, &bench, bench.connect())
  }

  @Test(arguments: Edge.all)
  func `a new configuration bounds what comes from now on, on old connections too`(edge: Edge) {
    var bench = Bench()
    let client = bench.connect()
    let before = exchange(edge.over, &bench, client)
    #expect(before.count == 1 && !before[0].contains("error"))
    var configuration = GatewayConfiguration()
    edge.set(&configuration)
    bench.core.reconfigure(configuration)
    check(edge, &bench, client)
  }

  @Test func `a body may be as long as a line`() {
    var configuration = GatewayConfiguration()
    configuration.messageLimitBytes = ping.utf8.count - 1
    var bench = Bench(configuration)
    let client = bench.connect()
    let most = String(ping.dropLast())
    #expect(exchangeBody(most, &bench, client).hasSuffix(result("9", "null")))
    #expect(exchangeBody(ping, &bench, client).contains("-32086"))
    #expect(exchangeBody(most, &bench, client).hasSuffix(result("9", "null")))
  }

  @Test func `the reply to a batch may have so many bytes, its brackets and commas included`() {
    let whole = "[\(result("1", "0")),\(result("2", "0"))]"
    for limit in [whole.utf8.count, whole.utf8.count - 1] {
      var configuration = GatewayConfiguration()
      configuration.batchReplyBytes = limit
      var bench = Bench(configuration)
      let client = bench.connect()
      let heard = exchange("[\(line("1").dropLast()),\(line("2").dropLast())]\n", &bench, client)
      #expect(heard.count == 1 && heard[0].hasPrefix("[\(result("1", "0")),"))
      #expect((heard[0] == whole) == (limit == whole.utf8.count))
      #expect(heard[0].contains("-32086") == (limit < whole.utf8.count))
      #expect(exchange(ping, &bench, client) == [result("9", "null")])
    }
  }
}
