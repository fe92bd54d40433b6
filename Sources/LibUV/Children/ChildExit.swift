/// How a child ended.
package enum ChildExit: Hashable, Sendable, CustomStringConvertible {
  case exited(status: Int32)
  case killed(signal: Int32)

  /// The status that shells report: the exit status, or 128 plus the signal's number.
  package var shellStatus: Int32 {
    switch self {
    case .exited(let status): status
    case .killed(let signal): 128 + signal
    }
  }

  package var description: String {
    switch self {
    case .exited(let status): "exited with status \(status)"
    case .killed(let signal): "killed by signal \(signal)"
    }
  }
}
