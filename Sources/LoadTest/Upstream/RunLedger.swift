/// The bundled upstream's record of one run: its keys' arrivals, and the work on them.
struct RunLedger {
  /// Keys with larger numbers are not counted.
  static let keyLimit = 1_000_000

  private struct Key {
    var arrivals: UInt64 = 0
    /// The newest arrival of policy `cancel`.
    var newestSuperseding: UInt64 = 0
    /// Answers that supersede earlier arrivals, oldest first. Each is for a later arrival than the one before it.
    var overtaking: [(arrival: UInt64, nanoseconds: UInt64)] = []
  }

  /// How many of the last ones are kept.
  private static let overtakingLimit = 16

  var work = LoadMeasurement.UpstreamWork()
  /// Requests that are being worked on.
  var runningCount = 0
  /// Cancels that watchers have not been told of.
  var untoldCancels: [HeardCancel] = []
  private var keys: [Key] = []

  /// Counts a request of a key; returns its number, in the order of arrival.
  mutating func arrived(_ key: Int, supersedes: Bool) -> UInt64 {
    guard key < Self.keyLimit else { return 0 }
    while keys.count <= key { keys.append(Key()) }
    keys[key].arrivals += 1
    if supersedes { keys[key].newestSuperseding = keys[key].arrivals }
    return keys[key].arrivals
  }

  /// An answer was given that supersedes whatever arrived before.
  mutating func answered(_ key: Int, arrival: UInt64, at nanoseconds: UInt64) {
    guard key < keys.count, arrival > keys[key].overtaking.last?.arrival ?? 0 else { return }
    if keys[key].overtaking.count == Self.overtakingLimit { keys[key].overtaking.removeFirst() }
    keys[key].overtaking.append((arrival, nanoseconds))
  }

  /// When a later arrival than this first got an answer that supersedes; 0: none did.
  func overtaken(_ key: Int, arrival: UInt64) -> UInt64 {
    guard key < keys.count else { return 0 }
    return keys[key].overtaking.first { $0.arrival > arrival }?.nanoseconds ?? 0
  }

  func newestSuperseding(_ key: Int) -> UInt64 { key < keys.count ? keys[key].newestSuperseding : 0 }
}
