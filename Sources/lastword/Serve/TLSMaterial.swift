import Configuration
import Gateway
import GatewayCore
import Glibc
import TLS

/// The certificates and keys that a configuration names, read and ready to be used.
struct TLSMaterial {
  /// The context of each listener; nil: it has no TLS.
  private(set) var listeners: [TLSContext?] = []
  /// The context of each upstream; nil: it is connected to without TLS.
  private(set) var upstreams: [TLSContext?] = []
  /// The TLS of a fleet; nil: its members use none, or there is no fleet.
  private(set) var fleet: FleetTLS?

  /// - Throws: every mistake, each with its place in the configuration.
  init(_ settings: FileConfiguration) throws(ConfigLoading.Failure) {
    var complaints: [Complaint] = []
    var isDenied = false
    for section in settings.listeners {
      listeners.append(Self.attempt(&complaints, &isDenied) { () throws(Fault) in try Self.context(section) })
    }
    for section in settings.upstreams {
      upstreams.append(Self.attempt(&complaints, &isDenied) { () throws(Fault) in try Self.context(section) })
    }
    fleet = Self.attempt(&complaints, &isDenied) { () throws(Fault) in try Self.fleet(settings.fleet) }
    Self.attempt(&complaints, &isDenied) { () throws(Fault) in try Self.checkEngine(settings.fleet) }
    guard complaints.isEmpty else {
      throw ConfigLoading.Failure(
        complaints: complaints.map(\.description), status: isDenied ? EX_NOPERM : EX_CONFIG)
    }
  }

  /// A fault, and the setting that has it.
  private struct Fault: Error {
    let complaint: Complaint
    var isDenied = false
  }

  @discardableResult
  private static func attempt<Made>(
    _ complaints: inout [Complaint], _ isDenied: inout Bool, _ make: () throws(Fault) -> Made?
  ) -> Made? {
    do throws(Fault) {
      return try make()
    } catch {
      complaints.append(error.complaint)
      isDenied = isDenied || error.isDenied
      return nil
    }
  }

  // MARK: Listeners

  private static func context(_ section: Section<ListenerSettings>) throws(Fault) -> TLSContext? {
    let listener = section.values
    guard listener.hasTLS else { return nil }
    let origin = section.origin(of: "tls.certificate")
    var identities: [TLSIdentity] = []
    for (certificate, key) in zip(listener.certificates, listener.keys) {
      let identity = TLSIdentity(
        chain: try bytes(of: certificate, "tls.certificate", at: origin),
        key: try bytes(of: key, "tls.key", at: section.origin(of: "tls.key")))
      // Each pair is checked by itself first, to name the one that is wrong.
      _ = try context("'\(certificate)' and '\(key)'", at: origin) { () throws(TLSFault) in
        try TLSContext(server: TLSServerSettings([identity]))
      }
      identities.append(identity)
    }
    var settings = TLSServerSettings(identities)
    if let authorities = listener.clientCA {
      settings.clientCA = try bytes(of: authorities, "tls.clientCA", at: section.origin(of: "tls.clientCA"))
    }
    settings.requiresClientCertificate = listener.requiresClientCertificate ?? false
    settings.minimumVersion = listener.minimumVersion == .v1_3 ? .v1_3 : .v1_2
    // WebSocket begins as HTTP.
    if listener.servesBrowsers { settings.applicationProtocols = [ClientProtocols.httpName] }
    return try context("'tls.clientCA'", at: origin) { () throws(TLSFault) in try TLSContext(server: settings)
    }
  }

  // MARK: Upstreams

  private static func context(_ section: Section<UpstreamSettings>) throws(Fault) -> TLSContext? {
    let upstream = section.values
    try checkAuthorities(section)
    guard upstream.kind == .tls else { return nil }
    var settings = TLSClientSettings()
    if let authorities = upstream.tlsCA {
      settings.ca = try bytes(of: authorities, "tls.ca", at: section.origin(of: "tls.ca"))
    }
    if let certificate = upstream.tlsCertificate, let key = upstream.tlsKey {
      settings.identity = try identity(certificate, key, of: section)
    }
    let name = settings.identity == nil ? "tls.ca" : "tls.certificate"
    return try context("'\(name)'", at: section.origin(of: name)) { () throws(TLSFault) in
      try TLSContext(client: settings)
    }
  }

  /// Checks the authorities for libcurl, which reads them itself, and only when it connects.
  private static func checkAuthorities(_ section: Section<UpstreamSettings>) throws(Fault) {
    guard let path = section.values.caFile else { return }
    try check(authorities: path, "caFile", at: section.origin(of: "caFile"))
  }

  private static func check(authorities path: FilePath, _ name: String, at origin: Origin) throws(Fault) {
    var settings = TLSClientSettings()
    settings.ca = try bytes(of: path, name, at: origin)
    try check(settings, "'\(name)'", at: origin)
  }

  /// Checks that OpenSSL accepts the settings, if there is OpenSSL.
  private static func check(_ settings: TLSClientSettings, _ what: String, at origin: Origin) throws(Fault) {
    guard TLSLibrary.fault == nil else { return }
    _ = try context(what, at: origin) { () throws(TLSFault) in try TLSContext(client: settings) }
  }

  private static func identity<Values>(
    _ certificate: FilePath, _ key: FilePath, of section: Section<Values>,
    _ names: (certificate: String, key: String) = ("tls.certificate", "tls.key")
  ) throws(Fault) -> TLSIdentity {
    TLSIdentity(
      chain: try bytes(of: certificate, names.certificate, at: section.origin(of: names.certificate)),
      key: try bytes(of: key, names.key, at: section.origin(of: names.key)))
  }

  // MARK: A fleet

  /// Members are servers and clients of each other, with one certificate each.
  private static func fleet(_ section: Section<FleetSettings>) throws(Fault) -> FleetTLS? {
    let fleet = section.values
    guard let certificate = fleet.tlsCertificate, let key = fleet.tlsKey, let ca = fleet.tlsCA else {
      return nil
    }
    let identity = try identity(certificate, key, of: section)
    let authorities = try bytes(of: ca, "tls.ca", at: section.origin(of: "tls.ca"))
    let origin = section.origin(of: "tls.certificate")
    var server = TLSServerSettings([identity])
    server.clientCA = authorities
    server.requiresClientCertificate = true
    server.minimumVersion = .v1_3
    var client = TLSClientSettings()
    client.ca = authorities
    client.identity = identity
    client.minimumVersion = .v1_3
    let made = (server, client)
    return FleetTLS(
      server: try context("'tls.certificate'", at: origin) { () throws(TLSFault) in
        try TLSContext(server: made.0)
      },
      client: try context("'tls.ca'", at: origin) { () throws(TLSFault) in try TLSContext(client: made.1) },
      serverName: fleet.tlsServerName?.description)
  }

  /// Checks the certificate for etcd, and the authorities for etcd's own: libcurl reads both.
  private static func checkEngine(_ section: Section<FleetSettings>) throws(Fault) {
    let fleet = section.values
    if let path = fleet.engineCA {
      try check(authorities: path, "engineCaFile", at: section.origin(of: "engineCaFile"))
    }
    guard let certificate = fleet.engineCertificate, let key = fleet.engineKey else { return }
    var settings = TLSClientSettings()
    settings.identity = try identity(certificate, key, of: section, ("engineCertificate", "engineKey"))
    try check(settings, "'engineCertificate'", at: section.origin(of: "engineCertificate"))
  }

  // MARK: Files

  private static func context(
    _ what: String, at origin: Origin, _ make: () throws(TLSFault) -> TLSContext
  ) throws(Fault) -> TLSContext {
    do throws(TLSFault) {
      return try make()
    } catch {
      throw Fault(complaint: Complaint(origin, "\(what): \(error)"))
    }
  }

  private static func bytes(of path: FilePath, _ name: String, at origin: Origin) throws(Fault) -> [UInt8] {
    do throws(ConfigFile.Unreadable) {
      let bytes = try ConfigFile.bytes(of: path.description, isAwaited: false)
      guard bytes.count <= FileConfiguration.limitBytes else {
        throw ConfigFile.Unreadable(
          path: path.description, reason: "it has more than \(FileConfiguration.limitBytes) bytes",
          isDenied: false)
      }
      return bytes
    } catch {
      throw Fault(
        complaint: Complaint(origin, "'\(name)': \(error.path) cannot be read: \(error.reason)"),
        isDenied: error.isDenied)
    }
  }
}

@available(*, unavailable)
extension TLSMaterial: Sendable {}
