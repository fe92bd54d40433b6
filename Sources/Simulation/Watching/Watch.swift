import GatewayCore
import HotData

/// Who watches the tasks of a history, and how many events at a time.
package enum Watch: Hashable, Sendable {
  case nobody
  case somebody(limitEvents: Int)

  init(using random: inout SplitMix64) {
    self = random.pick([
      .nobody, .nobody, .somebody(limitEvents: 0), .somebody(limitEvents: 1), .somebody(limitEvents: 5),
      .somebody(limitEvents: Self.unlimitedEvents), .somebody(limitEvents: Self.unlimitedEvents),
      .somebody(limitEvents: Self.unlimitedEvents),
    ])
  }

  var limitEvents: Int? {
    switch self {
    case .nobody: nil
    case .somebody(let limitEvents): limitEvents
    }
  }

  /// More than any turn of the loop has.
  package static let unlimitedEvents = 1_000_000
}
