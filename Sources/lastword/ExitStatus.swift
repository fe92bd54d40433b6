import ArgumentParser
import Gateway
import Glibc
import LibUV

/// Decides which of the statuses of sysexits a failure ends the command with.
enum ExitStatus {
  static func of(_ error: StartError) -> Int32 {
    error.address == nil ? of(system: error.cause) : of(listening: error.cause)
  }

  /// What kept it from listening where it should.
  static func of(listening error: UVError) -> Int32 {
    switch error.name {
    // The first may end, the second come up: both are worth another try.
    case "EADDRINUSE", "EADDRNOTAVAIL": EX_UNAVAILABLE
    case "EAI_AGAIN": EX_TEMPFAIL
    case let name where name.hasPrefix("EAI_"): EX_NOHOST
    default: of(creating: error)
    }
  }

  /// What kept it from making a file or a socket.
  static func of(creating error: UVError) -> Int32 {
    switch error.name {
    case "ENOENT", "ENOTDIR", "EROFS", "ENAMETOOLONG", "EISDIR", "EEXIST": EX_CANTCREAT
    default: of(system: error)
    }
  }

  /// What the system did not give.
  static func of(system error: UVError) -> Int32 {
    isDenied(error.name) ? EX_NOPERM : EX_OSERR
  }

  static func isDenied(_ name: String) -> Bool { ["EACCES", "EPERM"].contains(name) }
}
