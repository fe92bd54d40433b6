/// What the bundled upstream knows of one run: its keys' arrivals, and the work that they were.
struct RunLedger {
  /// Keys with larger numbers are not counted.
  static let keyLimit = 1_000_000

  private struct Key {
    var arrivals: UInt64 = 0
    /// The newest arrival of policy `cancel`.
    var newestSuperseding: UInt64 = 0
  }

  var work = LoadMeasurement.UpstreamWork()
  /// Requests that are being worked on.
  var runningCount = 0
  /// Numbers and times of cancels that those who watch have not been told of.
  var unheardCancels: [UInt64] = []
  private var keys: [Key] = []

  /// Counts a request of a key: the how-many-eth it is.
  mutating func arrived(_ key: Int, supersedes: Bool) -> UInt64 {
    guard key < Self.keyLimit else { return 0 }
    while keys.count <= key { keys.append(Key()) }
    keys[key].arrivals += 1
    if supersedes { keys[key].newestSuperseding = keys[key].arrivals }
    return keys[key].arrivals
  }

  func newestSuperseding(_ key: Int) -> UInt64 { key < keys.count ? keys[key].newestSuperseding : 0 }
}
