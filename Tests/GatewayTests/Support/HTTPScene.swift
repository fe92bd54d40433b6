import Addresses
import GatewayCore
import LibUV
import Logging
import TestSupport
import Testing

@testable import Gateway

extension LoopScene {
  /// A gateway whose upstream is nowhere.
  func server(
    listen: [SocketAddress] = [], _ adjust: (inout GatewayConfiguration) -> Void = { _ in }
  ) throws -> GatewayServer {
    let nowhere = ServerOptions.Endpoint.address(.tcp(host: "127.0.0.1", port: 1))
    var options = ServerOptions(listen: listen, upstreams: [ServerOptions.Upstream(nowhere)], seed: 1)
    adjust(&options.core)
    return try GatewayServer(options, on: loop, log: Logger(label: "") { _ in SwiftLogNoOpLogHandler() })
  }
}

/// A gateway with one listener, whose clients by HTTP a test drives by hand; its upstream is nowhere.
final class HTTPScene {
  private let scene: LoopScene
  private let server: GatewayServer
  let clients: HTTPClients

  init(_ adjust: (inout GatewayConfiguration) -> Void = { _ in }) throws {
    let scene = try LoopScene()
    let server = try scene.server(listen: [.tcp(host: "127.0.0.1", port: 0)], adjust)
    clients = try #require(server.http)
    self.scene = scene
    self.server = server
  }

  var nowMilliseconds: UInt64 { scene.loop.nowMilliseconds }

  /// Of clients, as far as the core knows.
  var connectionCount: Int { server.core.connectionCount }

  /// A client comes some other way.
  func accept(_ transport: any ClientTransport) { server.accept(transport, 0) }

  /// The loop's clock goes on, by a millisecond or a few; nothing else happens.
  func letTimePass() {
    let before = nowMilliseconds
    while nowMilliseconds == before { scene.loop.updateTime() }
  }

  func turns(_ count: Int) { scene.turns(count) }

  func reload(_ adjust: (inout GatewayConfiguration) -> Void) {
    var configuration = server.core.configuration
    adjust(&configuration)
    server.reconfigure(configuration)
  }

  func end() {
    server.abandon()
    scene.end()
  }
}
