import TaskStore

/// One request of a history; its number names it, and the task if it is the first to ask for it.
struct Request: Hashable {
  var number: Int
  var key: Int? = 0
  var policy: DuplicatePolicy
  var asksTheSame = false
  var isNotification = false
  var endsOnCancel = false
  var timeoutMilliseconds: UInt32 = 60_000
  var drainMilliseconds: UInt32 = 5_000

  var admission: Admission {
    var admission = Admission(key: key.map { TaskKey(slot: $0) }, policy: policy)
    admission.asksTheSame = asksTheSame
    admission.isNotification = isNotification
    admission.endsOnCancel = endsOnCancel
    admission.timeoutMilliseconds = timeoutMilliseconds
    admission.drainMilliseconds = drainMilliseconds
    return admission
  }
}

/// What happens to a store; tasks and callers are called by their requests' numbers.
enum Event: Hashable {
  case submit(Request)
  case finished(Int, isError: Bool)
  case failed(Int)
  case cancelled(Int)
  case disconnected(Int)
  case timePasses(UInt64)
}
