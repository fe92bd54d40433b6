import GatewayCore
import Testing

/// What one client can cost.
@Suite struct ClientBoundTests {
  @Test func `only unread output pauses a client's reading, and at the hard bound it is closed`() {
    var configuration = GatewayConfiguration()
    configuration.clientOutputSoftBytes = 1_000
    configuration.clientOutputHardBytes = 2_000
    var bench = Bench(configuration)
    bench.sink.clientRoom = 0
    let client = bench.connect()
    func invalid(_ count: Int) { for _ in 0..<count { bench.send("{}\n", from: client) } }
    invalid(5)
    #expect(bench.heard(client) == [] && bench.sink.paused == [])
    invalid(10)
    #expect(bench.heard(client) == [] && bench.sink.paused == [client.slot])
    bench.sink.clientRoom = nil
    bench.core.clientBecameWritable(client)
    #expect(bench.heard(client).count == 15 && bench.sink.paused == [])
    bench.sink.clientRoom = 0
    invalid(40)
    #expect(bench.heard(client) == [] && bench.sink.closed == [client.slot])
    #expect(bench.core.clientCount == 0)
  }

  @Test func `unanswered requests of a connection are bounded, and a cancel still gets through`() {
    var configuration = GatewayConfiguration()
    configuration.unansweredPerConnection = 3
    var bench = Bench(configuration)
    let client = bench.connect()
    for id in 1...5 { bench.send(line("\(id)"), from: client) }
    #expect(bench.heard(client).filter { $0.contains("-32082") }.count == 2)
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":3}}"# + "\n", from: client)
    #expect(bench.heard(client)[0].contains("-32800"))
    bench.send(line("6"), from: client)
    #expect(bench.heard(client) == [])
  }

  @Test func `output for many clients does not wait for the turn's end`() {
    var bench = Bench()
    for _ in 1..<GatewayConfiguration().unflushedClients { bench.send("{}\n", from: bench.connect()) }
    bench.core.flushEarly(into: &bench.sink)
    #expect(bench.sink.toClients.isEmpty)
    bench.send("{}\n", from: bench.connect())
    bench.core.flushEarly(into: &bench.sink)
    #expect(bench.sink.toClients.count == GatewayConfiguration().unflushedClients)
  }

  @Test func `where there is no time for all, output for a few clients is written before more is done`() {
    var configuration = GatewayConfiguration()
    configuration.turnMessages = 1
    var bench = Bench(configuration)
    for count in 1...8 {
      bench.core.flushEarly(into: &bench.sink)
      #expect(bench.sink.toClients.isEmpty)
      bench.sendInTurn(count == 1 ? "{}\n{}\n{}\n" : "{}\n", from: bench.connect())
    }
    bench.core.flushEarly(into: &bench.sink)
    #expect(bench.sink.toClients.count == 8)
    #expect(bench.core.nextInTurn != nil)
  }

  @Test func `much output for an upstream does not wait for the turn's end`() {
    var bench = Bench()
    let client = bench.connect()
    let large = String(repeating: "x", count: GatewayConfiguration().earlyOutputBytes / 2)
    bench.send(#"{"jsonrpc":"2.0","id":1,"method":"m","params":["\#(large)"]}"# + "\n", from: client)
    bench.core.flushEarly(into: &bench.sink)
    #expect(bench.sink.toUpstream.isEmpty)
    bench.send(#"{"jsonrpc":"2.0","id":2,"method":"m","params":["\#(large)"]}"# + "\n", from: client)
    bench.core.flushEarly(into: &bench.sink)
    #expect(bench.sink.requests.count == 2)
  }

  @Test func `connections are bounded`() {
    var configuration = GatewayConfiguration()
    configuration.connections = 2
    var bench = Bench(configuration)
    let first = bench.connect()
    _ = bench.connect()
    #expect(bench.core.clientConnected(listener: 0) == nil)
    bench.core.clientDisconnected(first)
    #expect(bench.core.clientConnected(listener: 0) != nil)
  }

  @Test func `a queue is bounded`() {
    var bench = Bench()
    let client = bench.connect()
    for id in 1...66 { bench.send(line("\(id)", task: #"{"key":"k","policy":"wait"}"#), from: client) }
    #expect(bench.heard(client).map { $0.contains("-32082") } == [true])
  }

  @Test func `what open requests ask is bounded, and is not kept of those without a key once they are sent`()
  {
    var configuration = GatewayConfiguration()
    configuration.payloadBytes = 1_000
    var bench = Bench(configuration)
    let client = bench.connect()
    // With its method and the quotes, params and all, each is 100 bytes.
    let params = "[\"" + String(repeating: "x", count: 93) + "\"]"
    for id in 1...20 { bench.send(line("\(id)", params: params), from: client) }
    #expect(bench.heard(client) == [])
    for id in 21...31 { bench.send(line("\(id)", params: params, task: #"{"key":"\#(id)"}"#), from: client) }
    let refused = bench.heard(client)
    #expect(refused.count == 1 && refused[0].contains(#""id":31,"error":{"code":-32082"#))
    bench.answer(result("21", "0") + "\n")
    bench.send(line("32", params: params, task: #"{"key":"a"}"#), from: client)
    #expect(bench.heard(client) == [result("21", "0")])
  }

  @Test(arguments: [128, 129])
  func `an id may have 128 bytes`(count: Int) {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("\"" + String(repeating: "i", count: count - 2) + "\""), from: client)
    #expect(bench.heard(client).count == (count > 128 ? 1 : 0))
  }

  @Test(arguments: [512, 513])
  func `a key may have 512 bytes`(count: Int) {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"\#(String(repeating: "k", count: count))"}"#), from: client)
    #expect(bench.heard(client).count == (count > 512 ? 1 : 0))
  }

  @Test(arguments: ["600000", "600001", "-1", "1.5", "\"1\""])
  func `a duration is an integer of at most so much`(value: String) {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k","timeoutMs":\#(value)}"#), from: client)
    #expect(bench.heard(client).map { $0.contains("timeoutMs") } == (value == "600000" ? [] : [true]))
  }

  @Test(arguments: ["{", " {", "\t["])
  func `a first line that begins like JSON, after white space too, does not end the connection`(text: String)
  {
    var bench = Bench()
    let client = bench.connect()
    bench.send(text + "\n", from: client)
    #expect(bench.heard(client)[0].contains("-32700"))
    #expect(bench.sink.closed == [])
  }
}
