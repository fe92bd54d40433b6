import GatewayCore
import Testing

/// Clients that speak Content-Length, and `lastword.call`.
@Suite struct FramingTests {
  private func framed(_ text: String) -> String { "Content-Length: \(text.utf8.count)\r\n\r\n\(text)" }

  private func bytesHeard(_ bench: inout Bench, _ client: ClientID) -> String {
    bench.core.flush(into: &bench.sink)
    return String(decoding: bench.sink.toClients[client.slot] ?? [], as: UTF8.self)
  }

  @Test func `a client is answered in its own framing`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(framed(#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}"#), from: client)
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}"#])
    bench.answer(result("1", "[2]") + "\n")
    #expect(bytesHeard(&bench, client) == framed(result("1", "[2]")))
  }

  @Test func `errors of ours are framed, too`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(
      framed(#"{"jsonrpc":"2.0","id":1,"method":"m","task":{"key":"k"}}"#)
        + framed(#"{"jsonrpc":"2.0","id":2,"method":"m","task":{"key":"k"}}"#) + framed("nonsense")
        + framed(""), from: client)
    let data = #"{"key":"k","generation":1,"supersededBy":2,"phase":"running","upstream":"cancelSent"}"#
    let superseded =
      #"{"jsonrpc":"2.0","id":1,"error":{"code":-32080,"message":"superseded by a newer request","data":"#
      + data + "}}"
    let malformed = [1, 0].map {
      framed(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error at byte \#($0)"}}"#)
    }
    #expect(bytesHeard(&bench, client) == framed(superseded) + malformed.joined())
  }

  @Test func `a batch is answered by one body`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(
      framed("[\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"lastword.ping\"},\r\n7\n]"), from: client)
    #expect(
      bytesHeard(&bench, client)
        == framed(
          "[" + result("1", "null")
            + #",{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message must be an object"}}]"#
        ))
  }

  @Test func `line breaks between tokens become spaces where upstream reads lines`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(
      framed("{\"jsonrpc\":\"2.0\",\n\"id\":1,\"method\":\"m\",\r\n\"params\":{\r\n\"a\":\n\"\\n\"}}"),
      from: client)
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","id":1,"method":"m","params":{  "a": "\n"}}"#])
  }

  @Test func `questions that differ in line breaks only are the same`() {
    var bench = Bench()
    let client = bench.connect()
    for id in 1...2 {
      bench.send(
        framed(
          "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"m\",\"params\":[\n1],"
            + "\"task\":{\"key\":\"k\",\"policy\":\"preferPrevious\"}}"), from: client)
    }
    #expect(bench.asked().count == 1)
  }

  @Test func `a header that is none ends the connection`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send("Content-Length: -1\r\n\r\n{}", from: client)
    let heard = bytesHeard(&bench, client)
    #expect(heard.hasPrefix("Content-Length: ") && heard.contains("-32700"))
    #expect(bench.sink.closed == [client.slot])
  }

  @Test func `a body over the limit is skipped and the next one is served`() {
    var configuration = GatewayConfiguration()
    configuration.messageLimitBytes = 100
    var bench = Bench(configuration)
    let client = bench.connect()
    bench.send(
      framed(String(repeating: "x", count: 101))
        + framed(#"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#), from: client)
    let heard = bytesHeard(&bench, client)
    #expect(heard.contains("-32086") && heard.hasSuffix(framed(result("1", "null"))))
  }

  // MARK: lastword.call

  private func call(_ id: Int, _ params: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"lastword.call","params":\#(params)}"# + "\n"
  }

  @Test func `the reply of a wrapped call is that of the call`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(call(7, #"{"method":"m","params":[1.0],"task":{"key":"k","policy":"wait"}}"#), from: client)
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1.0]}"#])
    bench.answer(result("1", "1") + "\n")
    #expect(bench.heard(client) == [result("7", "1")])
  }

  @Test func `methods of our own can be wrapped`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(call(1, #"{"method":"lastword.ping","params":null}"#), from: client)
    #expect(bench.heard(client) == [result("1", "null")])
  }

  @Test(arguments: [
    (#"{"method":"lastword.call","params":{"method":"m"}}"#, "it cannot be nested"),
    (#"{"params":[]}"#, "method is missing"), (#"{"method":7}"#, "method must be a string"),
    (#"{"method":"m","params":7}"#, "params must be an array or an object"),
    (#"{"method":"m","task":7}"#, "task must be an object"), (#"["m"]"#, "params must be an object"),
    (#"{"method":"m","method":"n"}"#, "method occurs twice"),
    (#"{"method":"m","params":null,"params":[1]}"#, "params occurs twice"),
    (#"{"method":"m","id":1}"#, "unknown member 'id'"), (#"{"method":"m","task":{"key":1}}"#, "task.key"),
  ])
  func `a wrapped call that is none is refused by name`(params: String, complaint: String) {
    var bench = Bench()
    let client = bench.connect()
    bench.send(call(1, params), from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("-32602") && heard[0].contains(complaint))
  }

  @Test func `a wrapped notification is never answered`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(#"{"jsonrpc":"2.0","method":"lastword.call","params":{"method":"n"}}"# + "\n", from: client)
    bench.send(#"{"jsonrpc":"2.0","method":"lastword.call","params":{}}"# + "\n", from: client)
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","method":"n"}"#])
    #expect(bench.heard(client) == [])
  }
}
