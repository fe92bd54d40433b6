import GatewayCore
import TaskStore

/// What else the requests of a method get that do not say it themselves.
///
/// All but ``timeout`` and ``priority`` concern requests with a key only. Every duration is at most an hour, and
/// counts in milliseconds.
public struct MethodOptions: Sendable {
  /// Whether a request without a key is refused (-32602).
  public var requiresKey = false

  /// Whether a request may share the answer of its key's newest one instead of being work of its own; nil, the
  /// default, for what the policy has: ``Joining/identical`` with ``Policy/preferPrevious``, else ``Joining/never``.
  public var joining: Joining?

  /// Whether a superseded request gets the answer to the newer one of the same method instead of an error (-32080). Not
  /// with ``Policy/wait`` and ``Policy/concurrent``.
  public var followsNewest = false

  /// How long a caller waits, instead of ``GatewayOptions/timeout``.
  public var timeout: Duration?

  /// How long a request waits for a newer one to take its place before its handler starts.
  public var debounce: Duration = .zero

  /// For how long further requests may put that off at most: longer than ``debounce``; nil: for ever.
  public var maxWait: Duration?

  /// How long a handler that goes on although nobody wants its answer may hold up those that wait for it, with
  /// ``Policy/cancelAndWait`` for example. 5 seconds by default.
  public var holdUp: Duration = .seconds(5)

  /// After a key's requests have superseded each other for so long without an answer, the running one is left alone
  /// until it has been answered; goes with ``Policy/cancel``. Nil, the default: never.
  public var maxStale: Duration?

  /// So many of a key's requests may run at once, those included that go on although nobody wants their answer: 1 to
  /// 64, by default 1. Counts with ``Policy/wait`` and ``Policy/keepLatest``.
  public var maxRunning = 1

  /// 0 to 9: where requests wait for their turn, the higher goes first, and of equals the older. 5 by default.
  public var priority = Route.usualPriority

  /// Nothing but the usual.
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
