import GatewayCore
import JSONRPC
import Testing

@testable import Gateway

/// Bytes that are too few to tell who serves a connection.
@Suite struct FirstBytesTests {
  private func give(_ text: String, from client: ClientID, to server: GatewayServer) {
    let bytes = Array(text.utf8)
    server.firstBytes?.client(client, received: JSONText.padded(bytes).span, count: bytes.count)
  }

  @Test func `what a connection began that was closed is not put before what the next one says`() throws {
    let scene = try LoopScene()
    let server = try scene.server()
    var written = ""
    let (stranger, next) = (
      ClientTransportDouble { _ in }, ClientTransportDouble { written += String(decoding: $0, as: UTF8.self) }
    )
    server.accept(stranger, 0)
    give("PO", from: stranger.client, to: server)
    #expect(server.evict(connection: server.core.number(of: stranger.client)) == 1)
    scene.turns(1)
    server.accept(next, 0)
    #expect(next.client.slot == stranger.client.slot)
    give(#"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"# + "\n", from: next.client, to: server)
    scene.turns(1)
    #expect(written == #"{"jsonrpc":"2.0","id":1,"result":null}"# + "\n")
    server.abandon()
    scene.end()
  }

  @Test(arguments: ["G", "PO"])
  func `who was given up may end in the same turn, and is closed with what it began`(begun: String) throws {
    let scene = try LoopScene()
    // Each output leaves as soon as something is read.
    let server = try scene.server { $0.unflushedClients = 1 }
    let client = ClientTransportDouble()
    server.accept(client, 0)
    give(begun, from: client.client, to: server)
    #expect(server.evict(connection: server.core.number(of: client.client)) == 1)
    #expect(client.calls == [.started(client.client)], "it is closed by nothing but its end")
    server.firstBytes?.clientEnded(client.client)
    #expect(client.calls == [.started(client.client), .closed])
    #expect(client.text.contains("the operator ended this connection"))
    scene.turns(1)
    server.abandon()
    scene.end()
  }
}
