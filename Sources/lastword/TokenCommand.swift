import ArgumentParser
import Configuration
import Glibc
import Identity
import Secrets

/// `lastword token`: prints a new token, and its digest for the configuration.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Make a token for a client, or say what the configuration keeps of one.",
    discussion: """
      Prints the token, which the client gets, and the line for its [[principal]], which holds only a hash of it. \
      The token cannot be found again. Exit status: 69 in a build without OpenSSL.
      """)

  @Flag(help: "Read a token from standard input instead of making one, and print the line for it.")
  var hash = false

  func run() throws {
    let token = try hash ? given() : made()
    guard let digest = TokenDigest(of: Array(token.utf8)) else {
      Console.error("this build has no OpenSSL (build with --traits TLS)")
      throw ExitCode(EX_UNAVAILABLE)
    }
    if !hash {
      Console.print("The client's token, which is kept nowhere:")
      Console.print("  \(token)")
      Console.print("In the configuration, under its [[principal]]:")
    }
    Console.print((hash ? "" : "  ") + "tokens = [\"sha256:\(digest.hexadecimal)\"]")
    if !hash {
      Console.print("Or, if it is for the admin pages, under [admin]:")
      Console.print("  token = \"sha256:\(digest.hexadecimal)\"")
    }
  }

  private func made() throws -> String {
    guard let token = RandomToken.make() else {
      Console.error("the system has no random bytes")
      throw ExitCode(EX_OSERR)
    }
    return token
  }

  private func given() throws -> String {
    let token = readLine() ?? ""
    guard token.utf8.count >= Self.fewestBytes else {
      Console.error("a token has at least \(Self.fewestBytes) bytes: fewer can be guessed")
      throw ExitCode(EX_DATAERR)
    }
    return token
  }

  /// The shortest token: 128 bits in base64.
  private static let fewestBytes = 22
}
