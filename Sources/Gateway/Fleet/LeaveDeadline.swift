/// Decides how long a member that leaves waits until others have its partitions.
///
/// The engine may be there when the member first looks, and go away later: it looks again whenever it would be told by
/// then that it may act no more.
struct LeaveDeadline {
  /// When it stops whatever there is, by `CLOCK_BOOTTIME`.
  private let leavesBy: Int64
  private let beatMilliseconds: Int64

  /// - Parameters:
  ///   - now: it has just been told to leave.
  ///   - endMilliseconds: how long what runs may take to end.
  init(at now: Int64, endMilliseconds: Int64, beatMilliseconds: Int64) {
    // One beat tells that all has been given away, and the next is the leave.
    leavesBy = now + endMilliseconds + 2 * beatMilliseconds
    self.beatMilliseconds = beatMilliseconds
  }

  /// When to look again, in milliseconds from now; nil: it waits no longer.
  /// - Parameter actsUntil: it may act until then, by the engine's last word.
  func pause(actsUntil: Int64, at now: Int64) -> Int64? {
    let end = min(leavesBy, actsUntil)
    return now < end ? max(beatMilliseconds, end - now) : nil
  }
}
