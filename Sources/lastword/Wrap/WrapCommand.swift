import ArgumentParser
import Configuration
import Gateway
import GatewayCore
import Glibc
import JSONRPC
import LibUV
import Logging

/// `lastword wrap`: a gateway between a program that speaks JSON-RPC on its standard streams and the program that
/// starts it.
struct WrapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wrap",
    abstract: "Run a language server or an MCP server, and let the latest request have the last word.",
    discussion: """
      Put it before the command in an editor's configuration: lastword wrap -- sourcekit-lsp. \
      Without routes of its own in --config, completions, hovers and the like are superseded by newer ones \
      of the same document. \
      Exit status: that of the program; 126 if it cannot be run, 127 if it is not there, or what its first line says \
      it is run by.
      """)

  @Flag(help: "The program speaks the Model Context Protocol: a message a line, notifications/cancelled.")
  var mcp = false

  @Option(help: "A configuration file with routes and bounds.", completion: .configurationFile)
  var config: String?

  @Option(help: "Log from this level on, to standard error. (default: warning)")
  var logLevel: LogLevel?

  @Argument(parsing: .postTerminator, help: "The program and its arguments, after --.", completion: .file())
  var command: [String]

  func validate() throws {
    guard !command.isEmpty else { throw ValidationError("say what to run, after --") }
  }

  func run() throws {
    switch Program.search(command[0]) {
    case .found: break
    case .unusable:
      throw failure("'\(command[0])' cannot be run: it is no program, or not allowed", Program.isUnusable)
    case .missing: throw failure("'\(command[0])' is not there", Program.isMissing)
    }
    EventLoop.ignoreSIGPIPE()
    let settings = try ConfigLoading.load(file: config, flags: flags)
    if settings.hidesMemory { ProcessMemory.hide() }
    // Editors show this log to people, so it is text.
    let sink = LogSink(level: (logLevel ?? .warning).level)
    let log = Logger(label: "lastword") { _ in SinkLogHandler(sink) }
    for warning in settings.idleInWrap { log.warning("\(warning.located)") }
    let options = options(settings)
    let loop = try EventLoop()
    let streams = try standardStreams(on: loop)
    let server = try GatewayServer(options, on: loop, log: log)
    try serve(server, streams, on: loop)
  }

  private var flags: [Override] {
    let command: [Override] = [
      .flag("--", .upstream("address"), [UpstreamAddress.setting(ofCommand: command)]),
      .flag("--", .upstream("perConnection"), ["true"]),
    ]
    guard mcp else {
      return command + [
        .usual("--", ofUpstream: "framing", Framing.contentLength.name),
        .usual("--", ofUpstream: "cancel", CancelDialect.lsp.rawValue),
      ]
    }
    return command + [
      .flag("--mcp", .upstream("framing"), [Framing.lines.name]),
      .flag("--mcp", .upstream("cancel"), [CancelDialect.mcp.rawValue]),
    ]
  }

  private func options(_ settings: FileConfiguration) -> ServerOptions {
    // It stands in for the program, so the program gets the whole environment and the same standard error.
    let setup = ServerSetup(
      settings: settings, childrenInherit: .all, childrenShareErrors: true,
      childrenGraceMilliseconds: PipeBounds.graceMilliseconds)
    var options = setup.options()
    options.listen = []
    // What the file says of listeners is for others: its only client comes by standard input, and without a token.
    options.core.listeners = [ListenerOptions()]
    options.core.server.clients = [ClientProtocols()]
    PipeBounds.apply(settings.bounds, to: &options.core)
    options.core.listeners[0].opensUpstreams = true
    // As on a pipe, input without room upstream is not read, instead of being refused. With several upstreams this
    // would hold up the others.
    options.core.listeners[0].waitsForUpstreams = options.core.upstreams.count == 1
    if !mcp { options.core.listeners[0].hidesSupersession = true }
    if options.core.routes.isEmpty && !mcp { options.core.routes = EditorRoutes.routes }
    return options
  }

  private func standardStreams(on loop: EventLoop) throws -> (input: StandardStream, output: StandardStream) {
    var input: StandardStream?
    do throws(UVError) {
      let opened = try StandardStream(STDIN_FILENO, on: loop)
      input = opened
      return (opened, try StandardStream(STDOUT_FILENO, on: loop))
    } catch {
      input?.stream.close()
      Console.error("standard input and output must be pipes, sockets, files or a terminal: \(error)")
      throw ExitCode(EX_USAGE)
    }
  }

  private func failure(_ text: String, _ error: UVError) -> ExitCode {
    failure("\(text): \(error)", EX_IOERR)
  }

  private func failure(_ text: String, _ status: Int32) -> ExitCode {
    Console.error(text)
    return ExitCode(status)
  }

  /// When it fires, what is unanswered is refused and the program is asked to end; when it fires again, the program is
  /// killed; the third time, nobody reads what is left for the client.
  private static func timeout(
    on loop: EventLoop, _ server: GatewayServer, _ client: StdioTransport
  ) -> LoopTimer {
    var firedCount = 0
    var timer: LoopTimer?
    let timeout = LoopTimer(on: loop) {
      firedCount += 1
      switch firedCount {
      case 1:
        server.endRequests()
        loop.terminateChildren()
      case 2: loop.killChildren()
      default: return client.hangUp()
      }
      timer?.start(afterMilliseconds: PipeBounds.graceAtSignalMilliseconds)
    }
    timeout.letLoopEnd()
    timer = timeout
    return timeout
  }

  /// Serves until either side has ended, or a signal comes.
  private func serve(
    _ server: GatewayServer, _ streams: (input: StandardStream, output: StandardStream), on loop: EventLoop
  ) throws {
    var sources: [SignalSource] = []
    let client = StdioTransport(input: streams.input.stream, output: streams.output.stream) {
      // The program may still take some time to exit, and must not outlive this command.
      server.drain { for source in sources { source.letLoopEnd() } }
    }
    let timeout = Self.timeout(on: loop, server, client)
    var isTold = false
    for signal in [SIGTERM, SIGINT, SIGHUP] {
      sources.append(
        try SignalSource(on: loop, signal: signal) {
          // The second signal ends everything at once.
          if isTold {
            loop.killChildren()
            _exit(128 + signal)
          }
          isTold = true
          timeout.start(afterMilliseconds: PipeBounds.graceAtSignalMilliseconds)
          // As at the end of standard input: requests that were read are answered, and the program's last output is
          // passed on.
          client.endInput()
        })
    }
    // A program that exists but cannot be run will not run the next time, either.
    server.onChildStartFailure = { error in
      if !Program.mayStartLater(error) { client.hangUp() }
    }
    server.accept(client, 0)
    loop.run()
    for source in sources { source.close() }
    timeout.close()
    streams.output.finish()
    streams.input.giveBack()
    if let error = streams.output.failure ?? client.outputFailure {
      throw failure("standard output cannot be written", error)
    }
    if let error = streams.input.failure { throw failure("standard input cannot be read", error) }
    if let error = server.childStartFailure {
      Console.error(Program.complaint(about: command[0], error))
      throw ExitCode(Program.status(of: error))
    }
    if let status = server.lastChildExit?.shellStatus, status != 0 { throw ExitCode(status) }
  }
}

/// Finds programs as a shell does.
private enum Program {
  enum Place { case found, unusable, missing }

  // The exit statuses of shells for these cases.
  static let isUnusable: Int32 = 126
  static let isMissing: Int32 = 127

  static func search(_ name: String) -> Place {
    if name.contains("/") { return look(at: name) ?? .unusable }
    let path = ConfigEnvironment.variables()["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    let places = path.split(separator: ":").compactMap { look(at: "\($0)/\(name)") }
    return places.contains(.found) ? .found : places.contains(.unusable) ? .unusable : .missing
  }

  /// What is at the path; nil: this user may not look there. Directories have the same permission bit, for entering, as
  /// programs for running.
  private static func look(at path: String) -> Place? {
    var status = stat()
    // The names are copied for the calls.
    guard unsafe stat(path, &status) == 0 else { return errno == EACCES ? nil : .missing }
    guard status.st_mode & S_IFMT == S_IFREG else { return .unusable }
    return unsafe access(path, X_OK) == 0 ? .found : .unusable
  }

  /// Whether the machine only lacks a resource for the moment.
  static func mayStartLater(_ error: UVError) -> Bool {
    ["EAGAIN", "EMFILE", "ENFILE", "ENOMEM", "ETXTBSY"].contains(error.name)
  }

  static func complaint(about name: String, _ error: UVError) -> String {
    let isInterpreter = error.name == "ENOENT" && search(name) == .found
    let hint = isInterpreter ? ": what its first line says it is run by is not there" : ""
    return "cannot start \(name): \(error)\(hint)"
  }

  static func status(of error: UVError) -> Int32 { error.name == "ENOENT" ? isMissing : isUnusable }
}
