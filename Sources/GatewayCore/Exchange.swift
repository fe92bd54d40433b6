package import TaskStore

/// A request on its way to an upstream that takes each by itself.
package struct Exchange: Sendable {
  /// Nil for a notification: nothing more is heard of it.
  package let task: TaskID?
  /// What is left of its caller's time.
  package let remainingMilliseconds: UInt64
  /// As the caller gave it (W3C Trace Context, section 3.2); empty: none.
  package let traceparent: [UInt8]

  package init(task: TaskID?, remainingMilliseconds: UInt64, traceparent: [UInt8]) {
    self.task = task
    self.remainingMilliseconds = remainingMilliseconds
    self.traceparent = traceparent
  }
}
