/// The bound of a failure rule, in the unit in which it was given.
struct RuleBound: Hashable, Sendable {
  enum Unit: Hashable, Sendable {
    case none, percent, nanoseconds, microseconds, milliseconds, seconds

    init?(_ text: String) {
      switch text {
      case "": self = .none
      case "%": self = .percent
      case "ns": self = .nanoseconds
      // The micro sign and the Greek letter look the same.
      case "us", "\u{b5}s", "\u{3bc}s": self = .microseconds
      case "ms": self = .milliseconds
      case "s": self = .seconds
      default: return nil
      }
    }

    var scale: Double {
      switch self {
      case .none, .nanoseconds: 1
      case .percent: 0.01
      case .microseconds: 1e3
      case .milliseconds: 1e6
      case .seconds: 1e9
      }
    }
  }

  let unit: Unit
  /// In nanoseconds, as a ratio, or as it stands.
  let value: Double

  init(number: Double, unit: Unit) {
    self.unit = unit
    value = number * unit.scale
  }
}
