import Glibc

/// The variables of this process's environment that a child gets.
package enum InheritedVariables: Hashable, Sendable {
  /// All but those by which a service manager speaks to this process alone.
  case all
  /// Only those that programs usually need, such as PATH and HOME: others may hold secrets of this process.
  case usual

  /// The variables of a service manager: a child must not answer it for this process.
  private static let ownNames = ["NOTIFY_SOCKET=", "WATCHDOG_USEC=", "WATCHDOG_PID="]
  private static let usualNames = [
    "PATH=", "HOME=", "USER=", "LOGNAME=", "SHELL=", "TERM=", "LANG=", "LANGUAGE=", "TZ=", "TMPDIR=", "TMP=",
    "TEMP=", "PWD=", "LD_LIBRARY_PATH=", "LD_PRELOAD=",
  ]
  private static let usualBeginnings = ["LC_", "XDG_"]

  /// - Parameter variable: "NAME=VALUE".
  func contain(_ variable: UnsafeMutablePointer<CChar>) -> Bool {
    func begins(with text: String) -> Bool { strncmp(text, variable, text.utf8.count) == 0 }
    switch self {
    case .all: return !Self.ownNames.contains(where: begins)
    case .usual:
      return Self.usualNames.contains(where: begins) || Self.usualBeginnings.contains(where: begins)
    }
  }
}
