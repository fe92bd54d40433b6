import TaskStore

/// One request of a history; its number names it, and the task if it is the first to ask for it.
struct Request: Hashable {
  var number: Int
  var key: Int? = 0
  var policy: DuplicatePolicy
  var asksTheSame = false
  var hasTheSameMethod = false
  /// Nil, or one that the policy does not allow: the policy's default.
  var join: JoinRule?
  var debounceMilliseconds: UInt32 = 0
  var maxWaitMilliseconds: UInt32 = 0
  var maxStaleMilliseconds: UInt32 = 0
  var maxRunning: UInt8 = 1
  var isCompensated = false
  var isNotification = false
  var endsOnCancel = false
  var timeoutMilliseconds: UInt32 = 60_000
  var drainMilliseconds: UInt32 = 5_000
  /// Of what kind its answer is; 0: it does not say.
  var kind: Int32 = 0
  /// Only of one that is of a kind.
  var follows = false

  var joinRule: JoinRule {
    if let join, policy.allows(join) { join } else { policy == .preferPrevious ? .identical : .never }
  }

  var mayJoin: Bool {
    !isNotification && (joinRule == .always && hasTheSameMethod || joinRule == .identical && asksTheSame)
  }

  /// On a route that undoes what nobody wants any more, nothing starts before that is done.
  var effectivePolicy: DuplicatePolicy { isCompensated && policy == .cancel ? .cancelAndWait : policy }

  /// So many of its lane may run at once.
  var runningBound: Int {
    (policy == .wait || policy == .keepLatest) && !isCompensated ? Int(maxRunning) : 1
  }

  var admission: Admission {
    var admission = Admission(key: key.map { TaskKey(slot: $0) }, policy: policy)
    admission.asksTheSame = asksTheSame
    admission.hasTheSameMethod = hasTheSameMethod
    admission.join = joinRule
    admission.debounceMilliseconds = debounceMilliseconds
    admission.maxWaitMilliseconds = maxWaitMilliseconds
    admission.maxStaleMilliseconds = maxStaleMilliseconds
    admission.maxRunning = maxRunning
    admission.isCompensated = isCompensated
    admission.isNotification = isNotification
    admission.endsOnCancel = endsOnCancel
    admission.timeoutMilliseconds = timeoutMilliseconds
    admission.drainMilliseconds = drainMilliseconds
    admission.kind = kind
    admission.follows = follows
    return admission
  }
}

/// What happens to a store; tasks and callers are called by their requests' numbers.
enum Event: Hashable {
  case submit(Request)
  case finished(Int, isError: Bool)
  case piece(Int)
  case failed(Int)
  case cancelled(Int)
  case cancelledTogether([Int])
  case cancelledLane(Int)
  case disconnected(Int)
  case leftBehind(Int, drainMilliseconds: UInt32)
  case timePasses(UInt64)
}
