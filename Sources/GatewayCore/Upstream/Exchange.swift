package import JSONRPC
package import TaskStore

/// A request or notification on its way to an upstream that takes each by itself.
package struct Exchange: Sendable {
  /// Nil for a message of the gateway's own: nobody aborts it, and nothing is heard of it but its loss.
  package let task: TaskID?
  /// Nobody answers it: it is over once it is delivered.
  package let isNotification: Bool
  /// What is left of its caller's time.
  package let remainingMilliseconds: UInt64
  /// As the caller gave it (W3C Trace Context, section 3.2); empty: none.
  package let traceparent: [UInt8]

  package init(
    task: TaskID?, isNotification: Bool = false, remainingMilliseconds: UInt64, traceparent: [UInt8]
  ) {
    self.task = task
    self.isNotification = isNotification || task == nil
    self.remainingMilliseconds = remainingMilliseconds
    self.traceparent = traceparent
  }

  /// Whether a message names this request: an error may come without an id, from a server that could not read the
  /// request, and there is only this one.
  package static func isAnswer(_ envelope: Envelope, to task: TaskID, in bytes: Span<UInt8>) -> Bool {
    if JSONNumber.nonNegativeInteger(envelope.id, in: bytes) == task.rawValue { return true }
    return !envelope.error.isEmpty && bytes.holds("null", in: envelope.id.range)
  }
}
