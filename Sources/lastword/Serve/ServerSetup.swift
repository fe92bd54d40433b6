import ArgumentParser
import Configuration
import Demo
import Gateway
import GatewayCore
import Identity
import LibUV
import TLSStreams
import Upstreams

/// Makes the server's options from a configuration.
struct ServerSetup: ~Copyable {
  /// The default of `memoryBytes` is the memory that the process may use, divided by this.
  static let memoryShare = 4

  let settings: FileConfiguration
  /// Not nil if the settings use TLS.
  var tls: TLSMaterial?
  /// Not nil if the settings have issuers.
  var issuerKeys: IssuerKeys?
  /// Not nil if the settings have a fleet.
  var fleetSecrets: FleetSecrets?
  /// The seed of random numbers; nil: the system gives one.
  var seed: UInt64?
  /// Which variables of the gateway's own environment children get.
  var childrenInherit = InheritedVariables.usual
  /// Whether children share the gateway's standard error.
  var childrenShareErrors = false
  /// How long children may take to exit, unless the configuration says otherwise.
  var childrenGraceMilliseconds = UpstreamSettings.usualGraceMilliseconds
  /// The directory that the built-in demo handler searches.
  var demoDirectory = Corpus.defaultDirectory

  /// Takes the contents of the files that the settings name.
  mutating func take(_ files: NamedFiles) {
    tls = files.tls
    issuerKeys = files.keys
    fleetSecrets = files.fleet
  }

  /// How many loops serve clients.
  var loops: Int {
    let said = settings.process.values.loops
    return said > 0 ? said : min(ProcessUsage.usableCores, ProcessSettings.mostLoops)
  }

  /// The options of the fleet's member; nil: the gateway is in no fleet.
  var fleet: FleetOptions? {
    let said = settings.fleet.values
    guard let name = said.name, let listen = said.listen, let fleetSecrets else { return nil }
    var fleet = FleetOptions(
      name: name.description, engine: said.engine.map { engine($0, said) },
      listen: listen, secret: fleetSecrets.secret)
    fleet.user = said.user?.description
    fleet.password = fleetSecrets.password
    fleet.advertise = said.advertise
    fleet.tls = tls?.fleet
    return fleet
  }

  private func engine(_ address: EngineAddress, _ fleet: FleetSettings) -> HTTPEndpoint {
    var endpoint = HTTPEndpoint(url: address.url, caFile: fleet.engineCA?.description, connections: 1)
    if let certificate = fleet.engineCertificate, let key = fleet.engineKey {
      endpoint.identity = HTTPIdentity(certificate: certificate.description, key: key.description)
    }
    return endpoint
  }

  func options() -> ServerOptions {
    var options = ServerOptions(
      listen: settings.listeners.map(\.address),
      upstreams: upstreams(),
      seed: seed ?? .random(in: 0 ... .max))
    options.core = core
    options.tls = tls?.listeners ?? []
    options.socketModes = settings.listeners.map { $0.mode?.bits ?? ServerOptions.usualSocketMode }
    options.keepAliveMilliseconds = settings.listeners.map(\.keepAliveMilliseconds)
    return options
  }

  /// The part of the configuration that a reload can change.
  /// - Parameter audit: the audit logs, opened again, one for each loop.
  func plan(_ audit: [AuditLog?]) -> ReloadPlan {
    ReloadPlan(settings: settings, core: core, tls: tls, audit: audit)
  }

  private var core: GatewayConfiguration {
    var core = settings.core
    for (place, keys) in (issuerKeys?.sets ?? []).enumerated() { core.issuers[place].keys = keys }
    core.server.handshakes = min(core.server.handshakes, handshakeLimit)
    core.server.hasFewDescriptors = core.connections > connectionLimit
    core.connections = min(core.connections, connectionLimit)
    for (place, upstream) in settings.upstreams.enumerated() where upstream.values.kind == .command {
      core.upstreams[place].lastWordsMilliseconds = graceMilliseconds(upstream.values)
    }
    if core.memoryBytes == 0 { core.memoryBytes = MemoryLimit.byteCount().map { $0 / Self.memoryShare } ?? 0 }
    return core
  }

  private func upstreams() -> [ServerOptions.Upstream] {
    let scratch = TLSScratch()
    let sessions = settings.upstreams.enumerated().map { place, section in
      var upstream = upstream(section.values)
      if let context = tls?.upstreams[place] {
        upstream.tls = TLSOutfit(context, serverName: section.values.tlsServerName?.description, scratch)
      }
      return upstream
    }
    return sessions + settings.upstreams.filter { $0.values.kind == .mcp }.map { ofPosts($0.values) }
  }

  /// The second upstream for a server of the Model Context Protocol: it serves clients without a session.
  private func ofPosts(_ settings: UpstreamSettings) -> ServerOptions.Upstream {
    var upstream = upstream(settings)
    upstream.name += " (POST)"
    upstream.endpoints = settings.endpoints.map { endpoint in
      guard case .mcp(let address) = endpoint else { preconditionFailure("all are of one kind") }
      var place = http(address, settings)
      place.isMCP = true
      return .http(place)
    }
    return upstream
  }

  private func upstream(_ settings: UpstreamSettings) -> ServerOptions.Upstream {
    var upstream = ServerOptions.Upstream()
    upstream.endpoints = settings.endpoints.map { endpoint($0, settings) }
    upstream.isHard = settings.isHard
    upstream.keepAliveMilliseconds = settings.keepAliveMilliseconds
    upstream.name = settings.name.description
    return upstream
  }

  private func endpoint(_ address: UpstreamAddress, _ upstream: UpstreamSettings) -> ServerOptions.Endpoint {
    switch address {
    case .socket(let address): .address(address)
    case .tls(let address): .secure(address)
    case .demo: .handler(DemoHandler(directory: demoDirectory), name: "built-in demo")
    case .command(let words): .command(command(words, upstream))
    case .http(let address): .http(http(address, upstream))
    case .mcp(let address): .mcp(http(address, upstream))
    }
  }

  private func http(_ address: HTTPAddress, _ upstream: UpstreamSettings) -> HTTPEndpoint {
    var endpoint = HTTPEndpoint(
      url: address.text, headers: upstream.headers.map(\.line),
      deadlineHeader: upstream.deadlineHeader?.description, caFile: upstream.caFile?.description,
      connections: upstream.connections ?? UpstreamSettings.usualExchanges)
    endpoint.keepAliveMilliseconds = upstream.keepAliveMilliseconds
    return endpoint
  }

  private func command(_ words: [String], _ settings: UpstreamSettings) -> ChildCommand {
    var command = ChildCommand(
      words, directory: settings.directory?.description,
      environment: settings.environment.compactMap { $0.assignment(in: ConfigEnvironment.variables()) })
    command.inherits = childrenInherit
    command.sharesErrors = childrenShareErrors
    command.name = UpstreamAddress.shownText(ofCommand: words)
    command.graceMilliseconds = graceMilliseconds(settings)
    // Each child works on one request, which is not wanted any more when the child has to go.
    command.isStoppedAtOnce = settings.isHard
    return command
  }

  private func graceMilliseconds(_ settings: UpstreamSettings) -> UInt64 {
    UInt64(settings.graceMilliseconds ?? childrenGraceMilliseconds)
  }

  /// A warning if the limit of open files allows fewer connections than the settings ask for; nil: it does not.
  var descriptorWarning: String? {
    let (wanted, limit) = (settings.core.connections, connectionLimit)
    guard wanted > limit else { return nil }
    return
      "\(limit) connections at once, and not \(wanted) ('connections' of [bounds]): this process may open only "
      + "\(DescriptorLimit.raise()) files (ulimit -n, or LimitNOFILE= of systemd, gives it more)"
  }

  /// The most client connections; well below the limit of descriptors, so that accepting never fails.
  private var connectionLimit: Int {
    let descriptors = DescriptorLimit.raise()
    // The admin pages have as many places again in reserve.
    let ofAdmin = settings.admin.values.address == nil ? 0 : 2 * settings.admin.connections
    let ofHandshakes = hasSecureListener ? min(settings.core.server.handshakes, handshakeLimit) : 0
    return max(16, descriptors - descriptors / 8 - 64 - ofAdmin - ofHandshakes)
  }

  private var hasSecureListener: Bool { settings.listeners.contains { $0.hasTLS } }

  /// The most unfinished handshakes, so that most descriptors are left to clients.
  private var handshakeLimit: Int { max(16, DescriptorLimit.raise() / 8) }
}
