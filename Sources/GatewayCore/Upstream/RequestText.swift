import HotData
import JSONRPC
import TaskStore

/// A task's request as its upstream gets it, without a frame.
struct RequestText {
  /// Nil for a notification.
  let id: UInt64?
  /// Under whose slot what it asks is kept: the method with its quotes, then the params, if any.
  let task: TaskID
  /// The tokens that are replaced by ours.
  let tokens: [PassedTokens.Place]
  /// Where the params begin in the kept text.
  let paramsStart: Int
  /// What goes along in the member `task`; nil: there is none.
  let remainingMilliseconds: UInt64?
  /// What goes along in the member `fence`; nil: there is none.
  let fence: Fence?

  func write<Sink: ByteSink & ~Copyable>(
    _ payloads: borrowing PayloadTable, _ traces: borrowing PayloadTable, into sink: inout Sink
  ) {
    MessageWriter.openRequest(id, into: &sink)
    payloads.withBytes(of: task.slot) { asked in
      guard !tokens.isEmpty else { return sink.append(asked) }
      PassedTokens.write(asked, from: paramsStart, tokens, of: task, into: &sink)
    }
    if let remainingMilliseconds { writeTask(remainingMilliseconds, traces, into: &sink) }
    fence?.write(into: &sink)
    sink.append("}")
  }

  private func writeTask<Sink: ByteSink & ~Copyable>(
    _ remainingMilliseconds: UInt64, _ traces: borrowing PayloadTable, into sink: inout Sink
  ) {
    sink.append(",\"task\":{\"timeoutMs\":")
    sink.append(decimal: remainingMilliseconds)
    let traceBytes = traces.count(of: task.slot)
    if traceBytes > 0 {
      sink.append(",\"traceparent\":\"")
      traces.withBytes(of: task.slot) { sink.append($0) }
      sink.append("\"")
    }
    sink.append("}")
  }
}
