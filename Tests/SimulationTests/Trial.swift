import TaskStore

/// One history: the store, the model and the referee side by side.
struct Trial {
  private(set) var store: NumberedStore
  private(set) var model: NaiveStore
  private var referee: Referee

  init(limits: StoreLimits) {
    store = NumberedStore(limits: limits)
    model = NaiveStore(limits: limits)
    referee = Referee(limits: limits)
  }

  /// The same once more, to go on in another way.
  func branch() -> Trial {
    var branch = self
    branch.store = NumberedStore(copying: store)
    return branch
  }

  /// Whether an event can happen now: an answer needs a task that was started, a caller that leaves must be there.
  func isPossible(_ event: Event) -> Bool {
    switch event {
    case .submit, .timePasses: true
    case .finished(let task, _): model.task(task).map { $0.state != .queued } ?? false
    case .piece(let task): model.task(task)?.state == .running
    case .failed(let task), .leftBehind(let task, _): model.task(task) != nil
    case .cancelled(let caller), .disconnected(let caller): model.task(ofWaiter: caller) != nil
    case .cancelledTogether(let callers): callers.allSatisfy { model.task(ofWaiter: $0) != nil }
    case .cancelledLane(let key): !model.lane(key).isEmpty
    }
  }

  /// Lets one event happen; what is wrong with what followed, if anything.
  mutating func apply(_ event: Event) -> String? {
    if case .timePasses(let milliseconds) = event { return passTime(milliseconds) }
    // Of a piece the store asks if it is the first.
    if case .piece(let task) = event {
      let said = store.piece(task, isFirst: !model.task(task)!.hasGivenPiece)
      return verdict(event, said: said, expected: model.apply(event))
    }
    return verdict(event, said: store.apply(event), expected: model.apply(event))
  }

  private mutating func passTime(_ milliseconds: UInt64) -> String? {
    model.nowMilliseconds += milliseconds
    store.timeAdvanced(to: model.nowMilliseconds)
    while true {
      let (said, expected) = (store.fireTimer(), model.fireTimer())
      if said == nil && expected == nil { return nil }
      if let complaint = verdict(nil, said: said ?? [], expected: expected ?? []) { return complaint }
    }
  }

  private var hasTheSameStates: Bool {
    func count(_ state: NaiveStore.State) -> Int { model.tasks.count { $0.state == state } }
    let counts = store.store.counts
    return counts.queued == count(.queued) && counts.running == count(.running)
      && counts.draining == count(.draining) && counts.orphaned == count(.orphaned)
  }

  private mutating func verdict(_ event: Event?, said: [Line], expected: [Line]) -> String? {
    var complaints = referee.judge(event, at: model.nowMilliseconds, said)
    if said != expected { complaints.append("the store says \(said), the model \(expected)") }
    if store.store.taskCount != model.tasks.count { complaints.append("the number of tasks is wrong") }
    if !hasTheSameStates { complaints.append("the number of tasks of some state is wrong") }
    if store.store.waiterCount != model.waiterCount { complaints.append("the number of callers is wrong") }
    if store.store.nextDueMilliseconds != model.nextDueMilliseconds {
      complaints.append("the next timer is wrong")
    }
    if store.store.hasLiveTasks != model.tasks.contains(where: { $0.isLive }) {
      complaints.append("whether anything lives is wrong")
    }
    if store.store.isSettled != model.tasks.allSatisfy({ !$0.isLive && !$0.owesCompensation }) {
      complaints.append("whether anything is lost by stopping is wrong")
    }
    if referee.nothingIsInFlight, !store.store.isEmpty { complaints.append("invariant 8: something is left") }
    return complaints.isEmpty ? nil : complaints.joined(separator: "; ")
  }
}

extension NumberedStore {
  fileprivate func apply(_ event: Event) -> [Line] {
    switch event {
    case .submit(let request): submit(request)
    case .finished(let task, let isError): finished(task, isError: isError)
    case .failed(let task): failed(task)
    case .cancelled(let caller): cancelled(caller)
    case .cancelledTogether(let callers): cancelledTogether(callers)
    case .cancelledLane(let key): cancelledLane(key)
    case .disconnected(let caller): disconnected(caller)
    case .leftBehind(let task, let drain): leftBehind(task, drainMilliseconds: drain)
    case .piece, .timePasses: []
    }
  }
}

extension NaiveStore {
  /// What follows from an event; from time, what follows from every timer that is due.
  mutating func apply(_ event: Event) -> [Line] {
    switch event {
    case .submit(let request): return submit(request)
    case .finished(let task, let isError): return finished(task, isError: isError)
    case .piece(let task): return piece(task)
    case .failed(let task): return failed(task)
    case .cancelled(let caller): return cancelled(caller)
    case .cancelledTogether(let callers): return cancelledTogether(callers)
    case .cancelledLane(let key): return cancelledLane(key)
    case .disconnected(let caller): return disconnected(caller)
    case .leftBehind(let task, let drain): return leftBehind(task, drainMilliseconds: drain)
    case .timePasses(let milliseconds):
      nowMilliseconds += milliseconds
      var lines: [Line] = []
      while let more = fireTimer() { lines += more }
      return lines
    }
  }
}
