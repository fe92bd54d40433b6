import JSONRPC
import TaskStore

/// Why a request is refused for want of room.
struct Overload {
  let error: RPCError
  /// After so long it may come again, in milliseconds; 0: nobody says.
  let retryAfterMilliseconds: Int

  init(_ message: String) {
    error = .overloaded.with(message: message)
    retryAfterMilliseconds = 0
  }

  /// The store has no room.
  init(_ bound: StoreLimits.Bound) { self.init(bound.message) }

  /// A principal takes as much as it may. When one of its tasks ends nobody knows: it may come again in a second.
  init(ofPrincipal message: String, retryAfterMilliseconds: Int = 1_000) {
    error = .overloaded.with(message: message)
    self.retryAfterMilliseconds = retryAfterMilliseconds
  }

  static let tooManyUnanswered = Overload("too many unanswered requests on this connection")
  /// For another loop's key.
  static let tooMuchOfOne = Overload("too much of this connection waits for the loop that has the key")
  static let tooMuchForFleet = Overload("too much waits for the fleet")
  static let tooManyPrincipals = Overload("too many principals")
  static let tooManyConnections = Overload(ofPrincipal: "too many connections of this principal")

  static let tooManyCallers = Overload(ofPrincipal: "too many callers of this principal")

  /// Whether others may still have room.
  var isOfPrincipal: Bool { retryAfterMilliseconds > 0 }
}

extension StoreLimits.Bound {
  fileprivate var message: String {
    switch self {
    case .lane: "too many requests of one key"
    case .queue: "the key's queue is full"
    case .tasks: "too many tasks"
    case .waiters: "too many callers"
    case .callers: "too many callers of one task"
    }
  }
}

/// The error's `data`.
extension Overload: JSONPart {
  package func write<Sink: ByteSink & ~Copyable>(into sink: inout Sink) {
    sink.append("{\"upstream\":\"notSent\"")
    if retryAfterMilliseconds > 0 {
      sink.append(",\"retryAfterMs\":")
      sink.append(decimal: UInt64(retryAfterMilliseconds))
    }
    sink.append("}")
  }
}
