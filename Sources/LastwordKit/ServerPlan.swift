import Addresses
import Gateway
import GatewayCore
import LibUV
import Logging

/// Everything that a gateway's thread needs to start.
struct ServerPlan: Sendable {
  private let listen: [SocketAddress]
  private let methods: MethodTable
  /// The servers to forward to, in the order of their first registration. As upstreams they stand behind the handlers.
  private var servers: [SocketAddress] = []
  private var core = GatewayConfiguration()
  private let socketMode: UInt32
  private let seed: UInt64
  let log: Logger
  let loops: Int

  init(_ gateway: Gateway, _ methods: MethodTable) throws(GatewayError) {
    var listen: [SocketAddress] = []
    for text in gateway.listen {
      let address = try Self.address(text)
      guard address.isLocal || gateway.options.isForOthers else { throw .exposedAddress(text) }
      listen.append(address)
    }
    self.listen = listen
    self.methods = methods
    socketMode = gateway.options.socketMode
    seed = gateway.options.seed ?? .random(in: 0 ... .max)
    log = gateway.logger
    loops = gateway.options.loops
    gateway.options.apply(to: &core)
    let clients = try gateway.options.clients()
    core.server.clients = listen.map { _ in clients }
    if case .required(let principals) = gateway.options.authentication { try ask(principals) }
    for registration in gateway.registrations { try add(registration) }
    core.upstreams += servers.map { _ in UpstreamOptions() }
  }

  private static func address(_ text: String) throws(GatewayError) -> SocketAddress {
    guard let address = SocketAddress(parsing: text) else { throw .invalidAddress(text) }
    return address
  }

  /// Makes every listener serve these principals only.
  private mutating func ask(_ principals: [Principal]) throws(GatewayError) {
    core.principals = try principals.identities()
    var options = ListenerOptions()
    options.asksWho = true
    core.listeners = listen.map { _ in options }
  }

  private mutating func add(_ registration: Registration) throws(GatewayError) {
    var route = registration.route
    if case .server(let text, _) = registration.target {
      let address = try Self.address(text)
      if !servers.contains(address) { servers.append(address) }
      route.upstream = 1 + (servers.firstIndex(of: address) ?? 0)
    }
    core.routes.append(route)
  }

  var serverOptions: ServerOptions {
    let handlers = ServerOptions.Upstream(.handler(methods, name: "handlers"))
    var options = ServerOptions(
      listen: listen, upstreams: [handlers] + servers.map { .init(.address($0)) }, seed: seed)
    options.core = core
    options.socketModes = listen.map { _ in socketMode }
    return options
  }
}
