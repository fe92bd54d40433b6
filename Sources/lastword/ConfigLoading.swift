import ArgumentParser
import Configuration
import Glibc

/// Reads the configuration that a command runs with, or ends the command with all that is wrong.
enum ConfigLoading {
  /// - Parameter file: its path; without one, the environment may name it.
  static func load(
    file: String?, environment: [String: String] = ConfigEnvironment.variables(), flags: [Override] = []
  ) throws -> FileConfiguration {
    var sources = ConfigurationSources(environment: environment, flags: flags)
    do {
      if let name = file ?? environment[EnvironmentNames.file] {
        sources.file = (name, try ConfigFile.bytes(of: name))
      }
      return try FileConfiguration(sources)
    } catch let error as ConfigurationError {
      for complaint in error.complaints { Console.errorLine("\(complaint)") }
    } catch let error as ConfigFile.Unreadable {
      Console.errorLine("\(error.path): error: cannot be read: \(error.reason)")
    }
    throw ExitCode(EX_CONFIG)
  }
}
