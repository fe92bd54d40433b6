import GatewayCore
import TaskStore
import Testing

/// Clients whose transport tells messages apart, and those that are one POST.
@Suite struct ClientKindTests {
  private static let ping = #"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"# + "\n"
  private static let pong = #"{"jsonrpc":"2.0","id":1,"result":null}"#

  private func connect(_ bench: inout Bench, as kind: ClientKind) throws -> ClientID {
    let client = bench.core.clientConnected(listener: 0, as: kind)
    return try #require(client)
  }

  private func parseError(at place: Int) -> String {
    #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error at byte \#(place)"}}"#
  }

  private func configured(_ adjust: (inout GatewayConfiguration) -> Void) -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    adjust(&configuration)
    return configuration
  }

  // MARK: Framing

  @Test(arguments: [ClientKind.messages, .exchange])
  func `what looks like a header is a message that is no JSON`(kind: ClientKind) throws {
    for text in ["Content-Length: 5", "content-length: 2", "C", "c"] {
      var bench = Bench()
      let client = try connect(&bench, as: kind)
      bench.send(text + "\n", from: client)
      #expect(bench.heard(client) == [parseError(at: 0)], "\(text)")
      bench.send(Self.ping, from: client)
      #expect(bench.heard(client) == [Self.pong], "\(text)")
    }
  }

  @Test(arguments: [ClientKind.messages, .exchange])
  func `each message that is no JSON is told of, and none ends it`(kind: ClientKind) throws {
    var bench = Bench()
    let client = try connect(&bench, as: kind)
    for (text, place) in [("{", 1), ("}", 0), (" {}}", 3), ("GET / HTTP/1.1", 0), ("[", 1), ("\t]", 1)] {
      bench.send(text + "\n", from: client)
      #expect(bench.heard(client) == [parseError(at: place)], "\(text)")
    }
    #expect(bench.closed() == [])
    bench.send(Self.ping, from: client)
    #expect(bench.heard(client) == [Self.pong])
  }

  @Test func `a stream is told once of a text on several lines, and what is no JSON ends it`() throws {
    var bench = Bench()
    let (cut, other) = (try connect(&bench, as: .stream), try connect(&bench, as: .stream))
    bench.send("{\n}\n", from: cut)
    #expect(bench.heard(cut).count == 1)
    bench.send("no JSON\n", from: other)
    #expect(bench.closed() == [other.slot])
  }

  // MARK: The end of an exchange

  @Test func `an exchange is answered behind its end, whatever the listener says of ends`() throws {
    var listener = ListenerOptions()
    listener.cancelsAtEnd = true
    var bench = Bench(configured { $0.listeners = [listener] })
    let (exchange, stream) = (try connect(&bench, as: .exchange), try connect(&bench, as: .stream))
    bench.send(line("1"), from: stream)
    bench.send(line("2"), from: exchange)
    #expect(bench.asked().count == 2)
    bench.core.clientEnded(stream)
    bench.core.clientEnded(exchange)
    let cancels = bench.asked()
    #expect(cancels.count == 1 && cancels[0].contains(#""params":{"id":1}"#), "\(cancels)")
    #expect(bench.heard(exchange) == [])
    #expect(bench.closed() == [stream.slot])
    bench.answer(result("2", "\"x\"") + "\n")
    #expect(bench.heard(exchange) == [result("2", "\"x\"")])
    #expect(bench.closed() == [stream.slot, exchange.slot])
  }

  @Test func `an exchange of a notification ends when that has been sent`() throws {
    var bench = Bench(connected: false)
    let client = try connect(&bench, as: .exchange)
    bench.send(#"{"jsonrpc":"2.0","method":"n"}"# + "\n", from: client)
    bench.core.clientEnded(client)
    #expect(bench.closed() == [])
    bench.connectUpstreams()
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","method":"n"}"#])
    #expect(bench.closed() == [client.slot])
  }

  @Test func `half a message at the end of an exchange is told of, and it ends`() throws {
    var bench = Bench()
    let client = try connect(&bench, as: .exchange)
    bench.send(#"{"jsonrpc":"2.0","id":1,"#, from: client)
    bench.core.clientEnded(client)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("-32700"), "\(heard)")
    #expect(!heard[0].contains("line feed"))
    #expect(bench.closed() == [client.slot])
    #expect(bench.asked() == [])
  }

  @Test func `who goes away takes an exchange back`() throws {
    var bench = Bench()
    let client = try connect(&bench, as: .exchange)
    bench.send(line("7"), from: client)
    bench.core.clientEnded(client)
    #expect(bench.asked().count == 1)
    bench.core.clientDisconnected(client)
    let cancels = bench.asked()
    #expect(cancels.count == 1 && cancels[0].contains("cancel"), "\(cancels)")
    #expect(bench.core.clientCount == 0)
  }

  // MARK: Connections

  @Test func `exchanges are no connections, and those over which they come are`() throws {
    var bench = Bench(configured { $0.connections = 2 })
    bench.core.connectionsOfShell(1)
    let exchanges = try (0..<5).map { _ in try connect(&bench, as: .exchange) }
    let stream = try connect(&bench, as: .stream)
    #expect(bench.core.clientConnected(listener: 0) == nil)
    #expect(bench.core.clientConnected(listener: 0, as: .messages) == nil)
    // Those go on over what there is.
    _ = try connect(&bench, as: .exchange)
    for exchange in exchanges { bench.core.clientDisconnected(exchange) }
    #expect(bench.core.clientConnected(listener: 0) == nil)
    bench.core.connectionsOfShell(0)
    let other = try connect(&bench, as: .messages)
    #expect(bench.core.clientConnected(listener: 0) == nil)
    bench.core.clientDisconnected(stream)
    bench.core.clientDisconnected(other)
    bench.core.connectionsOfShell(2)
    #expect(bench.core.clientConnected(listener: 0) == nil)
  }

  @Test func `exchanges and connections are counted apart`() throws {
    var bench = Bench()
    for kind in [ClientKind.stream, .exchange, .messages, .exchange, .exchange] {
      _ = try connect(&bench, as: kind)
    }
    #expect(bench.core.counters.clientConnections == 2)
    #expect(bench.core.counters.clientExchanges == 3)
  }

  // MARK: Upstreams of their own

  @Test func `an upstream that each connection has for itself is not for an exchange`() throws {
    var listener = ListenerOptions()
    listener.opensUpstreams = true
    var bench = Bench.ofOwnUpstreams { $0.listeners = [listener] }
    let client = try connect(&bench, as: .exchange)
    #expect(bench.sink.connects == 0)
    bench.send(line("1"), from: client)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains(#""id":1,"error":{"code":-32600"#), "\(heard)")
    bench.send(#"{"jsonrpc":"2.0","method":"n"}"# + "\n", from: client)
    #expect(bench.heard(client) == [])
    #expect(bench.sink.connects == 0 && bench.asked() == [])
    bench.send(Self.ping, from: client)
    #expect(bench.heard(client) == [Self.pong])
    bench.core.clientEnded(client)
    #expect(bench.closed() == [client.slot])
  }

  @Test func `it is for those that have messages`() throws {
    var bench = Bench.ofOwnUpstreams()
    let client = try connect(&bench, as: .messages)
    bench.send(line("1"), from: client)
    bench.connectUpstreams()
    #expect(bench.asked().count == 1)
  }
}
