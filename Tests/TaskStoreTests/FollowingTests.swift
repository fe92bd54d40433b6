import TaskStore
import Testing

/// Callers that follow: whose task is superseded, they wait for the newer one's answer.
@Suite struct FollowingTests {
  var store = Transcript()

  private mutating func submit(
    _ policy: DuplicatePolicy = .cancel, kind: Int32 = 1, follows: Bool = true,
    _ adjust: (inout Admission) -> Void = { _ in }
  ) -> [Transcript.Line] {
    store.submit(policy) {
      ($0.kind, $0.follows) = (kind, follows)
      adjust(&$0)
    }
  }

  @Test mutating func `the caller of what is superseded gets the newer answer`() {
    #expect(submit() == [.start(1)])
    #expect(submit() == [.follows(1, 2), .cancel(1), .start(2)])
    #expect(store.finished(2) == [.deliver(2), .deliver(1)])
    #expect(store.finished(1) == [.drop(1), .retire])
  }

  @Test mutating func `it goes on to the next, and who follows none hears of the last`() {
    #expect(submit() == [.start(1)])
    #expect(submit(follows: false) == [.follows(1, 2), .cancel(1), .start(2)])
    #expect(submit(follows: false) == [.superseded(2, by: 3), .follows(1, 3), .cancel(2), .start(3)])
    #expect(store.finished(3) == [.deliver(3), .deliver(1)])
  }

  @Test mutating func `it goes to no task of another kind, and to no notification`() {
    #expect(submit(kind: 1) == [.start(1)])
    #expect(submit(kind: 2) == [.superseded(1, by: 2), .cancel(1), .start(2)])
    #expect(
      store.submit(.cancel) { $0.isNotification = true } == [.superseded(2, by: 3), .cancel(2), .start(3)])
  }

  @Test mutating func `it keeps a task alive whose own caller has left`() {
    #expect(submit() == [.start(1)])
    #expect(submit() == [.follows(1, 2), .cancel(1), .start(2)])
    #expect(store.cancelled(2) == [.cancelled(2)])
    #expect(store.finished(2) == [.deliver(1)])
  }

  @Test mutating func `its own deadline counts, not that of the newer one`() {
    #expect(submit { $0.timeoutMilliseconds = 100 } == [.start(1)])
    #expect(submit() == [.follows(1, 2), .cancel(1), .start(2)])
    #expect(store.timePasses(100) == [.expired(1)])
    #expect(store.finished(2) == [.deliver(2)])
  }

  @Test mutating func `whose time is over does not follow, though no timer has had its turn`() {
    #expect(submit(.onAnswer) { $0.timeoutMilliseconds = 100 } == [.start(1)])
    #expect(submit(.onAnswer) == [.start(2)])
    store.timePassesOver(100)
    #expect(store.finished(2) == [.expired(1), .cancel(1), .deliver(2)])
  }

  @Test mutating func `a queued task that another takes the place of is left without a word to upstream`() {
    #expect(submit(.keepLatest) == [.start(1)])
    #expect(submit(.keepLatest) == [])
    #expect(submit(.keepLatest) == [.follows(2, 3), .drop(2)])
    #expect(store.finished(1) == [.deliver(1), .start(3)])
    #expect(store.finished(3) == [.deliver(3), .deliver(2), .retire])
  }

  @Test mutating func `the result that supersedes what is older is delivered to who follows`() {
    #expect(submit(.onAnswer) == [.start(1)])
    #expect(submit(.onAnswer) == [.start(2)])
    #expect(store.finished(2) == [.follows(1, 2), .cancel(1), .deliver(2), .deliver(1)])
  }

  @Test mutating func `who has got a piece is refused`() {
    #expect(submit() == [.start(1)])
    #expect(store.piece(1) == [])
    #expect(submit() == [.superseded(1, by: 2), .cancel(1), .start(2)])
  }

  @Test mutating func `what gives its first piece is followed to, and by the second it is too late`() {
    #expect(submit(.onAnswer) == [.start(1)])
    #expect(submit(.onAnswer) == [.start(2)])
    #expect(store.piece(2) == [.follows(1, 2), .cancel(1)])
    #expect(submit() == [.superseded(2, by: 3), .superseded(1, by: 3), .cancel(2), .start(3)])
  }

  @Test mutating func `who joins a task follows or not for itself`() {
    #expect(submit { $0.asksTheSame = true } == [.start(1)])
    let joined = submit(follows: false) {
      $0.join = .identical
      $0.asksTheSame = true
    }
    #expect(joined == [.joined(1)])
    #expect(submit() == [.follows(1, 3), .superseded(2, by: 3), .cancel(1), .start(3)])
  }

  @Test mutating func `one more than a task may have is refused`() {
    var limits = StoreLimits()
    limits.callersPerTask = 2
    store = Transcript(limits: limits)
    #expect(submit() == [.start(1)])
    #expect(submit() == [.follows(1, 2), .cancel(1), .start(2)])
    #expect(submit() == [.follows(2, 3), .superseded(1, by: 3), .cancel(2), .start(3)])
  }

  @Test mutating func `who follows frees no place among all callers`() {
    var limits = StoreLimits()
    limits.waiters = 2
    store = Transcript(limits: limits)
    #expect(submit() == [.start(1)])
    #expect(submit() == [.follows(1, 2), .cancel(1), .start(2)])
    #expect(submit() == [.overloaded(.waiters)])
    // Of another kind, it takes the place of both.
    #expect(
      submit(kind: 2) == [.superseded(2, by: 4), .superseded(1, by: 4), .cancel(2), .start(4)])
  }

  @Test mutating func `a key that is taken back takes back who follows`() {
    #expect(submit() == [.start(1)])
    #expect(submit() == [.follows(1, 2), .cancel(1), .start(2)])
    #expect(store.cancelled(key: 0) == [.cancelled(2), .cancelled(1), .cancel(2)])
  }

  @Test mutating func `a spared task keeps its callers`() {
    #expect(submit() == [.start(1)])
    #expect(submit() == [.follows(1, 2), .cancel(1), .start(2)])
    #expect(store.timePasses(100) == [])
    #expect(submit { $0.maxStaleMilliseconds = 100 } == [])
    #expect(store.finished(2) == [.deliver(2), .deliver(1), .start(3)])
  }

  @Test mutating func `what a first piece supersedes holds up nobody any more`() {
    func two(_ policy: DuplicatePolicy) -> [Transcript.Line] {
      store.submit(policy) {
        $0.maxRunning = 2
        $0.endsOnCancel = true
      }
    }
    #expect(two(.wait) == [.start(1)])
    #expect(two(.onAnswer) == [.start(2)])
    #expect(two(.wait) == [])
    #expect(store.piece(2) == [.superseded(1, by: 2), .cancel(1), .drop(1), .start(3)])
  }
}
