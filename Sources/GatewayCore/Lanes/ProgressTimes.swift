/// What a caller gets more of when upstream reports progress of what it waits for.
struct ProgressTimes: BitwiseCopyable {
  /// The configured time; 0: it gets none, for it says itself how long it waits, or waits for ever.
  var timeoutMilliseconds: UInt32 = 0
  /// It waits until then at most.
  var latestMilliseconds: UInt64 = 0
}
