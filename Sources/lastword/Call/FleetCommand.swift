import Addresses
import ArgumentParser
import Configuration
import LibUV

/// `lastword fleet`: which members a fleet has, and taking one's keys away before it is stopped.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "See a fleet, and have a member give its keys away.",
    subcommands: [FleetStatusCommand.self, FleetDrainCommand.self])
}

/// Where a member is asked.
struct FleetQuestion: ParsableArguments {
  @Option(help: "The configuration file.", completion: .configurationFile)
  var config: String?

  @Option(
    help: ArgumentHelp("Address of the admin pages: HOST:PORT or unix:PATH.", valueName: "address"),
    completion: .adminAddress)
  var admin: SocketAddress?

  @OptionGroup var token: TokenSource

  /// Prints the answer, or ends with status 1.
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

struct FleetStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show which members a fleet has, and how many keys' partitions each.",
    discussion: "A member is asked at its admin pages. Exit status: 0 if it has answered, 1 if not.")

  @OptionGroup var question: FleetQuestion

  func run() throws { try question.ask("/fleet?format=text", byPost: false) }
}

struct FleetDrainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drain", abstract: "Have a member give its keys to the others.",
    discussion: """
      The member gives all that it has to others and gets nothing any more; its clients are served as before. It has to \
      be started anew to have keys again. Any member can be asked for any other, at its admin pages. Exit status: 0 if \
      it has been told to begin, 1 if not.
      """)

  @Argument(
    help: ArgumentHelp(
      "The member: the beginning of its id, or its address, as fleet status shows them; if left out, the one asked."
    ))
  var member: String?

  @OptionGroup var question: FleetQuestion

  func validate() throws {
    guard let member, member.isEmpty || !member.utf8.allSatisfy(Self.isOfName) else { return }
    throw ValidationError("'\(member)' is neither the beginning of a member's id nor its address")
  }

  func run() throws {
    try question.ask("/fleet/drain" + (member.map { "?member=\($0)" } ?? ""), byPost: true)
  }

  /// What an id or an address is made of needs no escapes in a query.
  private static func isOfName(_ byte: UInt8) -> Bool {
    let character = Character(Unicode.Scalar(byte))
    return character.isASCII && (character.isLetter || character.isNumber || ".:-_[]/".contains(character))
  }
}
