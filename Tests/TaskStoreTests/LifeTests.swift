import HotData
import TaskStore
import Testing

/// What happens to a task after it was admitted.
@Suite struct LifeTests {
  var store = Transcript()

  // MARK: Callers leave

  @Test mutating func `a queued task that was cancelled never starts`() {
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.wait) == [])
    #expect(store.cancelled(2) == [.cancelled(2), .drop(2)])
    #expect(store.finished(1) == [.deliver(1), .retire])
  }

  @Test mutating func `cancelling a waiting task leaves the one it waits for alone`() {
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.wait) == [])
    #expect(store.submit(.wait) == [])
    #expect(store.cancelled(2) == [.cancelled(2), .drop(2)])
    #expect(store.finished(1) == [.deliver(1), .start(3)])
  }

  @Test mutating func `a joiner that cancels leaves the shared work to the others`() {
    #expect(store.submit(.preferPrevious) == [.start(1)])
    #expect(store.submit(.preferPrevious, same: true) == [.joined(1)])
    #expect(store.cancelled(1) == [.cancelled(1)])
    #expect(store.finished(1) == [.deliver(2), .retire])
  }

  @Test mutating func `the last waiter to leave cancels the task`() {
    #expect(store.submit(.preferPrevious) == [.start(1)])
    #expect(store.submit(.preferPrevious, same: true) == [.joined(1)])
    #expect(store.disconnected(2) == [])
    #expect(store.cancelled(1) == [.cancelled(1), .cancel(1)])
    #expect(store.finished(1) == [.drop(1), .retire])
  }

  @Test mutating func `a caller that disconnects hears nothing, and upstream hears one cancel`() {
    #expect(store.submit(.cancel) == [.start(1)])
    #expect(store.disconnected(1) == [.cancel(1)])
    #expect(store.finished(1) == [.drop(1), .retire])
  }

  @Test mutating func `each waiter has its own deadline`() {
    #expect(store.submit(.preferPrevious) { $0.timeoutMilliseconds = 100 } == [.start(1)])
    #expect(store.submit(.preferPrevious, same: true) { $0.timeoutMilliseconds = 200 } == [.joined(1)])
    #expect(store.timePasses(99) == [])
    #expect(store.timePasses(1) == [.expired(1)])
    #expect(store.timePasses(99) == [])
    #expect(store.timePasses(1) == [.expired(2), .cancel(1)])
    #expect(store.finished(1) == [.drop(1), .retire])
  }

  @Test mutating func `callers whose deadlines fall together expire in the order in which they came`() {
    #expect(store.submit(.cancel) == [.start(1)])
    #expect(store.submit(.wait) == [])
    #expect(store.submit(.preferPrevious, same: true) == [.joined(2)])
    #expect(store.timePasses(60_000) == [.expired(1), .cancel(1), .expired(2), .expired(3), .drop(2)])
  }

  @Test mutating func `a queued task that expires never starts`() {
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.wait) { $0.timeoutMilliseconds = 10 } == [])
    #expect(store.timePasses(10) == [.expired(2), .drop(2)])
    #expect(store.finished(1) == [.deliver(1), .retire])
  }

  @Test mutating func `an answer in time disarms the deadline`() {
    #expect(store.submit(.cancel) { $0.timeoutMilliseconds = 10 } == [.start(1)])
    #expect(store.finished(1) == [.deliver(1), .retire])
    #expect(store.timePasses(100_000) == [])
  }

  // MARK: Upstream fails

  @Test mutating func `when a task fails those that wait for it start`() {
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.wait) == [])
    #expect(store.failed(1) == [.unavailable(1), .drop(1), .start(2)])
  }

  @Test mutating func `a draining task that fails is only dropped`() {
    #expect(store.submit(.cancel) == [.start(1)])
    #expect(store.submit(.cancel) == [.superseded(1, by: 2), .cancel(1), .start(2)])
    #expect(store.failed(1) == [.drop(1)])
    #expect(store.finished(2) == [.deliver(2), .retire])
  }

  // MARK: Draining

  @Test mutating func `a task that outlives its drain grace holds up nobody`() {
    #expect(store.submit(.cancelAndWait) == [.start(1)])
    #expect(store.submit(.cancelAndWait) == [.superseded(1, by: 2), .cancel(1)])
    #expect(store.timePasses(4_999) == [])
    #expect(store.timePasses(1) == [.start(2)])
    #expect(store.finished(1) == [.drop(1)])
    #expect(store.finished(2) == [.deliver(2), .retire])
  }

  @Test mutating func `an orphan is forgotten after a while`() {
    #expect(store.submit(.cancel) { $0.drainMilliseconds = 10 } == [.start(1)])
    #expect(store.cancelled(1) == [.cancelled(1), .cancel(1)])
    #expect(store.timePasses(10) == [])
    #expect(store.timePasses(59_999) == [])
    #expect(store.timePasses(1) == [.drop(1), .retire])
    #expect(store.isEmpty)
  }

  @Test mutating func `while too many tasks drain nothing of the lane starts, and the newest wins`() {
    for number in 2...5 {
      _ = store.submit(.cancel)
      #expect(store.taskCount == number - 1)
    }
    #expect(store.submit(.cancel) == [.superseded(4, by: 5), .cancel(4)])
    #expect(store.submit(.cancel) == [.superseded(5, by: 6), .drop(5)])
    #expect(store.submit(.concurrent) == [])
    #expect(store.finished(2) == [.drop(2), .start(6), .start(7)])
  }

  @Test mutating func `orphans count towards the bound until they end`() {
    for _ in 1...5 { _ = store.submit(.cancel) }
    #expect(store.timePasses(5_000) == [])
    #expect(store.submit(.cancel, key: 1) == [.start(6)])
    #expect(store.finished(1) == [.drop(1), .start(5)])
  }

  @Test mutating func `a dialect without an answer to cancelled requests ends the task with its cancel`() {
    #expect(store.submit(.cancelAndWait) { $0.endsOnCancel = true } == [.start(1)])
    #expect(
      store.submit(.cancelAndWait) { $0.endsOnCancel = true }
        == [.superseded(1, by: 2), .cancel(1), .drop(1), .start(2)])
    #expect(store.finished(2) == [.deliver(2), .retire])
  }

  // MARK: Notifications

  @Test mutating func `a notification supersedes and has no caller`() {
    #expect(store.submit(.cancel) == [.start(1)])
    #expect(
      store.submit(.cancel) { $0.isNotification = true } == [.superseded(1, by: 2), .cancel(1), .start(2)])
    #expect(store.finished(2) == [])
    #expect(store.finished(1) == [.drop(1), .retire])
  }

  @Test mutating func `a notification cannot be joined`() {
    #expect(store.submit(.cancel) { $0.isNotification = true } == [.start(1)])
    #expect(store.submit(.preferPrevious, same: true) == [])
    #expect(store.finished(1) == [.start(2)])
  }

  // MARK: Bounds

  @Test mutating func `a full queue refuses, and supersedes nothing`() {
    var limits = StoreLimits()
    limits.queuePerLane = 2
    store = Transcript(limits: limits)
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.wait) == [])
    #expect(store.submit(.wait) == [])
    #expect(store.submit(.wait) == [.overloaded(.queue)])
    #expect(store.submit(.keepLatest) == [.overloaded(.queue)])
    #expect(store.submit(.concurrent) == [.start(6)])
    #expect(store.finished(1) == [.deliver(1), .start(2)])
    #expect(store.submit(.keepLatest) == [])
    #expect(store.submit(.keepLatest) == [.superseded(7, by: 8), .drop(7)])
  }

  @Test mutating func `a bound of one still lets the newest replace the queued one`() {
    var limits = StoreLimits()
    limits.queuePerLane = 1
    store = Transcript(limits: limits)
    #expect(store.submit(.cancelAndWait) == [.start(1)])
    #expect(store.submit(.cancelAndWait) == [.superseded(1, by: 2), .cancel(1)])
    #expect(store.submit(.cancelAndWait) == [.superseded(2, by: 3), .drop(2)])
    #expect(store.submit(.wait) == [.overloaded(.queue)])
  }

  @Test mutating func `the bound on tasks is checked as things stand after supersession`() {
    var limits = StoreLimits()
    limits.tasks = 2
    store = Transcript(limits: limits)
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.wait) == [])
    #expect(store.submit(.wait, key: 1) == [.overloaded(.tasks), .retire])
    #expect(store.submit(.concurrent, key: nil) == [.overloaded(.tasks)])
    #expect(
      store.submit(.cancel) == [
        .superseded(1, by: 5), .superseded(2, by: 5), .cancel(1), .drop(2), .start(5),
      ])
    #expect(store.submit(.cancel) == [.overloaded(.tasks)])
    #expect(store.finished(5) == [.deliver(5)])
  }

  @Test mutating func `callers are bounded, those that join too`() {
    var limits = StoreLimits()
    limits.waiters = 2
    store = Transcript(limits: limits)
    #expect(store.submit(.preferPrevious) == [.start(1)])
    #expect(store.submit(.preferPrevious, same: true) == [.joined(1)])
    #expect(store.submit(.preferPrevious, same: true) == [.overloaded(.waiters)])
    #expect(store.submit(.concurrent, key: nil) == [.overloaded(.waiters)])
    #expect(store.submit(.wait) == [.overloaded(.waiters)])
    #expect(
      store.submit(.cancel) == [.superseded(1, by: 6), .superseded(2, by: 6), .cancel(1), .start(6)])
    #expect(store.submit(.cancel) == [.superseded(6, by: 7), .cancel(6), .start(7)])
  }

  @Test mutating func `who joins in a full lane is admitted if what it supersedes makes room`() {
    var limits = StoreLimits()
    limits.tasksPerLane = 2
    store = Transcript(limits: limits)
    #expect(store.submit(.concurrent) == [.start(1)])
    #expect(store.submit(.concurrent) == [.start(2)])
    #expect(store.submit(.preferPrevious, same: true) == [.overloaded(.lane)])
    #expect(
      store.submit(.cancel, same: true) { $0.join = .identical } == [
        .joined(2), .superseded(1, by: 2), .cancel(1),
      ])
    // Now both places are taken by callers of the one that it would join.
    #expect(store.submit(.cancel, same: true) { $0.join = .identical } == [.overloaded(.lane)])
    #expect(
      store.submit(.cancel) == [
        .superseded(2, by: 6), .superseded(4, by: 6), .cancel(2), .start(6),
      ])
  }

  @Test mutating func `who joins with keepLatest makes room by the queued one, if that is older`() {
    var limits = StoreLimits()
    limits.tasksPerLane = 3
    store = Transcript(limits: limits)
    let joins: (inout Admission) -> Void = { $0.join = .identical }
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.keepLatest) == [])
    #expect(store.submit(.concurrent) == [.start(3)])
    #expect(
      store.submit(.keepLatest, same: true, joins) == [
        .joined(3), .superseded(2, by: 3), .drop(2),
      ])
    #expect(store.submit(.keepLatest, same: true, joins) == [.overloaded(.lane)])
  }

  @Test mutating func `who joins makes no room by what it spares, nor by what is newer`() {
    var limits = StoreLimits()
    limits.tasksPerLane = 3
    store = Transcript(limits: limits)
    let spares: (inout Admission) -> Void = { ($0.join, $0.maxStaleMilliseconds) = (.identical, 100) }
    #expect(store.submit(.cancel) == [.start(1)])
    #expect(store.submit(.cancel) == [.superseded(1, by: 2), .cancel(1), .start(2)])
    #expect(store.timePasses(100) == [])
    #expect(store.submit(.wait) == [])
    #expect(store.submit(.concurrent) { $0.isNotification = true } == [.start(4)])
    #expect(store.submit(.cancel, same: true, spares) == [.overloaded(.lane)])
  }

  @Test mutating func `a notification has no caller and so meets no bound on callers`() {
    var limits = StoreLimits()
    limits.waiters = 1
    store = Transcript(limits: limits)
    #expect(store.submit(.concurrent) == [.start(1)])
    #expect(store.submit(.concurrent) == [.overloaded(.waiters)])
    #expect(store.submit(.concurrent) { $0.isNotification = true } == [.start(3)])
    #expect(store.submit(.concurrent, key: nil) { $0.isNotification = true } == [.start(4)])
  }

  // MARK: Identity

  @Test mutating func `generations come from one counter for all keys`() {
    _ = store.submit(.cancel, key: 0)
    _ = store.submit(.cancel, key: 1)
    _ = store.finished(1)
    _ = store.submit(.cancel, key: 0)
    #expect([store.generation(of: 2), store.generation(of: 3)] == [2, 3])
  }

  @Test mutating func `no effect of an event names a slot that the new request was given`() {
    for _ in 0..<2_000 { _ = store.submit(.concurrent) }
    let lines = store.submit(.cancel)
    #expect(lines.count == 4_000)
    #expect(lines.first == .superseded(1, by: 2_001))
    #expect(!lines.contains(.superseded(2_001, by: 2_001)))
  }

  @Test(.timeLimit(.minutes(5)), arguments: [DuplicatePolicy.concurrent, .onAnswer, .preferPrevious])
  func `what one request costs does not grow with how many tasks or callers its key has`(
    policy: DuplicatePolicy
  ) {
    var limits = StoreLimits()
    (limits.callersPerTask, limits.tasksPerLane) = (100_000, 100_000)
    var store = TaskStore(limits: limits)
    var effects = TaskEffects()
    var request = Admission(key: TaskKey(slot: 0), policy: policy)
    request.asksTheSame = true
    for _ in 0..<100_000 {
      _ = store.submit(request, effects: &effects)
      effects.removeAll()
    }
    #expect(store.waiterCount == 100_000)
  }

  @Test(.timeLimit(.minutes(5)), arguments: [DuplicatePolicy.cancel, .cancelAndWait, .keepLatest])
  func `what supersession costs does not grow with what drains or runs beside it`(policy: DuplicatePolicy) {
    var limits = StoreLimits()
    limits.tasksPerLane = 100_000
    var store = TaskStore(limits: limits)
    var effects = TaskEffects()
    let key = TaskKey(slot: 0)
    for number in 0..<80_000 {
      _ = store.submit(Admission(key: key, policy: number < 40_000 ? .concurrent : policy), effects: &effects)
      effects.removeAll()
    }
    #expect(store.taskCount == 40_001)
  }

  @Test(.timeLimit(.minutes(5)))
  func `what an answer costs does not grow with how many newer tasks its key has`() {
    var limits = StoreLimits()
    limits.tasksPerLane = 100_000
    var store = TaskStore(limits: limits)
    var effects = TaskEffects()
    var tasks: [TaskID] = []
    for _ in 0..<80_000 {
      guard
        case .admitted(let task, _) = store.submit(
          Admission(key: TaskKey(slot: 0), policy: .onAnswer), effects: &effects)
      else { continue }
      tasks.append(task)
    }
    for task in tasks {
      effects.removeAll()
      store.finished(task, effects: &effects)
    }
    #expect(tasks.count == 80_000 && store.isEmpty)
  }
}
