import ArgumentParser
import Configuration
import Demo
import Gateway
import GatewayCore
import Glibc
import LibUV
import Logging

/// `lastword serve`: runs the gateway until it is told to stop.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the gateway.",
    discussion:
      """
      Without an upstream it serves a built-in demo handler with the methods echo, sleep and search. \
      Flags win over the environment, the environment over the configuration file.
      """)

  @Option(help: "The configuration file; lastword config example prints one to begin with.")
  var config: String?

  @Option(
    help:
      "Address to listen on: HOST:PORT or unix:PATH. May be given several times. (default: 127.0.0.1:5278)")
  var listen: [SocketAddress] = []

  @Option(help: "The JSON-RPC server behind the gateway: tcp:HOST:PORT or unix:PATH.")
  var upstream: SocketAddress?

  @Option(
    help: "How upstream is told that a request is not wanted any more: lsp, mcp or none. (default: lsp)")
  var cancel: CancelDialect?

  @Option(
    help: ArgumentHelp(
      "Undo METHOD by UNDOING when it succeeds although nobody wants it any more. May be given several times.",
      valueName: "METHOD=UNDOING"))
  var compensate: [Route] = []

  @Option(
    help: "Milliseconds that what still runs is given when the gateway is told to stop. (default: 5000)")
  var drainMs: Int?

  @Option(help: "Seed of everything random, to repeat a run; by default the system gives one.")
  var seed: UInt64?

  @Option(help: "Log from this level on: debug, info, warning or error. (default: info)")
  var logLevel: LogLevel?

  @Option(help: "Directory that the built-in demo handler searches.")
  var demoDirectory = Corpus.defaultDirectory

  func run() throws {
    EventLoop.ignoreSIGPIPE()
    let settings = try ConfigLoading.load(file: config, flags: flags)
    var log = Logger(label: "lastword") { _ in TextLogHandler() }
    log.logLevel = Logger.Level(rawValue: settings.log.level.rawValue) ?? .info
    let loop = try EventLoop()
    let server: GatewayServer
    do throws(ListenError) {
      server = try GatewayServer(options(settings, log), on: loop, log: log)
    } catch {
      log.error("\(error)")
      throw ExitCode(error.cause.name == "EADDRINUSE" ? EX_UNAVAILABLE : EX_OSERR)
    }
    announce(server, settings, log)
    try runUntilTold(server, settings, on: loop, log)
  }

  private var flags: [Override] {
    var flags: [Override] = []
    if !listen.isEmpty { flags.append(.flag("--listen", .listen, listen.map(\.description))) }
    if let upstream {
      flags.append(.flag("--upstream", .upstream, [UpstreamAddress.socket(upstream).description]))
    }
    if let cancel { flags.append(.flag("--cancel", .cancel, [cancel.rawValue])) }
    for route in compensate {
      guard let undoing = route.compensation else { continue }
      flags.append(.flag("--compensate", .compensation(of: route.method), [undoing]))
    }
    if let drainMs { flags.append(.flag("--drain-ms", .process("drainMs"), ["\(drainMs)"])) }
    if let logLevel { flags.append(.flag("--log-level", .log("level"), [logLevel.rawValue])) }
    return flags
  }

  private func options(_ settings: FileConfiguration, _ log: Logger) -> ServerOptions {
    var options = ServerOptions(
      listen: settings.listeners.map(\.address),
      upstreams: settings.upstreams.map { .init(endpoint($0.address)) },
      seed: seed ?? .random(in: 0 ... .max))
    options.core = settings.core
    options.core.connections = min(options.core.connections, connectionLimit(log))
    options.drainMilliseconds = UInt64(settings.process.drainMilliseconds)
    options.turnBytes = settings.bounds.turnBytes
    return options
  }

  private func endpoint(_ address: UpstreamAddress) -> ServerOptions.Endpoint {
    switch address {
    case .socket(let address): .address(address)
    case .demo: .handler(DemoHandler(directory: demoDirectory), name: "built-in demo")
    }
  }

  /// Always well below the descriptor limit: accepting must never be what fails.
  private func connectionLimit(_ log: Logger) -> Int {
    let descriptors = DescriptorLimit.raise()
    return max(16, descriptors - descriptors / 8 - 64)
  }

  private func announce(_ server: GatewayServer, _ settings: FileConfiguration, _ log: Logger) {
    log.info("lastword \(Lastword.configuration.version)")
    for address in server.addresses { log.info("Listening for JSON-RPC on \(address)") }
    for upstream in settings.upstreams { announce(upstream.values, log) }
    log.info("Ready")
  }

  private func announce(_ upstream: UpstreamSettings, _ log: Logger) {
    switch upstream.address {
    case .socket(let address):
      log.info("Upstream \(address), cancelled by \(upstream.cancel.rawValue)")
    case .demo:
      log.info("No --upstream: serving the built-in demo handler (echo, sleep, search)")
    }
  }

  /// A bad configuration, or one that would need other sockets, changes nothing.
  private func reload(_ server: GatewayServer, started: FileConfiguration, _ log: Logger) {
    guard let settings = try? ConfigLoading.load(file: config, flags: flags) else {
      return log.error("the configuration is wrong: it stays as it was")
    }
    guard settings.sockets == started.sockets else {
      return log.error(
        "listeners and upstreams change with a restart only: the configuration stays as it was")
    }
    server.reconfigure(options(settings, log).core)
    log.notice("configuration reloaded")
  }

  private func runUntilTold(
    _ server: GatewayServer, _ settings: FileConfiguration, on loop: EventLoop, _ log: Logger
  ) throws {
    var sources = [try SignalSource(on: loop, signal: SIGHUP) { reload(server, started: settings, log) }]
    var isDraining = false
    for signal in [SIGTERM, SIGINT] {
      sources.append(
        try SignalSource(on: loop, signal: signal) {
          // The second one means it.
          if isDraining { _exit(128 + signal) }
          isDraining = true
          server.drain {
            for source in sources { source.close() }
          }
        })
    }
    loop.run()
  }
}

extension FileConfiguration {
  /// What cannot change while the gateway runs.
  fileprivate var sockets: [String] {
    listeners.map(\.address.description)
      + upstreams.map { "\($0.name) \($0.address) \($0.cancel.rawValue)" }
  }
}

extension SocketAddress: ExpressibleByArgument {
  init?(argument: String) { self.init(parsing: argument) }
  var defaultValueDescription: String { description }
}

extension CancelDialect: ExpressibleByArgument {}
extension LogLevel: ExpressibleByArgument {}

extension Route: ExpressibleByArgument {
  init?(argument: String) {
    let names = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard names.count == 2, names.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.init(method: String(names[0]), compensation: String(names[1]))
  }
}
