import ArgumentParser
import Glibc

/// A file named on a client command's line.
enum NamedFile {
  /// Returns its bytes. If it cannot be read, prints the reason and ends the command.
  static func bytes(of path: String) throws -> [UInt8] {
    do throws(ConfigFile.Unreadable) {
      return try ConfigFile.bytes(of: path, isAwaited: true)
    } catch {
      Console.error("\(path) cannot be read: \(error.reason)")
      throw ExitCode(error.isDenied ? EX_NOPERM : EX_NOINPUT)
    }
  }
}
