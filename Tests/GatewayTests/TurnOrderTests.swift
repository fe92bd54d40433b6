import Addresses
import GatewayCore
import JSONRPC
import LibUV
import Logging
import TestSupport
import Testing

@testable import Gateway

/// What is done first in a turn of the loop.
@Suite struct TurnOrderTests {
  private func pings(_ numbers: Range<Int>) -> [UInt8] {
    numbers.flatMap { Array(#"{"jsonrpc":"2.0","id":\#($0),"method":"lastword.ping"}\#n"#.utf8) }
  }

  private func give(_ bytes: [UInt8], from client: ClientID, to server: GatewayServer) {
    server.client(client, received: JSONText.padded(bytes).span, count: bytes.count)
  }

  @Test func `what has come is answered before what was left over goes on`() throws {
    let scene = try LoopScene()
    let nowhere = ServerOptions.Endpoint.address(.tcp(host: "127.0.0.1", port: 1))
    var options = ServerOptions(listen: [], upstreams: [ServerOptions.Upstream(nowhere)], seed: 1)
    // All that is left over has time enough in one turn.
    options.core.server.turnMicroseconds = 1_000_000
    let server = try GatewayServer(
      options, on: scene.loop, log: Logger(label: "") { _ in SwiftLogNoOpLogHandler() })
    var written: [String] = []
    let note: ([UInt8]) -> Void = { written.append(String(decoding: $0, as: UTF8.self)) }
    let (greedy, honest) = (ClientTransportDouble(onWrite: note), ClientTransportDouble(onWrite: note))
    for transport in [greedy, honest] { server.accept(transport, 0) }
    give(pings(0..<200), from: greedy.client, to: server)
    give(pings(500..<501), from: honest.client, to: server)
    scene.turns(1)
    let isHonest = try #require(written.firstIndex { $0.contains(#""id":500,"#) })
    let isLast = try #require(written.firstIndex { $0.contains(#""id":199,"#) })
    #expect(isHonest < isLast, "\(written.map(\.utf8.count))")
    server.abandon()
    scene.end()
  }
}
