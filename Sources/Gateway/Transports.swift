import GatewayCore
import LibUV
import Upstreams

/// Makes what leads to an upstream's endpoints, as the options have it.
final class Transports {
  private let options: ServerOptions
  private let loop: EventLoop
  private let departing = DepartingChildren()
  /// By upstream: however many children one has, they say no more.
  private let budgets: [LineBudget]

  init(_ options: ServerOptions, on loop: EventLoop) {
    self.options = options
    self.loop = loop
    budgets = options.upstreams.map { _ in LineBudget() }
  }

  func transport(_ id: UpstreamID, to place: UpstreamEndpoint) -> any UpstreamTransport {
    let upstream = options.upstreams[place.upstream]
    let endpoint = upstream.endpoints[place.endpoint]
    #if HTTPUpstreams
    if case .http(let endpoint) = endpoint { return HTTPTransport(id, to: endpoint, on: loop) }
    #endif
    guard upstream.isHard else { return carrier(id, to: endpoint, of: place.upstream) }
    let core = options.core.upstreams[place.upstream]
    let wire = DedicatedTransport.Wire(
      framing: core.framing, toleratesNoise: core.toleratesNoise,
      messageLimitBytes: options.core.messageLimitBytes)
    return DedicatedTransport(id, name: name(endpoint), wire, on: loop) { [unowned self] in
      carrier($0, to: endpoint, of: place.upstream)
    }
  }

  private func carrier(
    _ id: UpstreamID, to endpoint: ServerOptions.Endpoint, of upstream: Int
  ) -> any ByteTransport {
    switch endpoint {
    case .address(let address): StreamTransport(id, to: address, on: loop)
    case .command(let command):
      ProcessTransport(id, command, on: loop, departing: departing, budget: budgets[upstream])
    case .handler(let handler, let name): HandlerTransport(id, handler, name: name, on: loop)
    case .http: preconditionFailure("HTTP carries exchanges")
    }
  }

  private func name(_ endpoint: ServerOptions.Endpoint) -> String {
    switch endpoint {
    case .address(let address): address.description
    case .command(let command): command.name
    case .http(let endpoint): endpoint.name
    case .handler(_, let name): name
    }
  }
}

@available(*, unavailable)
extension Transports: Sendable {}
