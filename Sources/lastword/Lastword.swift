import ArgumentParser
import Gateway
import Glibc
import LibUV

/// The command `lastword`.
struct Lastword: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lastword",
    abstract: "A JSON-RPC gateway in which the latest request has the last word.",
    version: Build.text,
    subcommands: [
      ServeCommand.self, WrapCommand.self, CallCommand.self, LoadCommand.self, DemoCommand.self,
      SimulateCommand.self,
      ConfigCommand.self, HealthCommand.self,
    ])

  /// Ends with a status of sysexits also where a command leaves that to others.
  static func main() {
    do {
      var command = try parseAsRoot()
      try command.run()
      throw ExitCode.success
    } catch let code as ExitCode where code.isSuccess && Console.hasLostOutput {
      end("standard output cannot be written", EX_IOERR)
    } catch let error as StartError {
      end("\(error)", ExitStatus.of(error))
    } catch let error as UVError {
      end("\(error)", ExitStatus.of(system: error))
    } catch {
      exit(withError: error)
    }
  }

  private static func end(_ complaint: String, _ status: Int32) -> Never {
    Console.error(complaint)
    exit(withError: ExitCode(status))
  }
}
