import Addresses
import GatewayCore
import LibUV
import Upstreams

/// Makes what leads to an upstream's endpoints, as the options have it.
final class Transports {
  private let options: ServerOptions
  private let loop: EventLoop
  let departing = DepartingChildren()
  /// By upstream: however many children one has, they say no more.
  private let budgets: [LineBudget]
  #if HTTPUpstreams
  /// By upstream: what sessions with the same server share.
  private var mcpServers: [[HTTPEndpoint: MCPServer]]
  #endif
  /// By upstream: what a new configuration may change in them.
  let bounds: [TransportBounds]

  init(_ options: ServerOptions, on loop: EventLoop) {
    self.options = options
    self.loop = loop
    budgets = options.upstreams.map { _ in LineBudget() }
    #if HTTPUpstreams
    mcpServers = options.upstreams.map { _ in [:] }
    #endif
    bounds = options.upstreams.map { _ in
      TransportBounds(messageLimitBytes: 0, connectMilliseconds: 1, connectingLimit: 1)
    }
    keep(options.core)
  }

  /// Keeps to the bounds of a configuration in whatever begins from now on.
  func keep(_ configuration: GatewayConfiguration) {
    for (bounds, upstream) in zip(bounds, configuration.upstreams) {
      bounds.messageLimitBytes = configuration.messageLimitBytes
      // 0 would be the library's own idea.
      bounds.connectMilliseconds = max(1, upstream.connectMilliseconds ?? configuration.connectMilliseconds)
      bounds.connectingLimit = configuration.connectingPerEndpoint
    }
  }

  /// Nothing more is connected.
  func close() {
    #if HTTPUpstreams
    for server in mcpServers.flatMap(\.values) { server.close() }
    #endif
  }

  func transport(_ id: UpstreamID, to place: UpstreamEndpoint) -> any UpstreamTransport {
    let upstream = options.upstreams[place.upstream]
    let endpoint = upstream.endpoints[place.endpoint]
    #if HTTPUpstreams
    if case .http(let endpoint) = endpoint {
      return HTTPTransport(id, to: endpoint, bounds[place.upstream], on: loop)
    }
    #endif
    guard upstream.isHard else { return carrier(id, to: endpoint, of: place.upstream) }
    let core = options.core.upstreams[place.upstream]
    let wire = DedicatedTransport.Wire(framing: core.framing, toleratesNoise: core.toleratesNoise)
    return DedicatedTransport(id, name: name(endpoint), wire, bounds[place.upstream], on: loop) {
      [unowned self] in carrier($0, to: endpoint, of: place.upstream)
    }
  }

  private func carrier(
    _ id: UpstreamID, to endpoint: ServerOptions.Endpoint, of upstream: Int
  ) -> any ByteTransport {
    let keepAlive = KeepAlive(milliseconds: options.upstreams[upstream].keepAliveMilliseconds)
    return switch endpoint {
    case .address(let address): StreamTransport(id, to: address, keepAlive: keepAlive, on: loop)
    case .command(let command):
      ProcessTransport(id, command, on: loop, departing: departing, budget: budgets[upstream])
    case .handler(let handler, let name): HandlerTransport(id, handler, name: name, on: loop)
    case .secure(let address):
      if let outfit = options.upstreams[upstream].tls {
        SecureTransport(id, to: address, outfit, keepAlive: keepAlive, on: loop)
      } else {
        preconditionFailure("TLS needs an outfit")
      }
    case .mcp(let endpoint): mcp(id, endpoint, of: upstream)
    case .http: preconditionFailure("HTTP carries exchanges")
    }
  }

  private func mcp(_ id: UpstreamID, _ endpoint: HTTPEndpoint, of upstream: Int) -> any ByteTransport {
    #if HTTPUpstreams
    let server = mcpServers[upstream][endpoint] ?? MCPServer(at: endpoint, bounds[upstream], on: loop)
    mcpServers[upstream][endpoint] = server
    return MCPTransport(id, with: server, on: loop)
    #else
    preconditionFailure("MCP over HTTP needs the trait HTTPUpstreams")
    #endif
  }

  private func name(_ endpoint: ServerOptions.Endpoint) -> String {
    switch endpoint {
    case .address(let address): address.description
    case .secure(let address): "tls:\(address)"
    case .command(let command): command.name
    case .http(let endpoint): endpoint.name
    case .mcp(let endpoint): "mcp+" + endpoint.name
    case .handler(_, let name): name
    }
  }
}

@available(*, unavailable)
extension Transports: Sendable {}
