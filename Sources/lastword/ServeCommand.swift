public import ArgumentParser
import Demo
import Gateway
import GatewayCore
import Glibc
import LibUV
public import Logging

/// `lastword serve`: runs the gateway until it is told to stop.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the gateway.",
    discussion:
      "Without --upstream it serves a built-in demo handler with the methods echo, sleep and search.")

  @Option(help: "Address to listen on: HOST:PORT or unix:PATH. May be given several times.")
  var listen: [SocketAddress] = [.tcp(host: "127.0.0.1", port: 5278)]

  @Option(help: "The JSON-RPC server behind the gateway: tcp:HOST:PORT or unix:PATH.")
  var upstream: SocketAddress?

  @Option(help: "How upstream is told that a request is not wanted any more: lsp, mcp or none.")
  var cancel: CancelDialect = .lsp

  @Option(
    help: ArgumentHelp(
      "Undo METHOD by UNDOING when it succeeds although nobody wants it any more. May be given several times.",
      valueName: "METHOD=UNDOING"))
  var compensate: [Route] = []

  @Option(help: "Milliseconds that what still runs is given when the gateway is told to stop.")
  var drainMs: UInt64 = 5_000

  @Option(help: "Seed of everything random, to repeat a run; by default the system gives one.")
  var seed: UInt64?

  @Option(help: "Log from this level on: debug, info, warning or error.")
  var logLevel: Logger.Level = .info

  @Option(help: "Directory that the built-in demo handler searches.")
  var demoDirectory = Corpus.defaultDirectory

  func run() throws {
    EventLoop.ignoreSIGPIPE()
    var log = Logger(label: "lastword") { _ in TextLogHandler() }
    log.logLevel = logLevel
    let loop = try EventLoop()
    let server: GatewayServer
    do throws(ListenError) {
      server = try GatewayServer(options(log), on: loop, log: log)
    } catch {
      log.error("\(error)")
      throw ExitCode(error.cause.name == "EADDRINUSE" ? EX_UNAVAILABLE : EX_OSERR)
    }
    announce(server, log)
    try runUntilTold(server, on: loop, log)
  }

  private func options(_ log: Logger) -> ServerOptions {
    var options = ServerOptions(
      listen: listen, upstream: upstreamOrDemo(), seed: seed ?? .random(in: 0 ... .max))
    options.core.upstreams = [UpstreamOptions(cancel: cancel)]
    options.core.routes = compensate
    options.core.connections = min(options.core.connections, connectionLimit(log))
    options.drainMilliseconds = drainMs
    return options
  }

  private func upstreamOrDemo() -> ServerOptions.Upstream {
    if let upstream { return .address(upstream) }
    return .handler(DemoHandler(directory: demoDirectory), name: "built-in demo")
  }

  /// Always well below the descriptor limit: accepting must never be what fails.
  private func connectionLimit(_ log: Logger) -> Int {
    let descriptors = DescriptorLimit.raise()
    return max(16, descriptors - descriptors / 8 - 64)
  }

  private func announce(_ server: GatewayServer, _ log: Logger) {
    log.info("lastword \(Lastword.configuration.version)")
    for address in server.addresses { log.info("Listening for JSON-RPC on \(address)") }
    if let upstream {
      log.info("Upstream \(upstream), cancelled by \(cancel.rawValue)")
    } else {
      log.info("No --upstream: serving the built-in demo handler (echo, sleep, search)")
    }
    log.info("Ready")
  }

  private func runUntilTold(_ server: GatewayServer, on loop: EventLoop, _ log: Logger) throws {
    var sources: [SignalSource] = []
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

extension SocketAddress: ExpressibleByArgument {
  init?(argument: String) { self.init(parsing: argument) }
  var defaultValueDescription: String { description }
}

extension CancelDialect: ExpressibleByArgument {}

extension Route: ExpressibleByArgument {
  init?(argument: String) {
    let names = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard names.count == 2, names.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.init(method: String(names[0]), compensation: String(names[1]))
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
