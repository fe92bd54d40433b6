import ArgumentParser
import Glibc
import JSONRPC

/// The source of a client's token: a file or the environment, but never the command line, which every user of the
/// machine can read.
struct TokenSource: ParsableArguments {
  static let variable = "LASTWORD_TOKEN"
  /// A hint for a client that was refused without a token.
  static let hint =
    "clients have to say who they are there: --token-file names a file with a token, or \(variable) has it"

  @Option(
    help: "A file whose first line is the token to authenticate with; else LASTWORD_TOKEN, if it is set.")
  var tokenFile: String?

  /// The message that authenticates the client, as a line; nil without a token.
  func message(id: UInt64) throws -> [UInt8]? {
    guard let token = try token() else { return nil }
    var line: [UInt8] = []
    MessageWriter.openRequest(id, into: &line)
    MessageWriter.appendString("lastword.authenticate", into: &line)
    line.append(",\"params\":{\"token\":")
    MessageWriter.appendString(token, into: &line)
    line.append("}}\n")
    return line
  }

  /// The token; nil: there is none.
  func token() throws -> String? {
    guard let tokenFile else { return ConfigEnvironment.variables()[Self.variable] }
    let line = try NamedFile.bytes(of: tokenFile).prefix {
      $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r")
    }
    guard !line.isEmpty else {
      Console.error("the first line of \(tokenFile) is empty")
      throw ExitCode(EX_DATAERR)
    }
    return String(decoding: line, as: UTF8.self)
  }
}
