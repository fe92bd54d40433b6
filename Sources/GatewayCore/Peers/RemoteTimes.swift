/// How long a caller waits for another member, as the loop that has its key counts it, too.
struct RemoteTimes: BitwiseCopyable {
  var progress = ProgressTimes()
  var pieces = ProgressTimes()
  /// Until when it waits; 0: that does not change.
  var untilMilliseconds: UInt64 = 0
}
