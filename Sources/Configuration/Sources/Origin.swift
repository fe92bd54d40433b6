package import TOML

/// Where a setting's value comes from; later cases win over earlier ones.
package enum Origin: Hashable, Sendable, CustomStringConvertible {
  case standard
  case file(String, Place)
  case environment(String)
  case flag(String)

  package var description: String {
    switch self {
    case .standard: "default"
    case .file(let name, let place): "\(name):\(place.line)"
    case .environment(let name): "environment \(name)"
    case .flag(let name): "flag \(name)"
    }
  }

  /// The same, for an error: a file's with the column.
  var exactDescription: String {
    guard case .file(let name, let place) = self else { return description }
    return "\(name):\(place.line):\(place.column)"
  }

  /// The order of what is reported: the file from its top to its end, then the environment, then flags.
  var sortKey: (Int, Int, Int) {
    switch self {
    case .standard: (0, 0, 0)
    case .file(_, let place): (1, place.line, place.column)
    case .environment: (2, 0, 0)
    case .flag: (3, 0, 0)
    }
  }
}
