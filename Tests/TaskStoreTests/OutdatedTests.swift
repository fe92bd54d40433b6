import TaskStore
import Testing

/// Queued tasks that must not be sent any more.
@Suite struct OutdatedTests {
  @Test func `all of them are told, then dropped, and none of what they leave behind starts in between`() {
    let store = Transcript()
    _ = store.submit(.cancel)
    _ = store.submit(.wait)
    _ = store.submit(.wait, key: 1) { $0.debounceMilliseconds = 50 }
    _ = store.submit(.wait, key: 1)
    #expect(
      store.outdated([2, 3, 4]) == [
        .contentModified(2), .contentModified(3), .contentModified(4), .drop(2), .drop(3), .drop(4), .retire,
      ])
    #expect(store.finished(1) == [.deliver(1), .retire])
    #expect(store.isEmpty)
  }

  @Test func `what waits behind one for another upstream starts`() {
    let store = Transcript()
    _ = store.submit(.wait) { $0.debounceMilliseconds = 50 }
    _ = store.submit(.wait)
    #expect(store.outdated([1]) == [.contentModified(1), .drop(1), .start(2)])
  }

  @Test func `everybody who joined is told`() {
    let store = Transcript()
    _ = store.submit(.cancel)
    _ = store.submit(.wait)
    _ = store.submit(.cancelAndWait, same: true) { $0.join = .identical }
    #expect(store.outdated([2]).contains(.contentModified(3)))
  }
}
