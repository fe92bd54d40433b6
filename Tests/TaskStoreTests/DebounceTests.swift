import TaskStore
import Testing

/// Tasks that wait a little for a newer one to take their place.
@Suite struct DebounceTests {
  var store = Transcript()

  private mutating func type(
    _ policy: DuplicatePolicy = .cancel, debounce: UInt32 = 100, maxWait: UInt32 = 0
  ) -> [Transcript.Line] {
    store.submit(policy) {
      $0.debounceMilliseconds = debounce
      $0.maxWaitMilliseconds = maxWait
    }
  }

  @Test mutating func `a debounced task starts when nothing newer came`() {
    #expect(type() == [])
    #expect(store.timePasses(99) == [])
    #expect(store.timePasses(1) == [.start(1)])
    #expect(store.finished(1) == [.deliver(1), .retire])
  }

  @Test mutating func `a newer one takes its place, and upstream never hears of the first`() {
    #expect(type() == [])
    #expect(store.timePasses(60) == [])
    #expect(type() == [.superseded(1, by: 2), .drop(1)])
    #expect(store.timePasses(60) == [])
    #expect(store.timePasses(40) == [.start(2)])
  }

  @Test mutating func `a burst cannot put off its start for ever`() {
    #expect(type(maxWait: 250) == [])
    #expect(store.timePasses(90) == [])
    #expect(type(maxWait: 250) == [.superseded(1, by: 2), .drop(1)])
    #expect(store.timePasses(90) == [])
    #expect(type(maxWait: 250) == [.superseded(2, by: 3), .drop(2)])
    #expect(store.timePasses(69) == [])
    #expect(store.timePasses(1) == [.start(3)])
  }

  @Test mutating func `a burst that is overdue starts at once`() {
    #expect(type(maxWait: 250) == [])
    #expect(store.timePasses(90) == [])
    #expect(type(maxWait: 120) == [.superseded(1, by: 2), .drop(1)])
    #expect(store.timePasses(29) == [])
    #expect(type(debounce: 10, maxWait: 110) == [.superseded(2, by: 3), .drop(2), .start(3)])
  }

  @Test mutating func `a burst that has lasted long enough while it was held up is not begun anew`() {
    #expect(store.submit(.concurrent) == [.start(1)])
    #expect(type(.cancelAndWait, maxWait: 250) == [.superseded(1, by: 2), .cancel(1)])
    #expect(store.timePasses(300) == [])
    #expect(type(.cancelAndWait, maxWait: 250) == [.superseded(2, by: 3), .drop(2)])
    #expect(store.finished(1) == [.drop(1), .start(3)])
  }

  @Test mutating func `nor by several that come while it is held up`() {
    #expect(store.submit(.wait) == [.start(1)])
    #expect(type(.keepLatest, maxWait: 250) == [])
    #expect(store.timePasses(300) == [])
    #expect(type(.keepLatest, maxWait: 250) == [.superseded(2, by: 3), .drop(2)])
    #expect(type(.keepLatest, maxWait: 250) == [.superseded(3, by: 4), .drop(3)])
    #expect(store.finished(1) == [.deliver(1), .start(4)])
  }

  @Test mutating func `one that was held up past its own debounce goes on with the burst`() {
    #expect(store.submit(.concurrent) == [.start(1)])
    #expect(type(.cancelAndWait, maxWait: 250) == [.superseded(1, by: 2), .cancel(1)])
    #expect(store.timePasses(200) == [])
    #expect(type(.cancelAndWait, maxWait: 250) == [.superseded(2, by: 3), .drop(2)])
    #expect(store.finished(1) == [.drop(1)])
    #expect(store.timePasses(49) == [])
    #expect(store.timePasses(1) == [.start(3)])
  }

  @Test mutating func `a task that has started ends its burst`() {
    #expect(type(maxWait: 250) == [])
    #expect(store.timePasses(100) == [.start(1)])
    #expect(store.timePasses(140) == [])
    #expect(type(maxWait: 250) == [.superseded(1, by: 2), .cancel(1)])
    #expect(store.timePasses(99) == [])
    #expect(store.timePasses(1) == [.start(2)])
  }

  @Test mutating func `a running task is superseded at admission, not when the debounce ends`() {
    #expect(store.submit(.cancel) == [.start(1)])
    #expect(type() == [.superseded(1, by: 2), .cancel(1)])
    #expect(store.finished(1) == [.drop(1)])
    #expect(store.timePasses(100) == [.start(2)])
  }

  @Test mutating func `it blocks those that wait behind it`() {
    #expect(type(.wait) == [])
    #expect(store.submit(.wait) == [])
    #expect(store.submit(.concurrent) == [.start(3)])
    #expect(store.timePasses(100) == [.start(1)])
    #expect(store.finished(1) == [.deliver(1), .start(2)])
  }

  @Test mutating func `when its time comes it still waits as its policy says`() {
    #expect(store.submit(.wait) == [.start(1)])
    #expect(type(.wait) == [])
    #expect(store.timePasses(100) == [])
    #expect(store.finished(1) == [.deliver(1), .start(2)])
  }

  @Test mutating func `joining does not extend it`() {
    #expect(type(.preferPrevious) == [])
    #expect(store.timePasses(90) == [])
    #expect(store.submit(.preferPrevious, same: true) == [.joined(1)])
    #expect(store.timePasses(10) == [.start(1)])
    #expect(store.finished(1) == [.deliver(1), .deliver(2), .retire])
  }

  @Test mutating func `keepLatest inherits the burst of the queued one it replaces`() {
    #expect(type(.keepLatest, maxWait: 150) == [])
    #expect(store.timePasses(90) == [])
    #expect(type(.keepLatest, maxWait: 150) == [.superseded(1, by: 2), .drop(1)])
    #expect(store.timePasses(60) == [.start(2)])
  }

  @Test mutating func `what a debounced keepLatest held up starts when that is replaced`() {
    #expect(type(.keepLatest) == [])
    #expect(store.submit(.wait) == [])
    #expect(store.submit(.keepLatest) == [.superseded(1, by: 3), .drop(1), .start(2)])
    #expect(store.finished(2) == [.deliver(2), .start(3)])
  }

  @Test mutating func `cancelled or expired meanwhile, it never starts`() {
    #expect(type() == [])
    #expect(store.cancelled(1) == [.cancelled(1), .drop(1), .retire])
    #expect(
      store.submit(.cancel) {
        $0.debounceMilliseconds = 100; $0.timeoutMilliseconds = 50
      } == [])
    #expect(store.timePasses(50) == [.expired(2), .drop(2), .retire])
    #expect(store.timePasses(1_000) == [])
    #expect(store.isEmpty)
  }

  @Test mutating func `a deadline that is due together with the debounce comes first`() {
    #expect(
      store.submit(.cancel) {
        $0.debounceMilliseconds = 50; $0.timeoutMilliseconds = 50
      } == [])
    #expect(store.timePasses(50) == [.expired(1), .drop(1), .retire])
  }

  @Test mutating func `one that is refused leaves nothing behind in its lane`() {
    var limits = StoreLimits()
    limits.tasks = 1
    store = Transcript(limits: limits)
    #expect(store.submit(.cancel, key: 1) == [.start(1)])
    #expect(type() == [.overloaded(.tasks), .retire])
    #expect(store.finished(1) == [.deliver(1), .retire])
    #expect(store.submit(.cancel) == [.start(3)])
    #expect(store.cancelled(3) == [.cancelled(3), .cancel(3)])
    #expect(store.finished(3) == [.drop(3), .retire])
  }

  @Test mutating func `a debounced task counts as queued`() {
    var limits = StoreLimits()
    limits.queuePerLane = 1
    store = Transcript(limits: limits)
    #expect(type(.concurrent) == [])
    #expect(type(.concurrent) == [.overloaded(.queue)])
    #expect(type(.cancel) == [.superseded(1, by: 3), .drop(1)])
  }
}
