import TaskStore
import Testing

/// The rows of the table of policies.
@Suite struct PolicyTests {
  var store = Transcript()

  @Test(arguments: DuplicatePolicy.allCases)
  mutating func `an idle key starts at once under any policy`(policy: DuplicatePolicy) {
    #expect(store.submit(policy) == [.start(1)])
    #expect(store.finished(1) == [.deliver(1), .retire])
    #expect(store.isEmpty)
  }

  @Test mutating func `cancel answers the previous caller at once, tells upstream, and starts now`() {
    #expect(store.submit(.cancel) == [.start(1)])
    #expect(store.submit(.cancel) == [.superseded(1, by: 2), .cancel(1), .start(2)])
    #expect(store.submit(.cancel) == [.superseded(2, by: 3), .cancel(2), .start(3)])
    #expect(store.finished(1) == [.drop(1)])
    #expect(store.finished(3) == [.deliver(3)])
    #expect(store.finished(2) == [.drop(2), .retire])
    #expect(store.isEmpty)
  }

  @Test mutating func `cancelAndWait starts when the superseded task has ended`() {
    #expect(store.submit(.cancelAndWait) == [.start(1)])
    #expect(store.submit(.cancelAndWait) == [.superseded(1, by: 2), .cancel(1)])
    #expect(store.submit(.cancelAndWait) == [.superseded(2, by: 3), .drop(2)])
    #expect(store.finished(1) == [.drop(1), .start(3)])
    #expect(store.finished(3) == [.deliver(3), .retire])
  }

  @Test mutating func `wait is first come, first served`() {
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.wait) == [])
    #expect(store.submit(.wait) == [])
    #expect(store.finished(1) == [.deliver(1), .start(2)])
    #expect(store.finished(2) == [.deliver(2), .start(3)])
    #expect(store.finished(3) == [.deliver(3), .retire])
  }

  @Test mutating func `wait waits for draining tasks too`() {
    #expect(store.submit(.cancel) == [.start(1)])
    #expect(store.cancelled(1) == [.cancelled(1), .cancel(1)])
    #expect(store.submit(.wait) == [])
    #expect(store.finished(1) == [.drop(1), .start(2)])
  }

  @Test mutating func `concurrent starts beside the others`() {
    #expect(store.submit(.concurrent) == [.start(1)])
    #expect(store.submit(.concurrent) == [.start(2)])
    #expect(store.finished(2) == [.deliver(2)])
    #expect(store.finished(1) == [.deliver(1), .retire])
  }

  @Test mutating func `preferPrevious joins the newest live task if it asks the very same`() {
    #expect(store.submit(.preferPrevious) == [.start(1)])
    #expect(store.submit(.preferPrevious, same: true) == [.joined(1)])
    #expect(store.finished(1) == [.deliver(1), .deliver(2), .retire])
  }

  @Test mutating func `preferPrevious joins a task that is still queued`() {
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.wait) == [])
    #expect(store.submit(.preferPrevious, same: true) == [.joined(2)])
    #expect(store.finished(1) == [.deliver(1), .start(2)])
    #expect(store.finished(2) == [.deliver(2), .deliver(3), .retire])
  }

  @Test mutating func `preferPrevious is rejected beside other live work`() {
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.preferPrevious) == [.busy])
    #expect(store.finished(1) == [.deliver(1), .retire])
  }

  @Test mutating func `preferPrevious waits behind tasks that only drain`() {
    #expect(store.submit(.cancel) == [.start(1)])
    #expect(store.cancelled(1) == [.cancelled(1), .cancel(1)])
    #expect(store.submit(.preferPrevious, same: true) == [])
    #expect(store.finished(1) == [.drop(1), .start(2)])
  }

  @Test mutating func `ended work is not remembered`() {
    #expect(store.submit(.preferPrevious) == [.start(1)])
    #expect(store.finished(1) == [.deliver(1), .retire])
    #expect(store.submit(.preferPrevious, same: true) == [.start(2)])
  }

  @Test mutating func `a failed join leaves the task to the others`() {
    #expect(store.submit(.preferPrevious) == [.start(1)])
    #expect(store.submit(.preferPrevious, same: true) == [.joined(1)])
    #expect(store.failed(1) == [.unavailable(1), .unavailable(2), .drop(1), .retire])
  }

  @Test mutating func `keepLatest replaces only the queued one and delivers the running one`() {
    #expect(store.submit(.keepLatest) == [.start(1)])
    #expect(store.submit(.keepLatest) == [])
    #expect(store.submit(.keepLatest) == [.superseded(2, by: 3), .drop(2)])
    #expect(store.finished(1) == [.deliver(1), .start(3)])
    #expect(store.finished(3) == [.deliver(3), .retire])
  }

  @Test mutating func `keepLatest leaves queued tasks of other policies alone`() {
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.wait) == [])
    #expect(store.submit(.keepLatest) == [])
    #expect(store.submit(.keepLatest) == [.superseded(3, by: 4), .drop(3)])
    #expect(store.finished(1) == [.deliver(1), .start(2)])
    #expect(store.finished(2) == [.deliver(2), .start(4)])
  }

  // MARK: maxRunning

  @Test(arguments: [DuplicatePolicy.wait, .keepLatest])
  mutating func `so many run at once, and the next starts when one ends`(policy: DuplicatePolicy) {
    #expect(store.submit(policy) { $0.maxRunning = 2 } == [.start(1)])
    #expect(store.submit(policy) { $0.maxRunning = 2 } == [.start(2)])
    #expect(store.submit(policy) { $0.maxRunning = 2 } == [])
    #expect(store.finished(2) == [.deliver(2), .start(3)])
    #expect(store.finished(1) == [.deliver(1)])
    #expect(store.finished(3) == [.deliver(3), .retire])
  }

  @Test mutating func `what drains takes a place, and an orphan none`() {
    #expect(
      store.submit(.wait) {
        $0.maxRunning = 2; $0.drainMilliseconds = 1_000
      } == [.start(1)])
    #expect(store.submit(.wait) { $0.maxRunning = 2 } == [.start(2)])
    #expect(store.submit(.wait) { $0.maxRunning = 2 } == [])
    #expect(store.cancelled(1) == [.cancelled(1), .cancel(1)])
    #expect(store.timePasses(1_000) == [.start(3)])
  }

  @Test mutating func `keepLatest replaces the queued one, however many run`() {
    #expect(store.submit(.keepLatest) { $0.maxRunning = 2 } == [.start(1)])
    #expect(store.submit(.keepLatest) { $0.maxRunning = 2 } == [.start(2)])
    #expect(store.submit(.keepLatest) { $0.maxRunning = 2 } == [])
    #expect(store.submit(.keepLatest) { $0.maxRunning = 2 } == [.superseded(3, by: 4), .drop(3)])
    #expect(store.finished(1) == [.deliver(1), .start(4)])
  }

  @Test mutating func `nothing overtakes what is queued, whatever may run beside it`() {
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.wait) == [])
    #expect(store.submit(.wait) { $0.maxRunning = 64 } == [])
    #expect(store.finished(1) == [.deliver(1), .start(2), .start(3)])
  }

  @Test mutating func `several start at once where several places come free`() {
    #expect(store.submit(.concurrent) == [.start(1)])
    #expect(store.submit(.concurrent) == [.start(2)])
    for _ in 3...5 { #expect(store.submit(.wait) { $0.maxRunning = 2 } == []) }
    #expect(
      store.cancelled([1, 2]) == [.cancelled(1), .cancelled(2), .cancel(1), .cancel(2)])
    #expect(store.finished(1) == [.drop(1), .start(3)])
    #expect(store.finished(2) == [.drop(2), .start(4)])
    #expect(store.finished(3) == [.deliver(3), .start(5)])
  }

  @Test(arguments: [DuplicatePolicy.cancelAndWait, .preferPrevious])
  mutating func `with other policies it says nothing`(policy: DuplicatePolicy) {
    #expect(store.submit(.cancel) == [.start(1)])
    #expect(store.cancelled(1) == [.cancelled(1), .cancel(1)])
    #expect(store.submit(policy) { $0.maxRunning = 2 } == [])
    #expect(store.finished(1) == [.drop(1), .start(2)])
  }

  @Test mutating func `of what may be undone one runs at a time`() {
    #expect(
      store.submit(.wait) {
        $0.maxRunning = 2; $0.isCompensated = true
      } == [.start(1)])
    #expect(
      store.submit(.wait) {
        $0.maxRunning = 2; $0.isCompensated = true
      } == [])
    #expect(store.finished(1) == [.deliver(1), .start(2)])
  }

  @Test mutating func `the bound on the queue counts what could not start`() {
    var limits = StoreLimits()
    limits.queuePerLane = 1
    store = Transcript(limits: limits)
    #expect(store.submit(.wait) { $0.maxRunning = 2 } == [.start(1)])
    #expect(store.submit(.wait) { $0.maxRunning = 2 } == [.start(2)])
    #expect(store.submit(.wait) { $0.maxRunning = 2 } == [])
    #expect(store.submit(.wait) { $0.maxRunning = 2 } == [.overloaded(.queue)])
  }

  @Test mutating func `onAnswer supersedes what is older when a result comes`() {
    #expect(store.submit(.onAnswer) == [.start(1)])
    #expect(store.submit(.onAnswer) == [.start(2)])
    #expect(store.submit(.onAnswer) == [.start(3)])
    #expect(store.finished(2) == [.superseded(1, by: 2), .cancel(1), .deliver(2)])
    #expect(store.finished(1) == [.drop(1)])
    #expect(store.finished(3) == [.deliver(3), .retire])
  }

  @Test mutating func `onAnswer lets an older result through when nothing newer was answered`() {
    #expect(store.submit(.onAnswer) == [.start(1)])
    #expect(store.submit(.onAnswer) == [.start(2)])
    #expect(store.finished(1) == [.deliver(1)])
    #expect(store.finished(2) == [.deliver(2), .retire])
  }

  @Test mutating func `an error ends just its own onAnswer task`() {
    #expect(store.submit(.onAnswer) == [.start(1)])
    #expect(store.submit(.onAnswer) == [.start(2)])
    #expect(store.finished(2, isError: true) == [.deliver(2)])
    #expect(store.finished(1) == [.deliver(1), .retire])
  }

  @Test mutating func `cancel supersedes the whole lane, queued ones without a word to upstream`() {
    #expect(store.submit(.concurrent) == [.start(1)])
    #expect(store.submit(.concurrent) == [.start(2)])
    #expect(store.submit(.wait) == [])
    #expect(
      store.submit(.cancel) == [
        .superseded(1, by: 4), .superseded(2, by: 4), .superseded(3, by: 4),
        .cancel(1), .cancel(2), .drop(3), .start(4),
      ])
  }

  @Test mutating func `tasks without a key start at once and supersede nothing`() {
    #expect(store.submit(.cancel, key: nil) == [.start(1)])
    #expect(store.submit(.cancel, key: nil) == [.start(2)])
    #expect(store.finished(1) == [.deliver(1)])
    #expect(store.finished(2) == [.deliver(2)])
    #expect(store.isEmpty)
  }

  @Test mutating func `lanes never affect each other`() {
    #expect(store.submit(.cancel, key: 0) == [.start(1)])
    #expect(store.submit(.cancel, key: 1) == [.start(2)])
    #expect(store.submit(.cancelAndWait, key: 0) == [.superseded(1, by: 3), .cancel(1)])
    #expect(store.finished(2) == [.deliver(2), .retire])
    #expect(store.finished(1) == [.drop(1), .start(3)])
  }

  @Test mutating func `an onAnswer notification gets no result and so supersedes nothing`() {
    #expect(store.submit(.concurrent) == [.start(1)])
    #expect(store.submit(.onAnswer) { $0.isNotification = true } == [.start(2)])
    #expect(store.finished(2) == [])
    #expect(store.finished(1) == [.deliver(1), .retire])
  }

  // MARK: Joining

  @Test mutating func `join identical: cancel shares the newest answer and supersedes what is older`() {
    #expect(store.submit(.concurrent) == [.start(1)])
    #expect(store.submit(.concurrent) == [.start(2)])
    #expect(
      store.submit(.cancel, same: true) { $0.join = .identical } == [
        .joined(2), .superseded(1, by: 2), .cancel(1),
      ])
    #expect(store.finished(2) == [.deliver(2), .deliver(3)])
    #expect(store.finished(1) == [.drop(1), .retire])
  }

  @Test mutating func `join identical: cancel starts anew when it asks something else`() {
    #expect(store.submit(.cancel) == [.start(1)])
    #expect(
      store.submit(.cancel) { $0.join = .identical } == [.superseded(1, by: 2), .cancel(1), .start(2)])
  }

  @Test mutating func `join identical: keepLatest shares the queued one, or replaces it`() {
    #expect(store.submit(.keepLatest) == [.start(1)])
    #expect(store.submit(.keepLatest) == [])
    #expect(store.submit(.keepLatest, same: true) { $0.join = .identical } == [.joined(2)])
    #expect(
      store.submit(.keepLatest) { $0.join = .identical } == [
        .superseded(2, by: 4), .superseded(3, by: 4), .drop(2),
      ])
  }

  @Test mutating func `join identical: what an older task held up starts when that is superseded`() {
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.wait) { $0.endsOnCancel = true } == [])
    #expect(store.cancelled(1) == [.cancelled(1), .cancel(1)])
    #expect(store.submit(.cancel, same: true) { $0.join = .identical } == [.joined(2)])
    #expect(store.finished(1) == [.drop(1), .start(2)])
    #expect(store.finished(2) == [.deliver(2), .deliver(3), .retire])
  }

  @Test mutating func `join identical: keepLatest leaves a queued notification alone that is newer`() {
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.keepLatest) { $0.isNotification = true } == [])
    #expect(store.submit(.keepLatest, same: true) { $0.join = .identical } == [.joined(1)])
    #expect(store.finished(1) == [.deliver(1), .deliver(3), .start(2)])
  }

  @Test mutating func `join always: preferPrevious shares what the same method is asked`() {
    #expect(store.submit(.wait) == [.start(1)])
    let joined = store.submit(.preferPrevious) {
      $0.join = .always
      $0.hasTheSameMethod = true
    }
    #expect(joined == [.joined(1)])
    #expect(store.finished(1) == [.deliver(1), .deliver(2), .retire])
  }

  @Test mutating func `join always: another method's answer is for nobody`() {
    #expect(store.submit(.wait) == [.start(1)])
    #expect(store.submit(.preferPrevious) { $0.join = .always } == [.busy])
  }

  @Test mutating func `join never: preferPrevious rejects even the very same`() {
    #expect(store.submit(.preferPrevious) == [.start(1)])
    #expect(store.submit(.preferPrevious, same: true) { $0.join = .never } == [.busy])
  }

  @Test(arguments: DuplicatePolicy.allCases)
  func `a policy allows its own default, and never`(policy: DuplicatePolicy) {
    #expect(policy.allows(policy.defaultJoin) && policy.allows(.never))
    #expect(policy.allows(.always) == (policy == .preferPrevious))
  }
}
