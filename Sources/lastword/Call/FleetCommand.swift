import ArgumentParser

/// `lastword fleet`: shows a fleet's members, and moves a member's keys to others before it is stopped.
struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "See a fleet, and have a member give its keys away.",
    subcommands: [FleetStatusCommand.self, FleetDrainCommand.self])
}
