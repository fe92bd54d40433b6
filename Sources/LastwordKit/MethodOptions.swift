import GatewayCore
import TaskStore

/// Options of a method's requests: defaults where a request's own `task` says nothing.
///
/// All but ``timeout``, ``priority`` and ``requiresKey`` affect requests with a key only. Every duration is from zero
/// to an hour, and is rounded up to whole milliseconds. Registering a method with options beyond these bounds, or that
/// do not go with its ``Policy``, is a programming error and stops the program.
public struct MethodOptions: Sendable {
  /// Whether a request without a key is refused (-32602). False by default.
  public var requiresKey = false

  /// Whether a request may share the answer of its key's newest live request. Nil, the default, stands for
  /// ``Joining/identical`` with ``Policy/preferPrevious``, and for ``Joining/never`` with other policies.
  public var joining: Joining?

  /// Whether a superseded request gets the answer to the newer request of the same method, instead of the error -32080.
  /// False by default. Does not go with ``Policy/wait`` and ``Policy/concurrent``.
  public var followsNewest = false

  /// How long a caller waits for its answer, from the arrival of its request; it is then answered -32083. Nil, the
  /// default, stands for ``GatewayOptions/timeout``.
  public var timeout: Duration?

  /// How long a request stays queued before its handler starts, in case a newer one supersedes it. Zero by default.
  public var debounce: Duration = .zero

  /// The longest time for which newer requests may put off the start of a handler by their ``debounce``. Must be longer
  /// than ``debounce``. Nil, the default: there is no such bound.
  public var maxWait: Duration?

  /// How long a handler that still runs, although nobody wants its answer, may hold up requests that wait for its end,
  /// with ``Policy/cancelAndWait`` for example. 5 seconds by default.
  public var holdUp: Duration = .seconds(5)

  /// For how long a key's requests may supersede each other without an answer; after that, newer requests leave the
  /// running one alone until it has been answered. Goes with ``Policy/cancel`` only. Nil, the default, and zero: there
  /// is no such bound.
  public var maxStale: Duration?

  /// How many of a key's requests may run at once, 1 to 64; handlers that still run although nobody wants their answer
  /// count. 1 by default. Has an effect with ``Policy/wait`` and ``Policy/keepLatest``.
  public var maxRunning = 1

  /// The priority of requests that wait for their turn (``GatewayOptions/runningRequests``), 0 to 9: the highest goes
  /// first; of equal ones connections take turns, each with its oldest. 5 by default.
  public var priority = Route.usualPriority

  /// Options with the default values.
  public init() {}

  func check(_ policy: Policy, for pattern: String) {
    if let joining {
      precondition(
        policy.storePolicy.allows(joining.rule), "\(pattern): \(joining) does not go with \(policy)")
    }
    precondition(
      !followsNewest || policy.storePolicy.allowsFollowing,
      "\(pattern): followsNewest does not go with \(policy)")
    precondition(maxWait.map { $0 > debounce } ?? true, "\(pattern): maxWait is longer than debounce")
    precondition(maxStale == nil || policy == .cancel, "\(pattern): maxStale goes with the policy cancel")
    precondition(
      (1...Int(Admission.largestMaxRunning)).contains(maxRunning), "\(pattern): maxRunning is 1 to 64")
    precondition(Route.priorities.contains(priority), "\(pattern): a priority is 0 to 9")
    for duration in [timeout, debounce, maxWait, holdUp, maxStale] { duration?.check(pattern) }
  }

  func apply(to route: inout Route) {
    route.requiresKey = requiresKey
    route.join = joining?.rule
    route.superseded = followsNewest ? .follow : .error
    route.timeoutMilliseconds = timeout?.milliseconds
    route.debounceMilliseconds = debounce > .zero ? debounce.milliseconds : nil
    route.maxWaitMilliseconds = maxWait?.milliseconds
    route.drainMilliseconds = holdUp.milliseconds
    route.maxStaleMilliseconds = maxStale?.milliseconds
    route.maxRunning = UInt8(maxRunning)
    route.priority = priority
  }
}
