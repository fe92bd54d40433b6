import ArgumentParser

struct FleetStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show which members a fleet has, and how many keys' partitions each.",
    discussion: "A member is asked at its admin pages. Exit status: 0 if it has answered, 1 if not.")

  @OptionGroup var question: FleetQuestion

  func run() throws { try question.ask("/fleet?format=text", byPost: false) }
}
