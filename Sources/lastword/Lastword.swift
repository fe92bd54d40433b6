import ArgumentParser
import Gateway
import Glibc
import LibUV

/// The command `lastword`.
struct Lastword: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lastword",
    abstract: "A JSON-RPC gateway in which the latest request has the last word.",
    discussion: """
      Completions for your shell: lastword --generate-completion-script bash, or zsh or fish, prints what it has to \
      read. The manual page lastword(1) has the rest.
      """,
    version: Build.text,
    subcommands: [
      ServeCommand.self, WrapCommand.self, CallCommand.self, LoadCommand.self, DemoCommand.self,
      SimulateCommand.self, ConfigCommand.self, HealthCommand.self, FleetCommand.self,
      TokenCommand.self,
    ])

  /// Runs the command, and ends with a status of sysexits.h also if the command itself chooses none.
  static func main() {
    CrashReport.leaveOutMemory()
    occupyStandardDescriptors()
    ProcessMemory.keepFreed()
    do {
      try parseAndRun()
      throw ExitCode.success
    } catch let code as ExitCode where code.isSuccess && Console.hasLostOutput {
      end("standard output cannot be written", EX_IOERR)
    } catch let error as StartError {
      end("\(error)", ExitStatus.of(error))
    } catch let error as UVError {
      end("\(error)", ExitStatus.of(system: error))
    } catch  where exitCode(for: error).isSuccess && !(error is ExitCode) {
      // The user asked for this text, such as help.
      Console.print(fullMessage(for: error))
      if Console.hasLostOutput { end("standard output cannot be written", EX_IOERR) }
      exit(withError: ExitCode.success)
    } catch {
      guard let hint = Hint.text(for: message(for: error), of: subcommandName) else { exit(withError: error) }
      Console.errorLine(fullMessage(for: error))
      Console.errorLine("Hint: \(hint)")
      exit(withError: exitCode(for: error))
    }
  }

  /// Opens standard streams that are closed, since otherwise the next file that is opened would take their place.
  /// Reading and writing there still fails.
  private static func occupyStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  private static var words: [String] { Array(CommandLine.arguments.dropFirst()) }

  /// The subcommand's name, if the first word is one.
  private static var subcommandName: String? {
    words.first.flatMap { word in configuration.subcommands.contains { $0._commandName == word } ? word : nil
    }
  }

  private static func parseAndRun() throws {
    if let place = RawWords.firstWithoutUTF8 {
      throw ValidationError("word \(place) of the command line is no UTF-8")
    }
    if let word = unknownHelpTopic(words) { throw ValidationError("Unexpected argument '\(word)'") }
    if let flag = RepeatedFlags.first(in: words) { throw ValidationError("\(flag) is given twice") }
    var command: any ParsableCommand
    do {
      command = try parseAsRoot()
    } catch {
      guard let script = BashCompletion.script(in: fullMessage(for: error)) else { throw error }
      return Console.print(script)
    }
    try command.run()
  }

  /// The word of `help COMMAND` that is no command; nil: there is none. The parser would show another page instead.
  private static func unknownHelpTopic(_ words: [String]) -> String? {
    guard words.first == "help" else { return nil }
    var commands = configuration.subcommands
    for word in words.dropFirst() where !word.hasPrefix("-") {
      guard let command = commands.first(where: { $0._commandName == word }) else { return word }
      commands = command.configuration.subcommands
    }
    return nil
  }

  private static func end(_ complaint: String, _ status: Int32) -> Never {
    Console.error(complaint)
    exit(withError: ExitCode(status))
  }
}
