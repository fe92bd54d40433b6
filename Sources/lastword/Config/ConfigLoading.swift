import ArgumentParser
import Configuration
import Glibc

/// Reads the configuration that a command runs with, or prints all its mistakes and ends the command.
enum ConfigLoading {
  /// All mistakes, and the exit status of a command that ends because of them.
  struct Failure: Error {
    let complaints: [String]
    var status = EX_CONFIG
  }

  /// - Parameter file: its path; nil: the environment may name it.
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

  /// The same for a command that goes on after a mistake.
  /// - Parameter isAwaited: whether the file may be one whose reading has to wait.
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
