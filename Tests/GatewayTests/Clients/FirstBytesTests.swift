import Addresses
import GatewayCore
import JSONRPC
import LibUV
import Logging
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
    let nowhere = ServerOptions.Endpoint.address(.tcp(host: "127.0.0.1", port: 1))
    let options = ServerOptions(listen: [], upstreams: [ServerOptions.Upstream(nowhere)], seed: 1)
    let server = try GatewayServer(
      options, on: scene.loop, log: Logger(label: "") { _ in SwiftLogNoOpLogHandler() })
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
}
