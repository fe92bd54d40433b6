import ArgumentParser
import Configuration

/// `lastword config`: what the configuration may be, is, and whether it is right.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check, show or begin a configuration.",
    subcommands: [ConfigCheckCommand.self, ConfigShowCommand.self, ConfigExampleCommand.self])
}

/// `lastword config check`: everything that is wrong with a file, each with its place.
struct ConfigCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a configuration file.",
    discussion: "Exit status: 0 if it is right, 78 if not; then every error is listed with its place.")

  @Argument(help: "The file.")
  var file: String

  func run() throws {
    // Of the file alone: another machine's environment is another one.
    _ = try ConfigLoading.load(file: file, environment: [:])
    Console.print("\(file): ok")
  }
}

/// `lastword config show`: every setting as `lastword serve` would use it.
struct ConfigShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print every setting as serve would use it.",
    discussion: "What it prints is itself a configuration file.")

  @Option(help: "The configuration file.")
  var config: String?

  @Flag(help: "Say of each where it comes from.")
  var origin = false

  func run() throws {
    Console.print(SettingList.text(of: try ConfigLoading.load(file: config), showsOrigins: origin))
  }
}

/// `lastword config example`: a file to begin with.
struct ConfigExampleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "example", abstract: "Print a commented configuration file with every default.")

  func run() { Console.print(ExampleFile.text) }
}
