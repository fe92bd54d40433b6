import Addresses
import ArgumentParser
import Configuration
import Demo
import GatewayCore
import Glibc
import JSONRPC
import LibUV

/// `lastword serve`: runs the gateway until it is told to stop.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the gateway.",
    discussion:
      """
      Without an upstream it serves a built-in demo handler with the methods echo, sleep, search and write. \
      Flags win over the environment, the environment over the configuration file. \
      Where none of them names an address to listen on, HOST and PORT of the environment do, if both are set, as \
      platforms for containers have it.
      """)

  @Option(
    help: "The configuration file; lastword config example prints one to begin with.",
    completion: .configurationFile)
  var config: String?

  @Option(
    help: ArgumentHelp(
      """
      Address to listen on: HOST:PORT, PORT (of 127.0.0.1) or unix:PATH. May be given several times. (default: HOST and PORT of the \
      environment, or else 127.0.0.1:5278)
      """),
    completion: .clientAddress)
  var listen: [SocketAddress] = []

  @Option(
    help: ArgumentHelp(
      """
      Who may reach the addresses: programs on this machine, or the network, which takes this word: whoever reaches \
      them is served. (default: loopback)
      """))
  var audience: Audience?

  @Option(
    help: ArgumentHelp(
      """
      Address of the admin pages: HOST:PORT or unix:PATH, on this machine; another takes audience = "network" in \
      the configuration file. (default: none)
      """, valueName: "address"), completion: .adminAddress)
  var admin: SocketAddress?

  @Option(
    help: ArgumentHelp(
      """
      The JSON-RPC server behind the gateway: tcp:HOST:PORT, tls:HOST:PORT, unix:PATH, http://… or https://…, or \
      'exec:COMMAND WORDS', which is started and spoken to over its standard input and output.
      """, valueName: "address"))
  var upstream: String?

  @Option(
    help: "How messages to and from upstream are told apart. (default: lines)",
    completion: .list(FramingFlag.allValueStrings))
  var framing: FramingFlag?

  @Flag(help: "Give each client connection an upstream connection, or child, of its own.")
  var perConnection = false

  @Option(
    help: ArgumentHelp(
      """
      How upstream is told that a request is not wanted any more; notification and abort belong in a \
      configuration file. (default: lsp, and abort with http)
      """))
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

  @Option(help: "Log from this level on. (default: info)")
  var logLevel: LogLevel?

  @Option(help: "Log as text or json; auto: text on a terminal. (default: auto)")
  var logFormat: LogFormat?

  @Flag(
    help: ArgumentHelp(
      """
      Stop when standard input ends: nobody is left who wanted the gateway. What the environment sets is meant for \
      another.
      """, visibility: .hidden))
  var untilEndOfInput = false

  @Option(help: "Directory that the built-in demo handler searches.", completion: .directory)
  var demoDirectory = Corpus.defaultDirectory

  func validate() throws {
    guard (0...3_600_000).contains(drainMs ?? 0) else {
      throw ValidationError("--drain-ms must be 0 to 3600000")
    }
    guard let cancel, !CancelDialect.flags.contains(cancel) else { return }
    throw ValidationError(
      "--cancel \(cancel.name) needs more than a flag can say: it belongs in a configuration file")
  }

  func run() throws {
    EventLoop.ignoreSIGPIPE()
    let environment = untilEndOfInput ? [:] : ConfigEnvironment.variables()
    let settings = try ConfigLoading.load(file: config, environment: environment, flags: flags)
    try checkDemoDirectory()
    let run = try ServeRun(settings, setup: setup) { () throws(ConfigLoading.Failure) in
      // A reload must not wait for a file, as no client is served while it is read.
      try ConfigLoading.read(file: config, environment: environment, flags: flags, isAwaited: false)
    }
    try run.untilTold(endingWithInput: untilEndOfInput)
  }

  private func checkDemoDirectory() throws {
    guard demoDirectory != Corpus.defaultDirectory, let fault = NamedDirectories.fault(demoDirectory) else {
      return
    }
    Console.error("--demo-directory \(demoDirectory): \(fault.reason)")
    throw ExitCode(EX_NOINPUT)
  }

  private func setup(_ settings: FileConfiguration) -> ServerSetup {
    ServerSetup(settings: settings, seed: seed, demoDirectory: demoDirectory)
  }
}
