package import TOML

/// The origin of a setting's value; later cases win over earlier ones.
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

  /// The description for an error: in a file with the column.
  var exactDescription: String {
    guard case .file(let name, let place) = self else { return description }
    return "\(name):\(place.line):\(place.column)"
  }

  /// The order of complaints: the file from top to end, then the environment, then flags.
  var sortKey: (Int, Int, Int) {
    switch self {
    case .standard: (0, 0, 0)
    case .file(_, let place): (1, place.line, place.column)
    case .environment: (2, 0, 0)
    case .flag: (3, 0, 0)
    }
  }
}
