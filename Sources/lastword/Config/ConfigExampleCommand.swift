import ArgumentParser
import Configuration

/// `lastword config example`: a file to begin with.
struct ConfigExampleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "example", abstract: "Print a commented configuration file with every default.")

  func run() { Console.print(ExampleFile.text) }
}
