import TaskStore
import Testing

/// What succeeds although nobody wants it any more is undone, before anything newer starts.
@Suite struct CompensationTests {
  var store = Transcript()

  private mutating func submit(_ policy: DuplicatePolicy = .cancel, key: Int? = 0) -> [Transcript.Line] {
    store.submit(policy, key: key) { $0.isCompensated = true }
  }

  @Test mutating func `a superseded task that succeeds is undone before the newer one starts`() {
    #expect(submit() == [.start(1)])
    #expect(submit() == [.superseded(1, by: 2), .cancel(1)])
    #expect(store.finished(1) == [.compensate(1)])
    #expect(store.finished(1) == [.drop(1), .start(2)])
    #expect(store.finished(2) == [.deliver(2), .retire])
  }

  @Test mutating func `a superseded task that fails has nothing to undo`() {
    #expect(submit() == [.start(1)])
    #expect(submit() == [.superseded(1, by: 2), .cancel(1)])
    #expect(store.finished(1, isError: true) == [.drop(1), .start(2)])
  }

  @Test mutating func `a cancelled task that succeeds is undone`() {
    #expect(submit() == [.start(1)])
    #expect(store.cancelled(1) == [.cancelled(1), .cancel(1)])
    #expect(store.finished(1) == [.compensate(1)])
    #expect(store.finished(1, isError: true) == [.drop(1), .retire])
  }

  @Test mutating func `an expired task in no lane that succeeds is undone`() {
    #expect(submit(key: nil) == [.start(1)])
    #expect(store.timePasses(60_000) == [.expired(1), .cancel(1)])
    #expect(store.finished(1) == [.compensate(1)])
    #expect(store.finished(1) == [.drop(1)])
    #expect(store.isEmpty)
  }

  @Test mutating func `a delivered task is not undone`() {
    #expect(submit() == [.start(1)])
    #expect(store.finished(1) == [.deliver(1), .retire])
  }

  @Test mutating func `the undoing has an id of its own, which a second answer to the task does not match`() {
    #expect(submit() == [.start(1)])
    let task = store.task(1)
    #expect(store.cancelled(1) == [.cancelled(1), .cancel(1)])
    #expect(store.finished(1) == [.compensate(1)])
    #expect(!store.knows(task))
    #expect(store.knows(store.task(1)))
    #expect(store.task(1).slot == task.slot)
  }

  @Test mutating func `the drain grace does not let the newer one go ahead`() {
    #expect(submit() == [.start(1)])
    #expect(submit() == [.superseded(1, by: 2), .cancel(1)])
    #expect(store.timePasses(10_000) == [])
    #expect(store.finished(1) == [.compensate(1)])
    #expect(store.timePasses(10_000) == [])
    #expect(store.finished(1) == [.drop(1), .start(2)])
  }

  @Test mutating func `an undoing that is not answered in time is given up`() {
    var limits = StoreLimits()
    limits.compensationMilliseconds = 300
    store = Transcript(limits: limits)
    #expect(submit() == [.start(1)])
    #expect(submit() == [.superseded(1, by: 2), .cancel(1)])
    #expect(store.finished(1) == [.compensate(1)])
    #expect(store.timePasses(299) == [])
    #expect(store.timePasses(1) == [.drop(1), .start(2)])
  }

  @Test mutating func `a task that upstream never ends is given up after its grace and an orphan's life`() {
    var limits = StoreLimits()
    limits.orphanMilliseconds = 1_000
    store = Transcript(limits: limits)
    #expect(submit() == [.start(1)])
    #expect(submit() == [.superseded(1, by: 2), .cancel(1)])
    #expect(store.timePasses(5_999) == [])
    #expect(store.timePasses(1) == [.drop(1), .start(2)])
  }

  @Test mutating func `a lost connection ends the undoing`() {
    #expect(submit() == [.start(1)])
    #expect(submit() == [.superseded(1, by: 2), .cancel(1)])
    #expect(store.finished(1) == [.compensate(1)])
    #expect(store.failed(1) == [.drop(1), .start(2)])
  }

  @Test mutating func `nothing is settled while something has to be undone`() {
    #expect(submit() == [.start(1)])
    #expect(store.cancelled(1) == [.cancelled(1), .cancel(1)])
    #expect(!store.isSettled)
    #expect(store.finished(1) == [.compensate(1)])
    #expect(!store.isSettled)
    #expect(store.finished(1) == [.drop(1), .retire])
    #expect(store.isSettled)
  }

  @Test mutating func `where a cancelled task is never answered nothing is known to undo`() {
    #expect(
      store.submit(.cancel) {
        $0.isCompensated = true
        $0.endsOnCancel = true
      } == [.start(1)])
    #expect(submit() == [.superseded(1, by: 2), .cancel(1), .drop(1), .start(2)])
  }
}
