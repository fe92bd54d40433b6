import GatewayCore
import HotData

/// The gateway's watchers, and the measurements for them.
struct Watching: ~Copyable {
  private let place = StaysInPlace()
  /// Hears at the end of each turn what happened to tasks; returns how many events it takes at the end of the next.
  var onEvents: ((borrowing TaskJournal) -> Int)?
  /// How long the loop's turns took.
  var lag = TimeHistogram()
  var measuresLag = false
  var logsTasks = false

  var hearsOfTasks: Bool { logsTasks || onEvents != nil }
}
