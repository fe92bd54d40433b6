/// What readers of the live page were told, and what they were not.
struct FeedCounts {
  var watchers = 0
  /// Events told.
  var sent: UInt64 = 0
  /// Events that found no place in a frame.
  var merged: UInt64 = 0
  /// Frames, and numbers, that a reader was too slow for.
  var dropped: UInt64 = 0
}
