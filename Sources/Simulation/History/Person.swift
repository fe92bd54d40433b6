import Identity

/// Which principal a client is.
enum Person: Hashable {
  /// Nobody is asked.
  case anyone
  case unknown
  case known(Int)

  /// Those of the same number share keys.
  var namespace: Int {
    switch self {
    case .anyone, .unknown: 0
    case .known(let number): number == Population.restricted ? 2 : 1
    }
  }
  static let namespaces = 3

  var isRestricted: Bool { self == .known(Population.restricted) }
}
