package import GatewayCore
import JSONRPC
import TaskStore

/// The core's configuration, made from the settings.
extension FileConfiguration {
  package var core: GatewayConfiguration {
    var core = bounds.core
    core.server.drainMilliseconds = UInt64(process.drainMilliseconds)
    core.fleet = fleet.values.core
    core.listeners = listeners.map { Self.listener($0.values) }
    core.server.clients = listeners.map { Self.clients($0.values) }
    core.upstreams = upstreams.map { upstream($0.values) }
    for place in upstreams.indices where upstreams[place].values.kind == .mcp {
      core.upstreams[place].placeForPosts = core.upstreams.count
      core.upstreams.append(ofPosts(core.upstreams[place]))
    }
    core.principals = principals.map { $0.values.options(bounds.core.quotas) }
    core.issuers = issuers.map { $0.values.options(bounds.core.quotas) }
    core.routes = routes.map { route($0.values) }
    return core
  }

  private static func listener(_ settings: ListenerSettings) -> ListenerOptions {
    var options = ListenerOptions()
    options.scope = settings.scope == .shared ? .shared : .connection
    options.asksWho = settings.authentication == .required
    options.cancelsAtEnd = settings.endOfInput == .cancel
    options.hidesSupersession = settings.errorProfile == .lsp
    return options
  }

  private static func clients(_ settings: ListenerSettings) -> ClientProtocols {
    var clients = ClientProtocols()
    clients.protocols = ClientProtocols.Kinds(settings.protocols.map(\.kind))
    clients.origins = settings.origins.map(\.description)
    clients.answersAfterEnd = settings.endOfInput == .reply
    clients.hosts = settings.hosts.map(\.description)
    clients.mcpPath = settings.mcpPath?.description
    return clients
  }

  private func upstream(_ settings: UpstreamSettings) -> UpstreamOptions {
    var options = settings.core
    options.cancel = settings.dialect
    options.shape = settings.takesExchanges ? .exchanges : .connection
    options.framing = settings.framing ?? .lines
    options.toleratesNoise = settings.kind == .command
    options.isPerConnection = settings.isPerConnection || settings.kind == .mcp
    options.endpoints = settings.endpoints.count
    options.cancelNotification = settings.cancelMethod.map { method in
      CancelNotification(
        method: method.description, member: settings.cancelMember?.description ?? "id",
        isAnswered: settings.cancelAnswered ?? true)
    }
    options.stopsWhenAborted = settings.isHard || settings.stopsWhenAborted ?? false
    options.inFlightPerEndpoint = options.inFlightPerEndpoint ?? usualInFlight(settings)
    return options
  }

  /// The options of the second upstream for an MCP server, for clients without a session: each request is a POST by
  /// itself (revision 2026-07-28).
  private func ofPosts(_ sessions: UpstreamOptions) -> UpstreamOptions {
    var options = sessions
    (options.shape, options.isPerConnection, options.placeForPosts) = (.exchanges, false, nil)
    options.cancel = .abort
    options.stopsWhenAborted = true
    options.relaysNotifications = true
    return options
  }

  /// The default of requests at once; nil: the core's. If each request needs a connection or child of its own, it is
  /// far lower.
  private func usualInFlight(_ settings: UpstreamSettings) -> Int? {
    guard settings.takesExchanges || settings.kind == .mcp else { return nil }
    return min(settings.connections ?? UpstreamSettings.usualExchanges, bounds.core.inFlightPerEndpoint)
  }

  /// How many requests all endpoints of an upstream work on at once.
  func inFlightRequests(of settings: UpstreamSettings) -> Int {
    let ofEach =
      settings.core.inFlightPerEndpoint ?? usualInFlight(settings) ?? bounds.core.inFlightPerEndpoint
    return ofEach * settings.endpoints.count
  }

  private func route(_ settings: RouteSettings) -> Route {
    var route = settings.core
    route.method = settings.method.literal
    route.compensation = settings.compensation?.description
    route.isPrefix = settings.method.isPrefix
    route.upstream = upstreams.firstIndex { $0.values.name == settings.upstream } ?? 0
    route.keyPrefix = Array((settings.keyPrefix?.description ?? "").utf8)
    return route
  }
}

extension ClientProtocol {
  fileprivate var kind: ClientProtocols.Kinds {
    switch self {
    case .lines: .lines
    case .contentLength: .contentLength
    case .http: .http
    case .webSocket: .webSocket
    }
  }
}
