import ArgumentParser
import Configuration

/// `lastword config show`: every setting as `lastword serve` would use it.
struct ConfigShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print every setting as serve would use it.",
    discussion:
      """
      What it prints is itself a configuration file, but for what may be secret: the values of headers and of \
      a child's environment, and the user and the query of a URL.
      """)

  @Option(help: "The configuration file.", completion: .configurationFile)
  var config: String?

  @Flag(help: "Say of each where it comes from.")
  var origin = false

  func run() throws {
    Console.print(SettingList.text(of: try ConfigLoading.load(file: config), showsOrigins: origin))
  }
}
