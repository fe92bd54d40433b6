import Addresses
import Configuration
import HTTP1
import HotData
import LibUV
import Logging
import TaskStore
import Testing
import Upstreams

@testable import Gateway
@testable import GatewayCore

/// What a reload changes reaches every part that holds some of it, as it would have at the start.
@Suite struct ReloadTests {
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  private func configuration(_ text: String) throws -> GatewayConfiguration {
    try FileConfiguration(ConfigurationSources(file: ("lw.toml", Array(text.utf8)))).core
  }

  private func server(_ configuration: GatewayConfiguration) throws -> GatewayServer {
    let nowhere = ServerOptions.Endpoint.address(.tcp(host: "127.0.0.1", port: 1))
    var options = ServerOptions(
      listen: [], upstreams: configuration.upstreams.map { _ in ServerOptions.Upstream(nowhere) }, seed: 1)
    options.core = configuration
    return try GatewayServer(
      options, on: loop, log: Logger(label: "") { _ in SwiftLogNoOpLogHandler() })
  }

  /// The configuration as the parts of a server hold it; what none of them has is as usual.
  private func held(by server: GatewayServer) -> String {
    var held = server.core.configuration
    held.server = GatewayConfiguration.Server()
    held.server.turnBytes = loop.turnBytes
    held.server.turnMicroseconds = server.turnClock.limitNanoseconds / 1_000
    // It is held where there are several loops.
    held.server.coalesceMicroseconds = server.core.configuration.server.coalesceMicroseconds
    held.server.handshakeMilliseconds = server.secure.handshakeMilliseconds
    held.server.handshakes = server.secure.handshakeLimit
    held.server.drainMilliseconds = server.core.configuration.server.drainMilliseconds
    held.server.clients = server.core.configuration.server.clients
    if let http = server.http {
      held.server.headBytes = http.limits.headBytes
      held.server.httpIdleMilliseconds = http.idleMilliseconds
      held.server.pingMilliseconds = http.pingMilliseconds
      held.server.eventCommentMilliseconds = http.eventCommentMilliseconds
      held.server.mcpIdleMilliseconds = http.mcpIdleMilliseconds
      held.server.mcpResumeMilliseconds = http.mcpResumeMilliseconds
    }
    return "\(held)"
  }

  /// What the transports hold.
  private func transportBounds(of server: GatewayServer) -> [[Int]] {
    server.transports.bounds.map {
      [$0.messageLimitBytes, Int($0.connectMilliseconds), $0.connectingLimit]
    }
  }

  /// What the core has made of its configuration.
  private func parts(of core: borrowing GatewayCore) -> [String] {
    var parts = ["\(core.lanes.store.limits)", "\(core.edge.intents)", "\(core.edge.targets)"]
    parts.append("\(core.upstreams.upstreamScan)")
    // Each machine goes by a configuration of its own.
    parts += ["\(core.edge.configuration)", "\(core.lanes.configuration)", "\(core.upstreams.configuration)"]
    parts.append("\(core.edge.clientLimitBytes) \(core.lanes.requestLimitBytes)")
    for place in core.configuration.upstreams.indices {
      parts.append(
        "\(core.upstreams.pools[place].connectMilliseconds) \(core.upstreams.pools[place].answerMilliseconds)"
      )
      parts.append(
        "\(core.upstreams.pools[place].inFlightLimit) \(core.upstreams.pools[place].inFlightPerAccount)")
      parts.append(
        "\(core.upstreams.pools[place].waitingLimit) \(core.upstreams.pools[place].outputSoftBytes)")
      parts.append("\(core.upstreams.pools[place].outputHardBytes)")
    }
    return parts
  }

  /// Reloads it, and holds the server against one that is started with it.
  private func expectKept(_ text: String, by server: GatewayServer) throws {
    let configuration = try configuration(text)
    server.reconfigure(configuration)
    #expect(held(by: server) == "\(configuration)", "\(text)")
    let started = try self.server(configuration)
    defer { started.abandon() }
    #expect(held(by: started) == "\(configuration)", "\(text)")
    #expect(transportBounds(of: server) == transportBounds(of: started), "\(text)")
    #expect(parts(of: server.core) == parts(of: started.core), "\(text)")
  }

  @Test func `every bound reaches the part that holds it`() throws {
    let server = try server(configuration(""))
    defer { server.abandon() }
    var seen: Set = [held(by: server)]
    for setting in BoundSettings.settings {
      guard case .integer(let range, _) = setting.form, case .integer(let usual)? = setting.standard else {
        Issue.record("\(setting.name) is no number")
        continue
      }
      // No smaller than a message.
      let other = setting.name == "memoryBytes" ? 1 << 30 : usual < range.upperBound ? usual + 1 : usual - 1
      try expectKept("[bounds]\n\(setting.name) = \(other)", by: server)
      #expect(seen.insert(held(by: server)).inserted, "\(setting.name)")
    }
  }

  @Test func `so do the drain time, listeners, an upstream's own bounds, and routes`() throws {
    let block = "[[upstream]]\nname = 'a'\naddress = 'tcp:127.0.0.1:1'\n"
    let server = try server(configuration(block))
    defer { server.abandon() }
    var seen: Set = [held(by: server)]
    for more in [
      "connectMs = 7", "answerMs = 7", "maxInFlight = 7", "maxInFlightPerConnection = 7", "maxWaiting = 7",
      "outputSoftBytes = 2000", "outputHardBytes = 2000000", "[[route]]\nmethod = 'a'\ntimeoutMs = 7",
      "[[listen]]\naddress = '127.0.0.1:2'\nscope = 'connection'",
    ] {
      try expectKept(block + more, by: server)
      #expect(seen.insert(held(by: server)).inserted, "\(more)")
    }
    try expectKept("drainMs = 7\n" + block, by: server)
  }

  @Test func `what leads to an upstream keeps to its bounds, each its own`() throws {
    let block =
      "[[upstream]]\nname = 'a'\naddress = 'tcp:a:1'\n[[upstream]]\nname = 'b'\naddress = 'tcp:b:1'\n"
    let server = try server(configuration(block))
    defer { server.abandon() }
    let usual = GatewayConfiguration()
    let standard = [
      usual.messageLimitBytes, Int(usual.connectMilliseconds), usual.connectingPerEndpoint,
    ]
    #expect(transportBounds(of: server) == [standard, standard])
    server.reconfigure(
      try configuration(
        block + "connectMs = 7\n[bounds]\nmessageBytes = 2000\nconnectMs = 0\nconnectingPerEndpoint = 3"))
    // None at all would be the library's own idea.
    #expect(transportBounds(of: server) == [[2_000, 1, 3], [2_000, 7, 3]])
  }
}
