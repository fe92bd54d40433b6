import Addresses
import ArgumentParser
import Configuration
import LibUV

/// The address of a member's admin pages, and the token for them.
struct FleetQuestion: ParsableArguments {
  @Option(help: "The configuration file.", completion: .configurationFile)
  var config: String?

  @Option(
    help: ArgumentHelp("Address of the admin pages: HOST:PORT or unix:PATH.", valueName: "address"),
    completion: .adminAddress)
  var admin: SocketAddress?

  @OptionGroup var token: TokenSource

  /// Sends the request and prints the answer, or ends with status 1.
  func ask(_ path: String, byPost: Bool) throws {
    EventLoop.ignoreSIGPIPE()
    guard let address = try admin ?? ConfigLoading.load(file: config).admin.values.address else {
      Console.error("the gateway has no admin pages: name them by --admin")
      throw ExitCode.failure
    }
    let loop = try EventLoop()
    let question = HealthQuestion.text(
      path, at: address, byPost: byPost, token: try token.token(), noPage: "this gateway is in no fleet")
    let check = HealthCheck(question, nil, timeoutMilliseconds: Self.timeoutMilliseconds, on: loop)
    loop.run()
    guard check.isWell else {
      Console.error(check.line)
      throw ExitCode.failure
    }
    for line in check.text.split(separator: "\n") { Console.print(String(line)) }
  }

  private static let timeoutMilliseconds: UInt64 = 5_000
}
