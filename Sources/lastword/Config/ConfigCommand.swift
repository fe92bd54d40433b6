import ArgumentParser

/// `lastword config`: what the configuration may be, is, and whether it is right.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check, show or begin a configuration.",
    subcommands: [ConfigCheckCommand.self, ConfigShowCommand.self, ConfigExampleCommand.self])
}
