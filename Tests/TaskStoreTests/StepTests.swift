import HotData
import TaskStore
import Testing

#if DEBUG
/// What an event costs does not depend on how much others have in the same lane.
@Suite struct StepTests {
  /// What lies in the lane before the events that are counted.
  enum Crowd: CaseIterable {
    /// Superseded long ago, and still at work upstream.
    case draining
    case orphaned
    /// Callers of the newest task.
    case joined
    /// Live notifications, each of which waits to be sent.
    case notifications
    /// Live tasks that hold up nobody.
    case concurrent
  }

  static let events = 200

  /// A store with a crowd in lane 0, all of whose places for orphans are free.
  private func store(beside crowd: Crowd, of count: Int) -> TaskStore {
    var limits = StoreLimits()
    limits.orphansPerLane = 1_000_000
    limits.queuePerLane = 100_000
    var store = TaskStore(limits: limits)
    var effects = TaskEffects()
    var admission = Admission(key: TaskKey(slot: 0), policy: .concurrent)
    admission.timeoutMilliseconds = 3_600_000
    admission.drainMilliseconds = crowd == .orphaned ? 0 : 3_600_000
    admission.isNotification = crowd == .notifications
    if crowd == .joined {
      (admission.policy, admission.join) = (.preferPrevious, .identical)
      admission.asksTheSame = true
    }
    for _ in 0..<count { _ = store.submit(admission, effects: &effects) }
    if crowd == .draining || crowd == .orphaned {
      store.cancelled(in: TaskKey(slot: 0), effects: &effects)
      while store.fireTimer(effects: &effects) {}
    }
    return store
  }

  /// The dearest of a script of events, each of which is about two tasks of its own at most.
  private func mostSteps(
    beside crowd: Crowd, of count: Int, _ event: (inout TaskStore, inout TaskEffects) -> Void
  ) -> Int {
    var store = store(beside: crowd, of: count)
    var effects = TaskEffects()
    var most = 0
    for _ in 0..<Self.events {
      effects.removeAll()
      let before = StepMeter.steps
      event(&store, &effects)
      most = max(most, StepMeter.steps - before)
    }
    return most
  }

  private func expectSame(
    _ crowds: [Crowd] = Crowd.allCases, _ event: (inout TaskStore, inout TaskEffects) -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for crowd in crowds {
      let few = mostSteps(beside: crowd, of: 10, event)
      let many = mostSteps(beside: crowd, of: 10_000, event)
      // A heap of timers is as deep as the logarithm of their number.
      #expect(many <= few + 60, "beside \(crowd)", sourceLocation: sourceLocation)
    }
  }

  private static func admission(_ policy: DuplicatePolicy) -> Admission {
    var admission = Admission(key: TaskKey(slot: 0), policy: policy)
    admission.drainMilliseconds = 3_600_000
    return admission
  }

  @Test func `a task that comes beside others, and its end`() {
    expectSame { store, effects in
      guard case .admitted(let task, _) = store.submit(Self.admission(.concurrent), effects: &effects) else {
        return
      }
      store.finished(task, effects: &effects)
    }
  }

  @Test func `a caller that takes its request back`() {
    expectSame { store, effects in
      guard case .admitted(_, let waiter?) = store.submit(Self.admission(.concurrent), effects: &effects)
      else { return }
      store.cancelled(waiter, effects: &effects)
    }
  }

  @Test func `a task that supersedes, where nothing lives but one`() {
    expectSame([.draining, .orphaned]) { store, effects in
      _ = store.submit(Self.admission(.cancel), effects: &effects)
    }
  }

  @Test func `a debounced burst of which each spares what runs`() {
    expectSame([.draining, .orphaned]) { store, effects in
      var admission = Self.admission(.cancel)
      admission.debounceMilliseconds = 100
      admission.maxStaleMilliseconds = 1
      _ = store.submit(admission, effects: &effects)
    }
  }

  @Test func `a caller that joins the newest, which only it gives up`() {
    expectSame([.draining, .orphaned, .joined, .notifications, .concurrent]) { store, effects in
      var admission = Self.admission(.preferPrevious)
      admission.asksTheSame = true
      guard case .joined(_, let waiter) = store.submit(admission, effects: &effects) else { return }
      store.cancelled(waiter, effects: &effects)
    }
  }

  @Test func `a key that is cancelled with one live task`() {
    expectSame([.draining, .orphaned]) { store, effects in
      _ = store.submit(Self.admission(.concurrent), effects: &effects)
      store.cancelled(in: TaskKey(slot: 0), effects: &effects)
    }
  }

  @Test func `an answer that supersedes what is older`() {
    expectSame([.draining, .orphaned]) { store, effects in
      _ = store.submit(Self.admission(.onAnswer), effects: &effects)
      guard case .admitted(let task, _) = store.submit(Self.admission(.onAnswer), effects: &effects) else {
        return
      }
      store.finished(task, effects: &effects)
    }
  }

  @Test func `a queue that moves on`() {
    expectSame([.orphaned, .joined, .concurrent]) { store, effects in
      guard case .admitted(let first, _) = store.submit(Self.admission(.concurrent), effects: &effects)
      else { return }
      _ = store.submit(Self.admission(.keepLatest), effects: &effects)
      _ = store.submit(Self.admission(.keepLatest), effects: &effects)
      store.finished(first, effects: &effects)
    }
  }

  @Test func `what drains no longer, though others of the lane do`() {
    expectSame([.draining, .orphaned]) { store, effects in
      guard case .admitted(let task, let waiter?) = store.submit(Self.admission(.wait), effects: &effects)
      else { return }
      guard store.state(of: task) == .running else { return store.cancelled(waiter, effects: &effects) }
      store.cancelled(waiter, effects: &effects)
      store.finished(task, effects: &effects)
    }
  }

  @Test func `a look at the newest`() {
    expectSame { store, _ in
      _ = store.newestTasks(in: TaskKey(slot: 0), limit: 5)
      _ = store.newestLive(in: TaskKey(slot: 0))
      _ = store.taskCount(in: TaskKey(slot: 0))
      _ = store.counts
    }
  }

  @Test func `the meter sees a walk`() {
    func steps(_ count: Int) -> Int {
      mostSteps(beside: .draining, of: count) { store, _ in
        _ = store.newestTasks(in: TaskKey(slot: 0), limit: .max)
      }
    }
    #expect(steps(1_000) - steps(10) >= 990)
  }
}
#endif
