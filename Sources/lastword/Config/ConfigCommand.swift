import ArgumentParser

/// `lastword config`: prints an example of a configuration, the one in force, or its mistakes.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check, show or begin a configuration.",
    subcommands: [ConfigCheckCommand.self, ConfigShowCommand.self, ConfigExampleCommand.self])
}
