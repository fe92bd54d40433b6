import TaskStore
import Testing

/// The races of chained tasks, each holding its predecessor, that a lane which knows all its tasks must not have.
@Suite struct ChainRaceTests {
  var store = Transcript()

  @Test mutating func `a task superseded while queued never starts`() {
    #expect(store.submit(.cancelAndWait) == [.start(1)])
    #expect(store.submit(.cancelAndWait) == [.superseded(1, by: 2), .cancel(1)])
    #expect(store.submit(.cancelAndWait) == [.superseded(2, by: 3), .drop(2)])
    #expect(store.finished(1) == [.drop(1), .start(3)])
    #expect(!store.finished(3).contains(.start(2)))
  }

  @Test mutating func `a later cancelAndWait does not start while an older cancelled task still runs`() {
    #expect(store.submit(.cancel) == [.start(1)])
    #expect(store.submit(.cancel) == [.superseded(1, by: 2), .cancel(1), .start(2)])
    #expect(store.submit(.cancelAndWait) == [.superseded(2, by: 3), .cancel(2)])
    #expect(store.finished(2) == [.drop(2)])
    #expect(store.finished(1) == [.drop(1), .start(3)])
  }

  @Test mutating func `cancelling a waiting task does not cancel the one it waits for`() {
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.wait) == [])
    #expect(store.cancelled(2) == [.cancelled(2), .drop(2)])
    #expect(store.finished(1) == [.deliver(1), .retire])
  }

  @Test mutating func `a cancel after a concurrent pair reaches the older one when the newer has ended`() {
    #expect(store.submit(.concurrent) == [.start(1)])
    #expect(store.submit(.concurrent) == [.start(2)])
    #expect(store.finished(2) == [.deliver(2)])
    #expect(store.submit(.cancel) == [.superseded(1, by: 3), .cancel(1), .start(3)])
  }

  @Test mutating func `preferPrevious after a concurrent pair joins the older one when the newer has ended`()
  {
    #expect(store.submit(.concurrent) == [.start(1)])
    #expect(store.submit(.concurrent) == [.start(2)])
    #expect(store.finished(2) == [.deliver(2)])
    #expect(store.submit(.preferPrevious, same: true) == [.joined(1)])
  }
}
