import JSONRPC
import TaskStore

/// The `data` of an error of ours: which task it was, how far it got, and whether upstream may have done the work.
struct ErrorData: JSONPart {
  private let refusal: Refusal
  /// Empty without a key: no key is empty.
  private let key: [UInt8]
  private let effect: UpstreamEffect
  /// So many pieces of the answer the caller got.
  private let pieces: UInt32

  init(_ refusal: Refusal, key: [UInt8], _ effect: UpstreamEffect, pieces: UInt32) {
    self.refusal = refusal
    self.key = key
    self.effect = effect
    self.pieces = pieces
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
    sink.append(",\"phase\":")
    sink.append(effect == .notSent ? "\"queued\"" : "\"running\"")
    sink.append(",\"upstream\":\"")
    sink.append(effect.name)
    sink.append("\"")
    if pieces > 0 {
      sink.append(",\"pieces\":")
      sink.append(decimal: UInt64(pieces))
    }
    sink.append("}")
  }
}

/// The same of a request that another loop has, and of whose answer some has come.
struct RemoteErrorData: JSONPart {
  let pieces: UInt32

  package func write<Sink: ByteSink & ~Copyable>(into sink: inout Sink) {
    sink.append(#"{"phase":"running","upstream":"mayHaveCompleted","pieces":"#)
    sink.append(decimal: UInt64(pieces))
    sink.append("}")
  }
}

extension UpstreamEffect {
  /// Whether the caller may have to clean up.
  /// - Parameters:
  ///   - isTold: upstream hears that a task is not wanted any more.
  ///   - goesOn: others still wait for it, for whom it is sent if it has not been.
  init(_ reason: Refusal.Reason, isSent: Bool, isTold: Bool, goesOn: Bool) {
    guard isSent || goesOn else {
      self = .notSent
      return
    }
    switch reason {
    case .superseded, .contentModified, .cancelled, .deadlineExceeded, .unread:
      self = !isTold || goesOn ? .mayHaveCompleted : .cancelSent
    case .upstreamUnavailable, .badAnswer, .shuttingDown:
      self = .mayHaveCompleted
    }
  }
}

extension Refusal.Reason {
  var error: RPCError {
    switch self {
    case .superseded: .superseded
    case .contentModified: .contentModified
    case .cancelled: .cancelled
    case .deadlineExceeded: .deadlineExceeded
    case .upstreamUnavailable: .upstreamUnavailable
    case .badAnswer: .badAnswer
    case .shuttingDown: .shuttingDown
    case .unread: .overloaded.with(message: "the pieces of the answer are not read")
    }
  }
}
