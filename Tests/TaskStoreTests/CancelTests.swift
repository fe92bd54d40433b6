import TaskStore
import Testing

/// `lastword.cancel`: several callers, or a whole lane, in one event.
@Suite struct CancelTests {
  var store = Transcript()

  @Test mutating func `callers that leave together leave nothing that starts in between`() {
    #expect(store.submit(.wait) { $0.endsOnCancel = true } == [.start(1)])
    #expect(store.submit(.wait) == [])
    #expect(store.submit(.wait) == [])
    #expect(
      store.cancelled([2, 1]) == [
        .cancelled(2), .cancelled(1), .drop(2), .cancel(1), .drop(1), .start(3),
      ])
  }

  @Test mutating func `all callers of a shared task that leave together cancel it once`() {
    #expect(store.submit(.preferPrevious) == [.start(1)])
    #expect(store.submit(.preferPrevious, same: true) == [.joined(1)])
    #expect(store.cancelled([1, 2]) == [.cancelled(1), .cancelled(2), .cancel(1)])
    #expect(store.finished(1) == [.drop(1), .retire])
  }

  @Test mutating func `a caller that stays keeps the shared task alive`() {
    #expect(store.submit(.preferPrevious) == [.start(1)])
    #expect(store.submit(.preferPrevious, same: true) == [.joined(1)])
    #expect(store.submit(.preferPrevious, same: true) == [.joined(1)])
    #expect(store.cancelled([3, 1]) == [.cancelled(3), .cancelled(1)])
    #expect(store.finished(1) == [.deliver(2), .retire])
  }

  @Test mutating func `callers in several lanes leave together`() {
    #expect(store.submit(.wait, key: 1) == [.start(1)])
    #expect(store.submit(.wait, key: 0) == [.start(2)])
    #expect(store.submit(.wait, key: 1) == [])
    #expect(store.submit(.cancel, key: nil) == [.start(4)])
    #expect(
      store.cancelled([1, 2, 4]) == [
        .cancelled(1), .cancelled(2), .cancelled(4), .cancel(1), .cancel(2), .cancel(4),
      ])
    #expect(store.finished(1) == [.drop(1), .start(3)])
  }

  @Test mutating func `a cancelled lane ends all that lives and leaves what drains`() {
    #expect(store.submit(.cancel) == [.start(1)])
    #expect(store.submit(.cancel) == [.superseded(1, by: 2), .cancel(1), .start(2)])
    #expect(store.submit(.wait) == [])
    #expect(store.submit(.wait) { $0.isNotification = true } == [])
    #expect(
      store.cancelled(key: 0) == [.cancelled(2), .cancelled(3), .cancel(2), .drop(3), .drop(4)])
    #expect(store.finished(1) == [.drop(1)])
    #expect(store.finished(2) == [.drop(2), .retire])
  }

  @Test mutating func `what another store will have supersedes all that lives, under a generation between`() {
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.wait) == [])
    #expect(store.submit(.wait) { $0.isNotification = true } == [])
    let elsewhere = Transcript.elsewhere
    #expect(
      store.supersededElsewhere(key: 0) == [
        .superseded(1, by: elsewhere), .superseded(2, by: elsewhere), .cancel(1), .drop(2), .drop(3),
      ])
    // The fourth generation was nobody's here.
    #expect(store.submit(.cancelAndWait) == [])
    #expect(store.generation(of: 4) == 5)
    #expect(store.finished(1) == [.drop(1), .start(4)])
  }

  @Test mutating func `a cancelled lane in which only queued tasks were is gone`() {
    #expect(store.submit(.cancel) { $0.debounceMilliseconds = 100 } == [])
    #expect(store.cancelled(key: 0) == [.cancelled(1), .drop(1), .retire])
  }

  @Test mutating func `cancelling a lane leaves other lanes alone`() {
    #expect(store.submit(.cancel, key: 0) == [.start(1)])
    #expect(store.submit(.cancel, key: 1) == [.start(2)])
    #expect(store.cancelled(key: 0) == [.cancelled(1), .cancel(1)])
    #expect(store.finished(2) == [.deliver(2), .retire])
  }
}
