import TaskStore

/// Walks every history on one key, shortest first; what leads to the same state is followed once.
struct AllHistories {
  var limits = StoreLimits()
  /// What every request of the walk has in common.
  var template = Request(number: 0, policy: .cancel)
  /// Whether answers come in pieces, too.
  var hasPieces = false
  private(set) var stateCount = 0
  private(set) var stepCount = 0

  private struct Node {
    var trial: Trial
    var history: [Event]
  }

  /// The first failure, if any: its history and what is wrong.
  mutating func walk(depth: Int) -> (history: [Event], complaint: String)? {
    var level = [Node(trial: Trial(limits: limits), history: [])]
    var seen: Set<[UInt64]> = [
      level[0].trial.model.canonical(knowsStaleness: template.maxStaleMilliseconds > 0)
    ]
    for length in 1...depth {
      var next: [Node] = []
      for node in level {
        for event in moves(from: node) {
          var child = Node(trial: node.trial.branch(), history: node.history + [event])
          stepCount += 1
          if let complaint = child.trial.apply(event) { return (child.history, complaint) }
          guard length < depth else { continue }
          let state = child.trial.model.canonical(knowsStaleness: template.maxStaleMilliseconds > 0)
          if seen.insert(state).inserted { next.append(child) }
        }
      }
      level = next
    }
    stateCount = seen.count
    return nil
  }

  /// The first history that goes otherwise than the model says, as a test to paste; nil: none does.
  func complaint(depth: Int) -> String? {
    var histories = self
    guard let failure = histories.walk(depth: depth) else { return nil }
    let shortest = Shrinking(limits: limits).shortest(failure.history)
    return PastedTest(history: shortest, limits: limits, complaint: failure.complaint).text
  }

  private func moves(from node: Node) -> [Event] {
    let model = node.trial.model
    let sent = ends(model.tasks.filter { $0.state != .queued }.map(\.number))
    let callers = ends(model.tasks.flatMap { $0.waiters.map(\.number) }.sorted())
    let time = model.nextDueMilliseconds.map { [Event.timePasses($0 - model.nowMilliseconds)] } ?? []
    let everybody = model.tasks.flatMap { $0.waiters.map(\.number) }
    let lane: [Event] = model.tasks.isEmpty ? [] : [.cancelledLane(0)]
    return submissions(number: node.history.count + 1) + lane
      + (everybody.count > 1 ? [.cancelledTogether(everybody.reversed().dropLast())] : [])
      + sent.flatMap { [.finished($0, isError: false), .finished($0, isError: true), .failed($0)] }
      + (hasPieces ? running(model).map { .piece($0) } : [])
      + callers.flatMap { [.cancelled($0), .disconnected($0)] } + time
  }

  private func running(_ model: NaiveStore) -> [Int] {
    ends(model.tasks.filter { $0.state == .running && !$0.request.isNotification }.map(\.number))
  }

  private func submissions(number: Int) -> [Event] {
    var request = template
    request.number = number
    var requests = DuplicatePolicy.allCases.map { policy in
      request.policy = policy
      return request
    }
    request.policy = .preferPrevious
    request.asksTheSame = true
    requests.append(request)
    if template.follows {
      request = template
      request.number = number
      request.follows = false
      requests.append(request)
      request.kind += 1
      requests.append(request)
    }
    request = template
    request.number = number
    request.isNotification = true
    return (requests + [request]).map { .submit($0) }
  }

  /// The oldest and the newest.
  private func ends(_ numbers: [Int]) -> [Int] {
    numbers.count < 2 ? numbers : [numbers.first!, numbers.last!]
  }
}

extension NaiveStore {
  /// All that what is still to come depends on: ages instead of times, places in the list instead of numbers.
  func canonical(knowsStaleness: Bool) -> [UInt64] {
    var words: [UInt64] = []
    let ranks = Set(tasks.flatMap { $0.waiters.map(\.rank) }).sorted()
    if knowsStaleness, let since = staleSinceMilliseconds[0] { words = [.max, nowMilliseconds - since] }
    for task in tasks {
      let policy = task.isLive ? UInt64(task.request.policy.rawValue) : 7
      let flags: UInt64 =
        (task.request.isNotification ? 1 : 0) | (task.request.endsOnCancel ? 2 : 0)
        | (task.hasSpared ? 4 : 0) | (task.isCompensating ? 8 : 0) | (task.hasGivenPiece ? 16 : 0)
        | (task.givesNoCaller ? 32 : 0)
      words.append(policy | task.state.rawValue << 3 | flags << 5 | UInt64(task.waiters.count) << 16)
      words.append(UInt64(task.isLive ? task.kind : 0))
      for waiter in task.waiters {
        let rank = UInt64(ranks.firstIndex(of: waiter.rank)!)
        words.append((waiter.dueMilliseconds - nowMilliseconds) << 8 | rank << 1 | (waiter.follows ? 1 : 0))
      }
      if let due = task.debouncedUntilMilliseconds {
        words += [due - nowMilliseconds, nowMilliseconds - task.burstMilliseconds, .max]
      }
      if task.state == .queued && task.isOfBurst && task.debouncedUntilMilliseconds == nil {
        words += [nowMilliseconds - task.burstMilliseconds, .max - 1]
      }
      if !task.isLive { words.append(task.dueMilliseconds - nowMilliseconds) }
    }
    return words
  }
}
