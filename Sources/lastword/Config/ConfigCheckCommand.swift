import ArgumentParser
import Configuration

/// `lastword config check`: prints every mistake in a file, each with its place.
struct ConfigCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a configuration file.",
    discussion: """
      The file is checked by itself, for any machine; --environment adds what the variables LASTWORD_… say here, as \
      serve does. Exit status: 0 if it is right, 78 if not; then every error is listed with its place. 77 if it may \
      not be read. Warnings change nothing.
      """)

  @Argument(help: "The file.", completion: .configurationFile)
  var file: String

  @Flag(
    help: "Check the file together with the environment's variables, as lastword serve would read both here.")
  var environment = false

  func run() throws {
    // Without a flag only the file is checked, as the environment may be another machine's.
    let settings = try ConfigLoading.load(
      file: file, environment: environment ? ConfigEnvironment.variables() : [:])
    try check(settings)
    for warning in settings.openListeners + settings.warnings { Console.errorLine("\(warning)") }
    Console.print("\(file): ok")
  }

  /// Checks that the files that the configuration names can be used, too.
  private func check(_ settings: FileConfiguration) throws {
    do throws(ConfigLoading.Failure) {
      _ = try NamedFiles(settings)
    } catch {
      for complaint in error.complaints { Console.errorLine(complaint) }
      throw ExitCode(error.status)
    }
  }
}
