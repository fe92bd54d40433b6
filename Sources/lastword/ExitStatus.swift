import ArgumentParser
import Gateway
import Glibc
import LibUV

/// Chooses the exit status of sysexits.h for a failure.
enum ExitStatus {
  static func of(_ error: StartError) -> Int32 {
    error.address == nil ? of(system: error.cause) : of(listening: error.cause)
  }

  /// The status for an error of listening.
  static func of(listening error: UVError) -> Int32 {
    switch error.name {
    // The other process may end, and the interface may come up: both are worth another try.
    case "EADDRINUSE", "EADDRNOTAVAIL": EX_UNAVAILABLE
    case "EAI_AGAIN": EX_TEMPFAIL
    case let name where name.hasPrefix("EAI_"): EX_NOHOST
    default: of(creating: error)
    }
  }

  /// The status for an error of making a file or a socket.
  static func of(creating error: UVError) -> Int32 {
    switch error.name {
    case "ENOENT", "ENOTDIR", "EROFS", "ENAMETOOLONG", "EISDIR", "EEXIST": EX_CANTCREAT
    default: of(system: error)
    }
  }

  /// The status for a missing resource of the system.
  static func of(system error: UVError) -> Int32 {
    isDenied(error.name) ? EX_NOPERM : EX_OSERR
  }

  static func isDenied(_ name: String) -> Bool { ["EACCES", "EPERM"].contains(name) }
}
