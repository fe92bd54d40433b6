import JSONRPC
import TaskStore

/// The `data` of an error of ours: which task it was, how far it got, and whether upstream may have done the work.
struct ErrorData: JSONPart {
  private let refusal: Refusal
  /// Empty without a key: no key is empty.
  private let key: [UInt8]
  private let isSent: Bool
  /// Upstream hears that a task is not wanted any more.
  private let isUpstreamTold: Bool

  init(_ refusal: Refusal, key: [UInt8], isSent: Bool, isUpstreamTold: Bool) {
    self.refusal = refusal
    self.key = key
    self.isSent = isSent
    self.isUpstreamTold = isUpstreamTold
  }

  package func write<Sink: ByteSink & ~Copyable>(into sink: inout Sink) {
    sink.append("{")
    if !key.isEmpty {
      sink.append("\"key\":")
      MessageWriter.appendString(key, into: &sink)
      sink.append(",")
    }
    sink.append("\"generation\":")
    sink.append(decimal: refusal.generation)
    if case .superseded(let generation) = refusal.reason {
      sink.append(",\"supersededBy\":")
      sink.append(decimal: generation)
    }
    sink.append(isSent ? ",\"phase\":\"running\",\"upstream\":" : ",\"phase\":\"queued\",\"upstream\":")
    sink.append(upstream)
    sink.append("}")
  }

  /// Whether the caller may have to clean up.
  private var upstream: StaticString {
    guard isSent else { return "\"notSent\"" }
    switch refusal.reason {
    case .superseded, .cancelled, .deadlineExceeded:
      return !isUpstreamTold || refusal.taskGoesOn ? "\"mayHaveCompleted\"" : "\"cancelSent\""
    case .upstreamUnavailable, .shuttingDown:
      return "\"mayHaveCompleted\""
    }
  }
}

extension Refusal.Reason {
  var error: RPCError {
    switch self {
    case .superseded: .superseded
    case .cancelled: .cancelled
    case .deadlineExceeded: .deadlineExceeded
    case .upstreamUnavailable: .upstreamUnavailable
    case .shuttingDown: .shuttingDown
    }
  }
}
