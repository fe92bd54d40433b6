import Addresses
import ArgumentParser
import Configuration
import Demo
import Gateway
import Glibc
import LibUV

/// `lastword demo`: the same typing in two search boxes over real files, one of them behind lastword.
struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo", abstract: "Watch stale answers reach a search box, and lastword keep them away.",
    discussion: """
      Somebody types; every letter asks for a search of the directory's real files, over TCP. On the left \
      the answers come straight from the server, on the right through lastword. Short queries have to read \
      all that was taken of them (128 MB at most) and are slow, longer ones use an index and overtake them.

      Exit status: 0 if stale answers reached the left screen and none the right one, 1 if lastword failed, \
      2 if the left screen showed none, so that nothing was demonstrated, 66 if the directory \
      cannot be read, 69 if the gateway cannot listen where it should, 77 if it may not.

      With --page you type yourself, in a browser: what you type goes both ways, and the page shows which \
      answers came, which were stale and which were superseded. It runs until Ctrl-C, which is status 130.
      """)

  @Argument(help: "The directory to search.", completion: .directory)
  var directory = Corpus.defaultDirectory

  @Flag(help: "Let the server ignore cancellation, as many do: it then answers late.")
  var ignoreCancel = false

  @Option(help: "Seed of the typing's rhythm.")
  var seed: UInt64 = 1

  @Option(help: "Address on this machine that the demo's gateway listens on: HOST:PORT or unix:PATH.")
  var listen: SocketAddress = .tcp(host: "127.0.0.1", port: 0)

  @Option(
    help: "Address of the live page, HOST:PORT; with it the demo types again and again, until Ctrl-C.",
    completion: .adminAddress)
  var admin: SocketAddress?

  @Flag(help: "Serve a page to type into yourself, until Ctrl-C.")
  var page = false

  @Option(help: "Address on this machine of that page, HOST:PORT. (default: 127.0.0.1:5280)")
  var pageAddress: SocketAddress?

  private static let usualPageAddress = SocketAddress.tcp(host: "127.0.0.1", port: 5280)

  func validate() throws {
    guard listen.isLocal else {
      throw ValidationError("--listen must be a loopback address or unix:PATH: the demo is for this machine")
    }
    guard page else {
      guard pageAddress == nil else { throw ValidationError("--page-address says nothing without --page") }
      return
    }
    let address = pageAddress ?? Self.usualPageAddress
    guard address.isLocal, case .tcp = address else {
      throw ValidationError("--page-address must be a loopback address: the demo is for this machine")
    }
    guard case .tcp = listen else {
      throw ValidationError("with --page, --listen must be HOST:PORT: no page reaches a Unix socket")
    }
    guard admin == nil else { throw ValidationError("--page and --admin are two demos: give one of them") }
  }

  func run() throws {
    EventLoop.ignoreSIGPIPE()
    let search = try load()
    var options = DemoOptions(listen: listen, seed: seed)
    options.ignoresCancellation = ignoreCancel
    if page { try serve(search, options) }
    options.pages = try pages(at: admin)
    var isFirst = true
    while true {
      let status = try verdictStatus(
        of: type(into: search, options) { address in
          // A user who watches finds the page at the same address the next time.
          if isFirst { Console.print("The live page: http://\(address)/") }
          isFirst = false
          options.pages = try pages(at: address)
        })
      if options.pages == nil { throw ExitCode(status) }
      options.seed &+= 1
    }
  }

  /// Runs the demo in a page until a signal, and ends the command.
  private func serve(_ search: FileSearch, _ options: DemoOptions) throws -> Never {
    let loop = try EventLoop()
    let run: PageRun
    do {
      run = try PageRun(search, of: directory, at: pageAddress ?? Self.usualPageAddress, options, on: loop)
    } catch let error as StartError {
      Console.error("\(error)")
      throw ExitCode(ExitStatus.of(error))
    }
    Console.print("The page to type into: http://\(run.address)/")
    withExtendedLifetime(run) { loop.run() }
    // The terminal shows ^C where the next line would begin.
    Console.print("")
    throw ExitCode(128 + (run.signal ?? SIGTERM))
  }

  /// The exit status for the end of a run; throws if it failed.
  private func verdictStatus(of end: DemoRun.End) throws -> Int32 {
    switch end {
    case .settled(let verdict):
      Console.print("")
      for line in verdict.lines { Console.print(line) }
      return verdict.exitStatus
    case .broken(let reason):
      Console.error(reason)
      throw ExitCode.failure
    case .interrupted(let signal):
      // The terminal shows ^C where the next line would begin.
      Console.print("")
      throw ExitCode(128 + signal)
    }
  }

  /// The settings of the live page, checked as those of `serve` are.
  private func pages(at address: SocketAddress?) throws -> FileConfiguration? {
    guard let address else { return nil }
    let flag = Override.flag("--admin", .admin("address"), [address.description])
    return try ConfigLoading.load(file: nil, environment: [:], flags: [flag])
  }

  private func load() throws -> FileSearch {
    Console.print("Reading \(directory) ...")
    do throws(LoadError) {
      let search = try FileSearch.load(directory, fillsTime: true)
      for line in search.summary(of: directory) { Console.print("  \(line)") }
      return search
    } catch {
      Console.error("\(error)")
      throw ExitCode(EX_NOINPUT)
    }
  }

  /// - Parameter onPages: called with the live page's address, with the port that the kernel chose, if there is a page.
  private func type(
    into search: FileSearch, _ options: DemoOptions, onPages: (SocketAddress) throws -> Void
  ) throws -> DemoRun.End {
    let loop = try EventLoop()
    var end: DemoRun.End?
    let run: DemoRun
    do {
      run = try DemoRun(search, options, on: loop) { end = $0 }
    } catch let error as StartError {
      Console.error("\(error)")
      throw ExitCode(ExitStatus.of(error))
    }
    if let address = run.pagesAddress { try onPages(address) }
    Console.print("Typing in two search boxes; through lastword a letter supersedes the one before.")
    Console.print("")
    withExtendedLifetime(run) { loop.run() }
    return end ?? .broken("the demo ended early")
  }
}
