/// What readers of the live page were told, and what they were not.
struct FeedCounts {
  var watchers = 0
  /// Events that were sent.
  var sent: UInt64 = 0
  /// Events that did not fit into a frame.
  var merged: UInt64 = 0
  /// Frames and counters that were not sent, as a reader was too slow.
  var dropped: UInt64 = 0
}
