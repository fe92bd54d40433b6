import ArgumentParser

/// `lastword fleet`: which members a fleet has, and taking one's keys away before it is stopped.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "See a fleet, and have a member give its keys away.",
    subcommands: [FleetStatusCommand.self, FleetDrainCommand.self])
}
