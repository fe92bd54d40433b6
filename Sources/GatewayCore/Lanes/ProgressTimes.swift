/// How progress of its task extends a caller's time.
struct ProgressTimes: BitwiseCopyable {
  /// The configured timeout; 0: none, for the caller names its own timeout, or waits for ever.
  var timeoutMilliseconds: UInt32 = 0
  /// It waits until then at most.
  var latestMilliseconds: UInt64 = 0
}
