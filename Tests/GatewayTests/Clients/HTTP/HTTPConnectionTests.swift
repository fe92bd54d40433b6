import GatewayCore
import JSONRPC
import Testing

@testable import Gateway

/// A connection by HTTP whose client does not read what it is sent, until it does.
@Suite struct HTTPConnectionTests {
  private static let nobody = ClientID(slot: 0)
  private static let get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

  private let scene: HTTPScene
  private let carrier = UnreadTransportDouble()
  private let connection: HTTPConnection

  init() throws {
    scene = try HTTPScene {
      $0.stallMilliseconds = 20_000
      $0.server.httpIdleMilliseconds = 50_000
    }
    connection = HTTPConnection(carrier, 0, nil, of: scene.clients)
    scene.clients.add(connection)
  }

  /// Its client says this.
  private func hear(_ text: String) {
    let bytes = Array(text.utf8)
    connection.client(Self.nobody, received: JSONText.padded(bytes).span, count: bytes.count)
  }

  /// Its client reads all that there is, and from now on what comes.
  private func read() {
    carrier.read()
    connection.clientBecameWritable(Self.nobody)
  }

  @Test func `it idles only since its last reply has left`() {
    defer { scene.end() }
    hear(Self.get)
    #expect(carrier.text.hasPrefix("HTTP/1.1 200 ") && connection.output.isEmpty)
    #expect(carrier.inFlightByteCount > 0)
    #expect(connection.idleSinceMilliseconds == nil)
    #expect(connection.dueMilliseconds == scene.nowMilliseconds + 20_000)
    scene.letTimePass()
    read()
    #expect(connection.idleSinceMilliseconds == scene.nowMilliseconds)
    #expect(connection.dueMilliseconds == scene.nowMilliseconds + 50_000)
  }

  @Test func `a content that came before it was asked for is read once the reply before it has left`() {
    defer { scene.end() }
    let ping = #"{"jsonrpc":"2.0","id":7,"method":"lastword.ping"}"#
    hear(Self.get)
    let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    hear(head + "Content-Length: \(ping.utf8.count)\r\nExpect: 100-continue\r\n\r\n" + ping)
    // The word that asks for it waits behind that reply, and so does all else.
    #expect(!carrier.text.contains("100 Continue") && !connection.output.isEmpty)
    read()
    scene.turns(1)
    #expect(carrier.text.contains("100 Continue"))
    #expect(carrier.text.contains(#"{"jsonrpc":"2.0","id":7,"result":null}"#))
  }

  @Test func `that the core has dropped it the core hears when the turn ends, not while it speaks`() {
    defer { scene.end() }
    scene.turns(1)
    #expect(scene.connectionCount == 1)
    connection.exchangeDropped()
    #expect(connection.isClosed && scene.connectionCount == 1)
    scene.turns(1)
    #expect(scene.connectionCount == 0)
  }

  @Test func `whoever comes before the turn ends has its place`() throws {
    scene.end()
    let scene = try HTTPScene { $0.connections = 1 }
    defer { scene.end() }
    let connection = HTTPConnection(carrier, 0, nil, of: scene.clients)
    scene.clients.add(connection)
    scene.turns(1)
    connection.exchangeDropped()
    let client = ClientTransportDouble()
    scene.accept(client)
    #expect(client.calls == [.started(client.client)] && scene.connectionCount == 1)
  }

  @Test func `where its listener asks from now on it has as long as a new one to say who it is`() {
    defer { scene.end() }
    hear(Self.get)
    read()
    scene.reload {
      $0.authenticateMilliseconds = 3_000
      $0.listeners = [ListenerOptions()]
      $0.listeners[0].asksWho = true
    }
    let due = scene.nowMilliseconds + 3_000
    #expect(connection.dueMilliseconds == due && scene.clients.toldStrangerCount == 1)
    scene.letTimePass()
    // Another reload gives it no more time.
    scene.reload { $0.orders += 1 }
    #expect(connection.dueMilliseconds == due && scene.clients.toldStrangerCount == 1)
    scene.reload { $0.listeners[0].asksWho = false }
    #expect(connection.strangerSinceMilliseconds == nil && scene.clients.toldStrangerCount == 0)
  }

  @Test func `who has said it already need not where a reload changes something else`() {
    defer { scene.end() }
    scene.reload {
      $0.listeners = [ListenerOptions()]
      $0.listeners[0].asksWho = true
    }
    let later = HTTPConnection(UnreadTransportDouble(), 0, nil, of: scene.clients)
    scene.clients.add(later)
    scene.reload { $0.orders += 1 }
    #expect(later.strangerSinceMilliseconds == nil)
  }

  @Test func `all that was asked before the end is answered, whatever stands between`() throws {
    scene.end()
    let scene = try HTTPScene {
      $0.server.clients = [ClientProtocols()]
      $0.server.clients[0].answersAfterEnd = true
    }
    defer { scene.end() }
    let connection = HTTPConnection(carrier, 0, nil, of: scene.clients)
    scene.clients.add(connection)
    carrier.read()
    let posts = [7, 8].map { id in
      let ping = #"{"jsonrpc":"2.0","id":\#(id),"method":"lastword.ping"}"#
      let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      return head + "Content-Length: \(ping.utf8.count)\r\n\r\n" + ping
    }
    let bytes = Array((posts[0] + Self.get + posts[1]).utf8)
    connection.client(Self.nobody, received: JSONText.padded(bytes).span, count: bytes.count)
    connection.clientEnded(Self.nobody)
    scene.turns(3)
    #expect(carrier.text.contains(#"{"jsonrpc":"2.0","id":7,"result":null}"#))
    #expect(carrier.text.contains(#"{"jsonrpc":"2.0","id":8,"result":null}"#))
    #expect(connection.isClosed)
  }
}
