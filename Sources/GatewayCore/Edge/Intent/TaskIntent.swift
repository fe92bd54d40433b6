import JSONRPC
import TaskStore

/// What a request asks of the store: its key and its options, however the client wrote them.
struct TaskIntent {
  typealias Scope = ListenerOptions.Scope

  var key = Label.none
  var group = Label.none
  /// Without its quotes; empty: none.
  var traceparent = ByteRange.none
  /// Nil: as the listener has it.
  var scope: Scope?
  /// What the request says itself.
  var said: TaskMembers
  /// What it gets, but for the key's number: where it says nothing, as its route or the configuration has it.
  var admission: Admission

  init(admission: Admission, said: TaskMembers) {
    self.admission = admission
    self.said = said
  }

  /// A notification to an upstream of its client's own is in no lane: it is not held up, and supersedes nothing.
  mutating func passAtOnce() {
    key = .none
    admission.key = nil
    admission.policy = .cancel
    admission.join = .never
    admission.debounceMilliseconds = 0
    admission.maxWaitMilliseconds = 0
    admission.maxStaleMilliseconds = 0
    admission.follows = false
  }

  mutating func follows(_ follows: Bool) {
    admission.follows = follows
    if follows { said.insert(.followed) }
  }

  @inline(__always)
  mutating func take(_ policy: DuplicatePolicy) {
    // What most say goes without saying.
    if case .cancel = policy, case .cancel = admission.policy { return }
    admission.policy = policy
    if !said.contains(.join) { admission.join = policy.defaultJoin }
  }
}
