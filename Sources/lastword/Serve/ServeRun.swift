import Addresses
import Admin
import ArgumentParser
import Configuration
import Gateway
import Glibc
import LibUV
import Logging

/// A run of the gateway, from start to end; it handles signals and reloads.
final class ServeRun {
  typealias Reading = () throws(ConfigLoading.Failure) -> FileConfiguration

  /// The settings at the start: some of them can be changed only by a restart.
  private let started: FileConfiguration
  private let setup: (FileConfiguration) -> ServerSetup
  private let readAgain: Reading
  private let sink: LogSink
  private let log: Logger
  private let loop: EventLoop
  private let server: GatewayLoops
  /// With which it was started.
  private let fleetSecrets: FleetSecrets
  private var pages: AdminPages?
  private let notifier: ServiceNotifier
  private var sources: [SignalSource] = []
  private var inputEnd: InputEnd?
  private var isDraining = false

  /// Starts to listen, or ends the command with the reason why not.
  /// - Parameter readAgain: reads the configuration again.
  init(
    _ settings: FileConfiguration, setup: @escaping (FileConfiguration) -> ServerSetup,
    readAgain: @escaping Reading
  ) throws {
    if settings.hidesMemory { ProcessMemory.hide() }
    started = settings
    self.setup = setup
    self.readAgain = readAgain
    let sink = LogSink(settings.log.values)
    self.sink = sink
    log = Logger(label: "lastword") { _ in SinkLogHandler(sink) }
    var setup = setup(settings)
    let files = try Self.files(settings, log)
    fleetSecrets = files.fleet
    setup.take(files)
    do throws(StartError) {
      loop = try Self.startLoop()
      server = try GatewayLoops(setup.loops, in: setup.fleet, on: loop, log: log) { setup.options() }
    } catch {
      log.error("\(error)\(Self.hint(for: error))")
      throw ExitCode(ExitStatus.of(error))
    }
    server.setLogSink(sink)
    notifier = ServiceNotifier(on: loop, log: log)
    notifier.isAlive = { [server] in server.isAlive }
    try openAudit()
    try openPages()
  }

  /// Reads the files that the configuration names, or prints why they cannot be used and ends the command.
  private static func files(_ settings: FileConfiguration, _ log: Logger) throws -> NamedFiles {
    do throws(ConfigLoading.Failure) {
      return try NamedFiles(settings)
    } catch {
      for complaint in error.complaints { log.error("\(complaint)") }
      throw ExitCode(error.status)
    }
  }

  private static func startLoop() throws(StartError) -> EventLoop {
    do throws(UVError) { return try EventLoop() } catch { throw StartError(cause: error) }
  }

  /// What the user can do about an error, if that is known; else empty.
  private static func hint(for error: StartError) -> String {
    switch error.cause {
    case .addressInUse where error.address != nil:
      return "; is another lastword running? --listen takes another address"
    case .fileExists where error.address != nil: return "; what is there is no socket, and stays as it is"
    default: return ""
    }
  }

  private func openAudit() throws {
    do throws(AuditFault) {
      server.keep(audit: try audit(started))
    } catch {
      log.error("\(error.text)")
      abandon()
      throw ExitCode(ExitStatus.of(creating: error.cause))
    }
  }

  private struct AuditFault: Error {
    let text: String
    let cause: UVError
  }

  /// The audit file that a configuration names, opened once for each loop; nil: it names none.
  private func audit(_ settings: FileConfiguration) throws(AuditFault) -> [AuditLog?] {
    var logs = [AuditLog?](repeating: nil, count: server.count)
    guard let path = settings.log.values.audit?.description else { return logs }
    do throws(UVError) {
      for loop in logs.indices { logs[loop] = try AuditLog(path: path) }
    } catch {
      throw AuditFault(text: "cannot write the audit log \(path): \(error)", cause: error)
    }
    return logs
  }

  private func openPages() throws {
    guard let address = started.admin.values.address else { return }
    do throws(UVError) {
      pages = try AdminPages(at: address, started, of: server, on: loop, log: log)
    } catch {
      log.error("cannot open the admin pages on \(address): \(error)")
      abandon()
      throw ExitCode(ExitStatus.of(listening: error))
    }
  }

  /// Closes everything when the start has failed.
  private func abandon() {
    server.abandon()
    close()
  }

  private func close() {
    for source in sources { source.close() }
    pages?.close()
    notifier.close()
  }

  /// Serves until a signal stops it, or, if `endingWithInput`, the end of standard input.
  func untilTold(endingWithInput: Bool) throws {
    do throws(UVError) {
      try listenForSignals(andEndOfInput: endingWithInput)
    } catch {
      log.error("\(StartError(cause: error))")
      abandon()
      throw ExitCode(ExitStatus.of(system: error))
    }
    // A service manager that hears "ready" may stop the gateway at once, so signals are handled before.
    announce()
    do throws(StartError) {
      try server.start()
    } catch {
      log.error("\(error)")
      throw ExitCode(ExitStatus.of(error))
    }
    notifier.ready(status)
    loop.run()
    close()
  }

  private func listenForSignals(andEndOfInput: Bool) throws(UVError) {
    sources = [try SignalSource(on: loop, signal: SIGHUP) { [unowned self] in reload() }]
    for signal in [SIGTERM, SIGINT] {
      sources.append(try SignalSource(on: loop, signal: signal) { [unowned self] in told(by: signal) })
    }
    if andEndOfInput { inputEnd = try InputEnd(on: loop) { [unowned self] in drain() } }
  }

  // MARK: Saying

  private var status: String {
    "Listening on " + server.addresses.map(\.description).joined(separator: ", ")
  }

  private func announce() {
    log.info("lastword \(Build.name.version)", metadata: ["revision": "\(Build.name.revision)"])
    for address in server.addresses { log.info("Listening for JSON-RPC on \(address)") }
    warnOfStrangers(started)
    if ProcessMemory.isHidden {
      log.debug("No core dump of this process is written, and no debugger reads it")
    }
    if let pages { log.info("Admin pages on \(pages.name)") }
    for upstream in started.upstreams { announce(upstream.values) }
    for warning in started.warnings { log.warning("\(warning.located)") }
    if let warning = setup(started).descriptorWarning { log.warning("\(warning)") }
    log.info("Started")
  }

  private func warnOfStrangers(_ settings: FileConfiguration) {
    let open = zip(server.addresses, settings.listeners).filter { !$0.isLocal && $1.values.asksNobody }.map(
      \.0)
    guard !open.isEmpty else { return }
    log.warning(
      """
      Whoever reaches \(open.map(\.description).joined(separator: ", ")) is served, for clients do not log in: \
      have them (auth = "required"), listen on 127.0.0.1 or a Unix socket, or keep strangers away by a firewall or a proxy
      """)
  }

  private func announce(_ upstream: UpstreamSettings) {
    guard upstream.kind != .demo else {
      return log.info("No --upstream: serving the built-in demo handler (echo, sleep, search, write)")
    }
    for address in upstream.endpoints {
      log.info("Upstream \(address), cancelled by \(upstream.dialect.name)")
    }
  }

  // MARK: Signals

  private func reload() {
    guard !isDraining else { return }
    notifier.reloading()
    let complaints = applyNew()
    for line in complaints { log.error("\(line)") }
    if complaints.isEmpty {
      log.notice("configuration reloaded")
      notifier.ready(status)
    } else {
      log.error("the configuration stays as it was")
      notifier.ready("\(status); the new configuration is wrong, the old one stays")
    }
  }

  /// Applies the configuration as it is now. One that is wrong, or needs a restart, changes nothing; returns the
  /// reasons.
  private func applyNew() -> [String] {
    let settings: FileConfiguration
    let files: NamedFiles
    do throws(ConfigLoading.Failure) {
      settings = try readAgain()
      files = try NamedFiles(settings)
    } catch {
      return error.complaints
    }
    let changes = settings.lastingChanges(since: started)
    guard changes.isEmpty else { return changes.map { "\($0)" } }
    var setup = setup(settings)
    setup.take(files)
    do throws(AuditFault) {
      keep(to: setup.plan(try audit(settings)))
    } catch {
      return [error.text]
    }
    warnOfStrangers(settings)
    for warning in settings.warnings { log.warning("\(warning.located)") }
    if let warning = setup.descriptorWarning { log.warning("\(warning)") }
    if files.fleet != fleetSecrets {
      log.warning("what secretFile or passwordFile of [fleet] holds has changed: that takes a restart")
    }
    return []
  }

  /// Gives the plan to every part that uses some of it.
  private func keep(to plan: ReloadPlan) {
    server.keep(audit: plan.audit)
    if plan.hidesMemory { ProcessMemory.hide() }
    sink.apply(plan.log)
    server.reconfigure(plan.core)
    if let tls = plan.tls {
      server.renew(listeners: tls.listeners, upstreams: tls.upstreams, fleet: tls.fleet)
    }
    pages?.reconfigure(plan.settings)
  }

  /// Handles a signal to stop: the first time the gateway drains, the second time it ends at once.
  private func told(by signal: Int32) {
    if isDraining {
      server.killChildren()
      _exit(128 + signal)
    }
    drain()
  }

  private func drain() {
    guard !isDraining else { return }
    isDraining = true
    notifier.stopping()
    server.drain { [unowned self] in
      // The pages stayed open while the gateway drained, so that this could be watched.
      pages?.close()
      // Children may still take some time to exit; a second signal then ends them.
      for source in sources { source.letLoopEnd() }
      inputEnd?.close()
    }
  }
}

@available(*, unavailable)
extension ServeRun: Sendable {}
