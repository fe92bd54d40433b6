import TaskStore

/// One effect, in numbers of requests.
enum Line: Hashable {
  case superseded(Int, by: Int)
  /// A caller waits for the newer task from now on.
  case follows(Int, Int)
  case cancelled(Int, taskGoesOn: Bool)
  case expired(Int, taskGoesOn: Bool)
  case unavailable(Int)
  case cancel(Int)
  case drop(Int)
  case compensate(Int)
  case deliver(Int)
  case start(Int)
  case retire(Int)
  // What becomes of a request at the door.
  case busy
  case overloaded(StoreLimits.Bound)
  case joined(Int)
  /// An effect that names a task, a caller or a generation that it cannot mean.
  case absurd(String)

  /// The effects of one event come in this order.
  var rank: Int {
    switch self {
    case .busy, .overloaded, .joined, .absurd: 0
    case .superseded, .follows, .cancelled, .expired, .unavailable: 1
    case .cancel, .drop, .compensate: 2
    case .deliver: 3
    case .start: 4
    case .retire: 5
    }
  }

  /// The caller that gets a reply.
  var answered: Int? {
    switch self {
    case .superseded(let caller, _), .cancelled(let caller, _), .expired(let caller, _),
      .unavailable(let caller), .deliver(let caller):
      caller
    default: nil
    }
  }
}
