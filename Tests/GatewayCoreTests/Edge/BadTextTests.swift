import GatewayCore
import JSONRPC
import Testing

/// What a client hears of a text that is no message.
@Suite struct BadTextTests {
  private func error(_ message: String) -> String {
    #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"\#(message)"}}"#
  }

  private func cutOff(_ byte: Int) -> String {
    error("parse error at byte \(byte): the line ends before its JSON; send one message per line")
  }

  @Test(arguments: [
    (#"{"jsonrpc":"2.0",}"#, 17), (#"{"a":[1,2,]}"#, 10), (#"{"a":nope}"#, 6), (#"{"a":1}}"#, 7),
    (#"{ "a" 1}"#, 6), ("[1,]", 3), (#"{"a":"é\u{1}"}"#, 8),
  ])
  func `no JSON is told with the byte at which that shows`(text: String, byte: Int) {
    var bench = Bench()
    let client = bench.connect()
    bench.send(text + "\n", from: client)
    #expect(bench.heard(client) == [error("parse error at byte \(byte)")])
    // The same where the line comes in two parts, or behind another one.
    for character in text { bench.send(String(character), from: client) }
    bench.send("\r\n", from: client)
    #expect(bench.heard(client) == [error("parse error at byte \(byte)")])
  }

  @Test(arguments: ["{", #"{"jsonrpc":"2.0","#, #"[{"a":1},"#, #"{"a":""#, #"{"a":{"b":1}"#, "[["])
  func `a line that only begins is told that a message is one line`(text: String) {
    var bench = Bench()
    let client = bench.connect()
    bench.send(text + "\n" + line("1", "lastword.ping"), from: client)
    #expect(bench.heard(client) == [cutOff(text.utf8.count), result("1", "null")])
  }

  @Test func `a message on several lines is told of once`() {
    var bench = Bench()
    let client = bench.connect()
    let lines = ["{", #"  "jsonrpc": "2.0","#, "\t\"id\": 1,", "", #"  "params": ["#, "    7", "  ]", "}"]
    bench.send(lines.joined(separator: "\n") + "\n", from: client)
    #expect(bench.heard(client) == [cutOff(1)])
    bench.send(lines.joined(separator: "\r\n") + "\r\n", from: client)
    #expect(bench.heard(client) == [cutOff(1)])
    #expect(bench.core.counters.invalid == 2)
  }

  @Test(arguments: ["}", "]", "hello", #"{"a":}"#, #"{"jsonrpc":"2.0","method":"n"}"#])
  func `what ends such a text has nothing go on`(end: String) {
    var bench = Bench()
    let client = bench.connect()
    bench.send("{\n" + end + "\n", from: client)
    let before = bench.heard(client).count
    #expect(before == (end.count == 1 || end.contains("method") ? 1 : 2))
    bench.send("  7\n", from: client)
    #expect(bench.heard(client).count == 1)
  }

  @Test func `what is indented and has an id is answered`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(#"{"# + "\n" + #"  {"jsonrpc":"1.0","id":5,"method":"m"}"# + "\n", from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 2 && heard[1].contains(#""id":5,"error":{"code":-32600"#))
  }

  // MARK: HTTP

  @Test(arguments: ["GET / HTTP/1.1", "POST /rpc HTTP/1.0", "PRI * HTTP/2.0"])
  func `HTTP is answered in HTTP, once, and the connection closes`(first: String) {
    var bench = Bench()
    let client = bench.connect()
    bench.send(first + "\r\nHost: localhost\r\n\r\n", from: client)
    bench.core.flush(into: &bench.sink)
    let heard = String(decoding: bench.sink.toClients[client.slot] ?? [], as: UTF8.self)
    #expect(heard == GatewayCore.answerToHTTP && bench.sink.closed == [client.slot])
    let (head, body) = (heard.split(separator: "\r\n\r\n")[0], heard.split(separator: "\r\n\r\n")[1])
    #expect(head.hasPrefix("HTTP/1.1 400 ") && head.contains("Content-Length: \(body.utf8.count)"))
    #expect(body.contains("JSON-RPC 2.0"))
  }

  @Test(arguments: ["HTTP/1.1", "/1.1", "x", "GET / HTTP/11", "GET /HTTP/1.1x"])
  func `what is not quite HTTP is turned away in JSON`(first: String) {
    var bench = Bench()
    let client = bench.connect()
    bench.send(first + "\r\n", from: client)
    #expect(bench.heard(client).count { $0.contains("-32700") } == 1 && bench.sink.closed == [client.slot])
  }

  // MARK: Half a message

  @Test(arguments: [(#"{"jsonrpc":"2.0""#, true), ("x", true), (" \t\r", false), ("", false)])
  func `half a line is told of when the connection ends`(half: String, isTold: Bool) {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1", "lastword.ping") + half, from: client)
    #expect(bench.heard(client).count == 1)
    bench.core.clientEnded(client)
    let told = error("the connection ended within a message: a line ends with a line feed")
    #expect(bench.heard(client) == (isTold ? [told] : []) && bench.sink.closed == [client.slot])
  }

  @Test(arguments: ["Content-Le", "Content-Length: 10\r\n\r\n", "Content-Length: 10\r\n\r\n{"])
  func `half a body is told of, too`(half: String) {
    var bench = Bench()
    let client = bench.connect()
    bench.send(half, from: client)
    bench.core.clientEnded(client)
    bench.core.flush(into: &bench.sink)
    let heard = String(decoding: bench.sink.toClients[client.slot] ?? [], as: UTF8.self)
    #expect(
      heard.hasPrefix("Content-Length: ") && heard.hasSuffix(error("the connection ended within a message")))
  }

  @Test(arguments: ["{\(String(repeating: "x", count: 200))", "Content-Length: 200\r\n\r\n{"])
  func `a message that was refused for its length is not told of again`(long: String) {
    var configuration = GatewayConfiguration()
    configuration.messageLimitBytes = 100
    for ends in [true, false] {
      var bench = Bench(configuration)
      let client = bench.connect()
      bench.send(long, from: client)
      if ends { bench.core.clientEnded(client) } else { bench.timePasses(10_000) }
      bench.core.flush(into: &bench.sink)
      let heard = String(decoding: bench.sink.toClients[client.slot] ?? [], as: UTF8.self)
      #expect(heard.contains("-32086") && !heard.contains("-32700") && bench.sink.closed == [client.slot])
    }
  }

  @Test func `who does not end a line in time hears that before the connection closes`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#, from: client)
    bench.timePasses(9_999)
    #expect(bench.heard(client) == [])
    bench.timePasses(1)
    let told = error("a message has not ended within 10000 ms: a line ends with a line feed")
    #expect(bench.heard(client) == [told] && bench.sink.closed == [client.slot])
  }
}
