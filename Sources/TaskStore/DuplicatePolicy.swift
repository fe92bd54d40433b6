/// What happens to a request whose key is already busy.
package enum DuplicatePolicy: UInt8, Hashable, Sendable, CaseIterable {
  /// Supersedes every live task of the lane and starts now.
  case cancel
  /// Supersedes every live task of the lane and starts when every earlier one has ended.
  case cancelAndWait
  /// Starts when every earlier task has ended.
  case wait
  /// Starts now, beside the others.
  case concurrent
  /// Joins the newest live task if that asks the very same; is rejected beside other live work.
  case preferPrevious
  /// Takes the place of the queued `keepLatest` task, if any, and starts when every earlier one has ended.
  case keepLatest
}
