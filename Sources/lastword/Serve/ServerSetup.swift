import ArgumentParser
import Configuration
import Demo
import Gateway
import GatewayCore
import Identity
import LibUV
import TLSStreams
import Upstreams

/// Turns a configuration into what the server is started with.
struct ServerSetup {
  /// Without a setting `memoryBytes` is the memory that the process may use, divided by this.
  static let memoryShare = 4

  let settings: FileConfiguration
  /// Needed where the settings speak of TLS.
  var tls: TLSMaterial?
  /// Needed where the settings speak of issuers.
  var issuerKeys: IssuerKeys?
  /// Needed where the settings speak of a fleet.
  var fleetSecrets: FleetSecrets?
  /// Nil: as the system gives it.
  var seed: UInt64?
  /// Which variables of the gateway's own environment children get.
  var childrenInherit = InheritedVariables.usual
  /// They write to the gateway's own standard error, untouched.
  var childrenShareErrors = false
  /// How long they get to leave, unless the configuration says otherwise.
  var childrenGraceMilliseconds = UpstreamSettings.usualGraceMilliseconds
  /// What the built-in demo handler searches.
  var demoDirectory = Corpus.defaultDirectory

  /// Takes the contents of the files that the settings name.
  mutating func take(_ files: NamedFiles) {
    tls = files.tls
    issuerKeys = files.keys
    fleetSecrets = files.fleet
  }

  /// So many loops serve clients.
  var loops: Int {
    let said = settings.process.values.loops
    return said > 0 ? said : min(ProcessUsage.usableCores, ProcessSettings.mostLoops)
  }

  /// Nil: the gateway is by itself.
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

  /// What of it a reload can change.
  /// - Parameter audit: opened anew, one for each loop.
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

  /// A server of the Model Context Protocol as it is for clients without a session.
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
    HTTPEndpoint(
      url: address.text, headers: upstream.headers.map(\.line),
      deadlineHeader: upstream.deadlineHeader?.description, caFile: upstream.caFile?.description,
      connections: upstream.connections ?? UpstreamSettings.usualExchanges)
  }

  private func command(_ words: [String], _ settings: UpstreamSettings) -> ChildCommand {
    var command = ChildCommand(
      words, directory: settings.directory?.description,
      environment: settings.environment.compactMap { $0.assignment(in: ConfigEnvironment.variables()) })
    command.inherits = childrenInherit
    command.sharesErrors = childrenShareErrors
    command.name = UpstreamAddress.shownText(ofCommand: words)
    command.graceMilliseconds = graceMilliseconds(settings)
    // What it works on is not wanted any more when it is sent off.
    command.isStoppedAtOnce = settings.isHard
    return command
  }

  private func graceMilliseconds(_ settings: UpstreamSettings) -> UInt64 {
    UInt64(settings.graceMilliseconds ?? childrenGraceMilliseconds)
  }

  /// Of the limit of open files, where it leaves room for fewer connections than were asked for.
  var descriptorWarning: String? {
    let (wanted, limit) = (settings.core.connections, connectionLimit)
    guard wanted > limit else { return nil }
    return
      "\(limit) connections at once, and not \(wanted) ('connections' of [bounds]): this process may open only "
      + "\(DescriptorLimit.raise()) files (ulimit -n, or LimitNOFILE= of systemd, gives it more)"
  }

  /// Always well below the descriptor limit: accepting must never be what fails.
  private var connectionLimit: Int {
    let descriptors = DescriptorLimit.raise()
    // As many again may be there only to hear that there are too many.
    let ofAdmin = settings.admin.values.address == nil ? 0 : 2 * settings.admin.connections
    let ofHandshakes = hasSecureListener ? min(settings.core.server.handshakes, handshakeLimit) : 0
    return max(16, descriptors - descriptors / 8 - 64 - ofAdmin - ofHandshakes)
  }

  private var hasSecureListener: Bool { settings.listeners.contains { $0.hasTLS } }

  /// Unfinished handshakes leave most descriptors to clients.
  private var handshakeLimit: Int { max(16, DescriptorLimit.raise() / 8) }
}
