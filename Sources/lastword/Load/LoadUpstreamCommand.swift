import Addresses
import ArgumentParser
import Configuration
import Glibc
import LibUV
import LoadTest

/// `lastword load upstream`: the bundled upstream as a server of its own.
struct LoadUpstreamCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upstream", abstract: "Run the bundled upstream, which behaves well or badly.",
    discussion: """
      Its address is the first line of standard output. Put it behind a gateway, and tell lastword load by \
      --upstream-at where it is: each of its results then says what had arrived when it was given.

      It takes --behaviour (\(UpstreamBehaviour.forms); echo by default) and --seed, as lastword load does.
      """)

  @Option(help: "Address to listen on: HOST:PORT or unix:PATH.")
  var listen: SocketAddress = .tcp(host: "127.0.0.1", port: 0)

  @Option(
    help:
      "Who may reach the address: programs on this machine, or the network, which takes this word: it asks nobody."
  )
  var audience: Audience = .loopback

  /// The parent reads the whole line first, so that flags common to both are found there.
  @ParentCommand var load: LoadCommand

  @Flag(help: "Stop when standard input ends: nobody is left who wanted it.")
  var untilEndOfInput = false

  func validate() throws {
    guard !listen.isLocal, audience == .loopback else { return }
    throw ValidationError(
      "--listen must be a loopback address or unix:PATH, not '\(listen)': whoever reaches it is served; "
        + "if the network is to reach it, say --audience network")
  }

  func run() throws {
    EventLoop.ignoreSIGPIPE()
    _ = DescriptorLimit.raise()
    let loop = try EventLoop()
    let upstream: LoadUpstream
    do throws(UVError) {
      upstream = try LoadUpstream(
        load.load.behaviour ?? .echo, at: listen, seed: load.load.seed, on: loop)
    } catch {
      Console.error("cannot listen on \(listen): \(error)")
      throw ExitCode(ExitStatus.of(listening: error))
    }
    let signals = try [SIGINT, SIGTERM].map { try SignalSource(on: loop, signal: $0) { loop.stop() } }
    let end = try untilEndOfInput ? InputEnd(on: loop) { loop.stop() } : nil
    if let address = upstream.address { Console.print("\(address)") }
    loop.run()
    end?.close()
    for signal in signals { signal.close() }
    upstream.close()
  }
}
