import ArgumentParser
import Configuration
import Glibc

/// Reads the configuration that a command runs with, or says all that is wrong.
enum ConfigLoading {
  /// Why there is no configuration, line by line.
  struct Rejected: Error { let lines: [String] }

  /// Ends the command when something is wrong.
  static func load(
    file: String?, environment: [String: String] = ConfigEnvironment.variables(), flags: [Override] = []
  ) throws -> FileConfiguration {
    do throws(Rejected) {
      return try read(file: file, environment: environment, flags: flags)
    } catch {
      for line in error.lines { Console.errorLine(line) }
      throw ExitCode(EX_CONFIG)
    }
  }

  /// - Parameter file: its path; without one, the environment may name it.
  static func read(
    file: String?, environment: [String: String] = ConfigEnvironment.variables(), flags: [Override] = []
  ) throws(Rejected) -> FileConfiguration {
    var sources = ConfigurationSources(environment: environment, flags: flags)
    if let name = file ?? environment[EnvironmentNames.file] {
      do throws(ConfigFile.Unreadable) {
        sources.file = (name, try ConfigFile.bytes(of: name))
      } catch {
        throw Rejected(lines: ["\(error.path): error: cannot be read: \(error.reason)"])
      }
    }
    do throws(ConfigurationError) {
      return try FileConfiguration(sources)
    } catch {
      throw Rejected(lines: error.complaints.map { "\($0)" })
    }
  }
}
