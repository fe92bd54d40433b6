import ArgumentParser
import Configuration
import Glibc

/// Reads the configuration that a command runs with, or ends the command with all that is wrong.
enum ConfigLoading {
  /// All that is wrong, and the status that the command ends with if it ends of it.
  struct Failure: Error {
    let complaints: [String]
    var status = EX_CONFIG
  }

  /// - Parameter file: its path; without one, the environment may name it.
  static func load(
    file: String?, environment: [String: String] = ConfigEnvironment.variables(), flags: [Override] = []
  ) throws -> FileConfiguration {
    do throws(Failure) {
      return try read(file: file, environment: environment, flags: flags)
    } catch {
      for complaint in error.complaints { Console.errorLine(complaint) }
      throw ExitCode(error.status)
    }
  }

  /// The same for a command that goes on.
  /// - Parameter isAwaited: whether the file may be one that is waited for.
  static func read(
    file: String?, environment: [String: String] = ConfigEnvironment.variables(), flags: [Override] = [],
    isAwaited: Bool = true
  ) throws(Failure) -> FileConfiguration {
    var sources = ConfigurationSources(environment: environment, flags: flags)
    if let name = file ?? environment[EnvironmentNames.file] {
      sources.file = (name, try bytes(of: name, isAwaited: isAwaited))
    }
    do throws(ConfigurationError) {
      return try FileConfiguration(sources)
    } catch {
      throw Failure(complaints: error.complaints.map(\.description))
    }
  }

  private static func bytes(of name: String, isAwaited: Bool) throws(Failure) -> [UInt8] {
    do throws(ConfigFile.Unreadable) {
      return try ConfigFile.bytes(of: name, isAwaited: isAwaited)
    } catch {
      let complaint = "\(error.path): error: cannot be read: \(error.reason)"
      throw Failure(complaints: [complaint], status: error.isDenied ? EX_NOPERM : EX_CONFIG)
    }
  }
}
