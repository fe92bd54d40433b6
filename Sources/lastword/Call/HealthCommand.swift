import Addresses
import ArgumentParser
import Configuration
import Glibc
import LibUV

/// `lastword health`: whether a gateway on this machine is well, for programs that start and stop it.
struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Ask a gateway on this machine whether it is ready.",
    discussion: """
      It is asked where the configuration says it is, which is read as lastword serve reads it: at its admin pages, \
      or, if it has none, by a ping at its first address for clients that is without TLS. Exit status: 0 if it is well, 1 if not.
      """)

  @Option(help: "The configuration file.", completion: .configurationFile)
  var config: String?

  @Option(
    help: ArgumentHelp("Address of the admin pages: HOST:PORT or unix:PATH.", valueName: "address"),
    completion: .adminAddress)
  var admin: SocketAddress?

  @Option(
    help: "Address for clients, to be asked by a ping: \(GatewayPlace.forms).", completion: .clientAddress)
  var address: GatewayPlace?

  @OptionGroup var tls: TLSFlags

  @Flag(help: "Ask only whether it runs, not whether it is ready for requests.")
  var live = false

  @Option(help: "Milliseconds that the answer may take.")
  var timeoutMs = 2_000

  func validate() throws {
    try tls.check(address)
    if admin != nil && address != nil { throw ValidationError("--admin and --address exclude each other") }
    guard (1...3_600_000).contains(timeoutMs) else {
      throw ValidationError("--timeout-ms must be 1 to 3600000")
    }
  }

  func run() throws {
    EventLoop.ignoreSIGPIPE()
    let loop = try EventLoop()
    let terms = try address.flatMap { try tls.terms(for: $0) }
    let check = HealthCheck(try question(), terms, timeoutMilliseconds: UInt64(timeoutMs), on: loop)
    loop.run()
    Console.print(check.line)
    if !check.isWell { throw ExitCode(1) }
  }

  private func question() throws -> HealthQuestion {
    let path = live ? "/livez" : "/readyz"
    if let admin { return .page(path, at: admin) }
    if let address { return .ping(at: address.address, isSecure: address.isSecure) }
    let settings = try settings()
    if let admin = settings.admin.values.address { return .page(path, at: admin) }
    guard let listener = settings.listeners.first(where: { !$0.hasTLS }) else {
      // The gateway's configuration gives neither the authority to trust nor the gateway's name.
      Console.print(
        "all its addresses have TLS: name one by --address tls:HOST:PORT, with --ca, or give it admin pages")
      throw ExitCode(1)
    }
    return .ping(at: listener.values.address)
  }

  /// Reads the configuration. Its mistakes are reported, and end the command with status 1: container engines know no
  /// other for a failure.
  private func settings() throws -> FileConfiguration {
    do {
      return try ConfigLoading.load(file: config)
    } catch is ExitCode {
      throw ExitCode(1)
    }
  }
}
