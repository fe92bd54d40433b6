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

  @Argument(help: "The configuration file.", completion: .configurationFile)
  var file: String?

  @Option(help: "The same.", completion: .configurationFile)
  var config: String?

  @Flag(help: "Say of each where it comes from.")
  var origin = false

  func validate() throws {
    if file != nil && config != nil { throw ValidationError("one configuration file can be shown at a time") }
  }

  func run() throws {
    Console.print(SettingList.text(of: try ConfigLoading.load(file: file ?? config), showsOrigins: origin))
  }
}
