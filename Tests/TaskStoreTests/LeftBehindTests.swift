import TaskStore
import Testing

/// What a connection that is gone had asked for holds up others by the operator's time.
@Suite struct LeftBehindTests {
  var store = Transcript()

  private mutating func leaveOneDraining(
    after milliseconds: UInt64, _ adjust: (inout Admission) -> Void = { _ in }
  ) {
    _ = store.submit(.wait) {
      $0.drainMilliseconds = 3_600_000
      adjust(&$0)
    }
    _ = store.cancelled(1)
    _ = store.submit(.wait)
    #expect(store.timePasses(milliseconds) == [])
  }

  @Test mutating func `what drains already has the rest of the operator's time`() {
    leaveOneDraining(after: 40)
    #expect(store.leftBehind(1, drainMilliseconds: 100) == [])
    #expect(store.timePasses(59) == [])
    #expect(store.timePasses(1) == [.start(2)])
    #expect(store.finished(2) == [.deliver(2)])
    #expect(store.timePasses(59_999) == [])
    #expect(store.timePasses(1) == [.drop(1), .retire])
  }

  @Test mutating func `what has drained for longer than that holds up nobody any more`() {
    leaveOneDraining(after: 100)
    #expect(store.leftBehind(1, drainMilliseconds: 100) == [.start(2)])
    #expect(store.finished(1) == [.drop(1)])
  }

  @Test mutating func `what drains later does so by the operator's time`() {
    #expect(store.submit(.wait) { $0.drainMilliseconds = 3_600_000 } == [.start(1)])
    #expect(store.submit(.wait) == [])
    #expect(store.leftBehind(1, drainMilliseconds: 100) == [])
    #expect(store.timePasses(500) == [])
    #expect(store.cancelled(1) == [.cancelled(1), .cancel(1)])
    #expect(store.timePasses(99) == [])
    #expect(store.timePasses(1) == [.start(2)])
  }

  @Test mutating func `a shorter time of its own stays`() {
    #expect(store.submit(.wait) { $0.drainMilliseconds = 50 } == [.start(1)])
    #expect(store.submit(.wait) == [])
    #expect(store.cancelled(1) == [.cancelled(1), .cancel(1)])
    #expect(store.leftBehind(1, drainMilliseconds: 100) == [])
    #expect(store.timePasses(50) == [.start(2)])
  }

  @Test mutating func `an orphan is remembered as long as before`() {
    _ = store.submit(.wait) { $0.drainMilliseconds = 200 }
    _ = store.cancelled(1)
    #expect(store.timePasses(200) == [])
    #expect(store.leftBehind(1, drainMilliseconds: 100) == [])
    #expect(store.timePasses(59_999) == [])
    #expect(store.timePasses(1) == [.drop(1), .retire])
  }

  @Test mutating func `what may have to be undone is given up that much earlier`() {
    leaveOneDraining(after: 0) { $0.isCompensated = true }
    #expect(store.leftBehind(1, drainMilliseconds: 100) == [])
    #expect(store.timePasses(59_999) == [])
    #expect(store.timePasses(1) == [.expired(2), .drop(2)])
    #expect(store.timePasses(99) == [])
    #expect(store.timePasses(1) == [.drop(1), .retire])
  }

  @Test mutating func `what is being undone has its time for that`() {
    leaveOneDraining(after: 0) { $0.isCompensated = true }
    #expect(store.finished(1) == [.compensate(1)])
    #expect(store.leftBehind(1, drainMilliseconds: 0) == [])
    #expect(store.timePasses(59_999) == [])
    #expect(store.finished(1) == [.drop(1), .start(2)])
  }
}
