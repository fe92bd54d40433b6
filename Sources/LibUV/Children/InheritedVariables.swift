import Glibc

/// Which variables of this process's environment a child begins with.
package enum InheritedVariables: Hashable, Sendable {
  /// All but what a service manager says to this process alone.
  case all
  /// Variables by which programs find their way about a machine: others may hold secrets of this process.
  case usual

  /// A child must not answer a service manager in this process's place.
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
