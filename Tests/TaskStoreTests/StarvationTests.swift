import TaskStore
import Testing

/// `maxStaleMs`: a lane that only ever supersedes delivers in the end.
@Suite struct StarvationTests {
  var store = Transcript()

  private mutating func submit() -> [Transcript.Line] {
    store.submit(.cancel) { $0.maxStaleMilliseconds = 100 }
  }

  /// Two requests, the first superseded at time 0 and drained, the second running.
  private mutating func becomeStale() {
    _ = submit()
    _ = submit()
    _ = store.finished(1)
    _ = store.timePasses(100)
  }

  @Test mutating func `a lane that has superseded for long enough spares its newest running task`() {
    becomeStale()
    #expect(submit() == [])
    #expect(submit() == [.superseded(3, by: 4), .drop(3)])
    #expect(store.finished(2) == [.deliver(2), .start(4)])
  }

  @Test mutating func `a lane that has not been stale for long enough spares nothing`() {
    #expect(submit() == [.start(1)])
    #expect(submit() == [.superseded(1, by: 2), .cancel(1), .start(2)])
    #expect(store.timePasses(99) == [])
    #expect(submit() == [.superseded(2, by: 3), .cancel(2), .start(3)])
  }

  @Test mutating func `an answer that was delivered begins a new count`() {
    becomeStale()
    #expect(submit() == [])
    #expect(store.finished(2) == [.deliver(2), .start(3)])
    #expect(submit() == [.superseded(3, by: 4), .cancel(3), .start(4)])
  }

  @Test mutating func `an error that was delivered begins a new count too`() {
    becomeStale()
    #expect(submit() == [])
    #expect(store.finished(2, isError: true) == [.deliver(2), .start(3)])
    #expect(submit() == [.superseded(3, by: 4), .cancel(3), .start(4)])
  }

  @Test mutating func `without the option nothing is spared, however stale the lane is`() {
    becomeStale()
    #expect(store.submit(.cancel) == [.superseded(2, by: 3), .cancel(2), .start(3)])
  }

  @Test mutating func `what waits for the spared task does not wait for what drains`() {
    #expect(submit() == [.start(1)])
    #expect(submit() == [.superseded(1, by: 2), .cancel(1), .start(2)])
    #expect(store.timePasses(100) == [])
    #expect(submit() == [])
    #expect(store.finished(2) == [.deliver(2), .start(3)])
    #expect(store.finished(1) == [.drop(1)])
  }

  @Test mutating func `a spared task whose caller leaves makes room at once`() {
    becomeStale()
    #expect(submit() == [])
    #expect(store.cancelled(2) == [.cancelled(2), .cancel(2), .start(3)])
  }

  @Test mutating func `only the newest running task is spared`() {
    #expect(submit() == [.start(1)])
    #expect(submit() == [.superseded(1, by: 2), .cancel(1), .start(2)])
    #expect(store.submit(.concurrent) == [.start(3)])
    #expect(store.timePasses(100) == [])
    #expect(submit() == [.superseded(2, by: 4), .cancel(2)])
    #expect(store.finished(3) == [.deliver(3), .start(4)])
  }

  @Test mutating func `where nothing runs nothing is spared`() {
    #expect(store.submit(.cancel) { $0.debounceMilliseconds = 200 } == [])
    #expect(store.submit(.cancel) { $0.debounceMilliseconds = 200 } == [.superseded(1, by: 2), .drop(1)])
    #expect(store.timePasses(100) == [])
    #expect(submit() == [.superseded(2, by: 3), .drop(2), .start(3)])
  }

  @Test mutating func `a notification is not spared: nobody waits for its answer`() {
    becomeStale()
    #expect(store.submit(.concurrent) { $0.isNotification = true } == [.start(3)])
    #expect(submit() == [.cancel(3)])
    #expect(store.finished(3) == [.drop(3)])
    #expect(store.finished(2) == [.deliver(2), .start(4)])
  }

  @Test mutating func `whoever joins a newer task leaves the spared one alone`() {
    becomeStale()
    #expect(submit() == [])
    #expect(
      store.submit(.cancel, same: true) {
        $0.maxStaleMilliseconds = 100
        $0.join = .identical
      } == [.joined(3)])
    #expect(store.finished(2) == [.deliver(2), .start(3)])
    #expect(store.finished(3) == [.deliver(3), .deliver(4), .retire])
  }
}
