import GatewayCore
import TaskStore

/// Endpoints that fail, and answers that do not come.
extension Oracle {
  /// Where a call was sent there was room for it, and the endpoint was not to be spared.
  mutating func checkMayBeSent(
    _ task: Int, over link: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) {
    // One that the connection did not take at once was sent before.
    guard !links[link].isBacklogged else { return }
    let upstream = upstreams[numbering.upstream(of: link)]
    let health = links[link].health
    // Timers that were late may have come to it a turn after the last that was left with some.
    let isOldNews = max(health.turn, lateTurn + 1) < turn
    let isCircuitOpen = isOldNews && nowMilliseconds < health.surelyOpenUntilMilliseconds
    expect(!isCircuitOpen, "a call went over link \(link), whose circuit is open")
    let isTripped = isOldNews && health.isSurelyTripped
    let limit = isTripped ? 1 : upstream.looseInFlightLimit
    guard limit < Self.tightInFlight, links[link].calls.count > limit || task < 0 else { return }
    let others = inFlightAtLeast(link, beside: task, &core, clients)
    expect(others < limit, "a call went over link \(link) beside \(others) others, where \(limit) may be")
  }

  private static let tightInFlight = 100

  // MARK: Failures

  /// An answer of this connection, or one that is none, has come for a call that it worked on.
  mutating func noteHealth(_ answer: AnswerView, at link: Int) {
    switch answer.meaning {
    case .good:
      // A failure that is late may come behind it.
      links[link].health.answered(isSure: answer.isSurelyKnown && !isLate, turn: turn)
    case .bad: noteFailure(at: link, isSure: answer.isSurelyKnown, isReached: true)
    case .none: break
    }
  }

  /// - Parameter isReached: it may have got the request.
  mutating func noteFailure(at link: Int, isSure: Bool, isReached: Bool) {
    let upstream = numbering.upstream(of: link)
    // There is nobody else to ask.
    if upstreams[upstream].links.count == 1 && isReached { return }
    let longest = Int(configuration.lastBackOffMilliseconds)
    let first = min(longest, Int(configuration.firstBackOffMilliseconds))
    links[link].health.failed(
      isSure: isSure, limit: configuration.failuresInARow, pause: first - first / 2...longest,
      at: nowMilliseconds, turn: turn)
    let until = links[link].health.maybeOpenUntilMilliseconds
    if until > nowMilliseconds { coverage.count(.openCircuit) }
    upstreams[upstream].maybeOpenUntilMilliseconds = max(
      upstreams[upstream].maybeOpenUntilMilliseconds, until)
  }

  // MARK: Answers that take too long

  /// A task past its answer time: whether it surely expires, and whether that surely counts as a failure of upstream.
  struct Overdue {
    var task: Int
    var mustExpire: Bool
    var isFailure: Bool
  }

  mutating func overdue(
    at milliseconds: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> [Overdue] {
    var overdue: [Overdue] = []
    for upstream in active where upstreams[upstream].answerMilliseconds < .max {
      let limit = upstreams[upstream].answerMilliseconds
      for task in upstreams[upstream].unsent where isPast(task, limit, at: milliseconds) {
        overdue.append(Overdue(task: task, mustExpire: false, isFailure: false))
      }
      for link in upstreams[upstream].links {
        for task in links[link].calls where isPast(task, limit, at: milliseconds) {
          guard tasks[task].isAtUpstream, !tasks[task].isUndoing else { continue }
          let isOpen = isOpen(task, &core, clients)
          guard isOpen || !isClear(task) else { continue }
          let isExact = isOpen && tasks[task].isSightExact
          let isFailure = isExact && outlives(task, milliseconds)
          overdue.append(Overdue(task: task, mustExpire: isExact, isFailure: isFailure))
        }
      }
    }
    return overdue
  }

  /// Whether its callers are known.
  func isClear(_ task: Int) -> Bool {
    tasks[task].creator != 0 && records[tasks[task].creator].isClear
  }

  private func isPast(_ task: Int, _ limit: Int, at milliseconds: Int) -> Bool {
    milliseconds >= sentMilliseconds(task) + limit
  }

  /// When a task was sent, at the earliest.
  private func sentMilliseconds(_ task: Int) -> Int {
    let view = tasks[task]
    if view.isSightExact { return view.sightedMilliseconds }
    return view.creator == 0 ? 0 : records[view.creator].handledMilliseconds
  }

  /// Whether any of its callers has time left then.
  private func outlives(_ task: Int, _ milliseconds: Int) -> Bool {
    var number = tasks[task].firstCaller
    while number != 0 {
      if records[number].isOwed, records[number].isClear, records[number].deadlineMilliseconds > milliseconds
      {
        return true
      }
      number = records[number].nextOfTask
    }
    return false
  }

  /// The clock says so.
  mutating func timeHasPassed(_ overdue: [Overdue], _ core: inout GatewayCore, _ clients: ClientTable) {
    forgetStaleness(&core, clients)
    for upstream in active {
      upstreams[upstream].isDisturbed = true
      if upstreams[upstream].answerMilliseconds < .max { noteUnseenFailures(of: upstream) }
    }
    for late in overdue {
      let link = tasks[late.task].link
      noteMayHaveLeft(late.task)
      // What is put off for now may never happen: its client may go before.
      let isSure = late.isFailure && !core.isLate
      if link >= 0 { noteFailure(at: link, isSure: isSure, isReached: true) }
    }
    self.overdue += overdue
  }

  /// All that was due has happened.
  mutating func judgeOverdue(_ core: inout GatewayCore, _ clients: ClientTable) {
    for late in overdue where late.mustExpire {
      let isOpen = isOpen(late.task, &core, clients)
      let creator = tasks[late.task].creator
      expect(!isOpen, "request \(creator) is still awaited, and upstream takes too long")
      coverage.count(.takesTooLong)
    }
    overdue.removeAll(keepingCapacity: true)
  }

  /// Nobody knows what was sent over a connection that has not taken it, and was given up.
  private mutating func noteUnseenFailures(of upstream: Int) {
    for link in upstreams[upstream].links where links[link].isBacklogged {
      for _ in 0..<configuration.failuresInARow { noteFailure(at: link, isSure: false, isReached: true) }
    }
  }

  /// Whether upstream may have taken too long for what a request asks.
  func mayHaveTakenTooLong(_ number: Int) -> Bool {
    let task = records[number].task
    let limit = upstreams[task >= 0 ? tasks[task].upstream : records[number].terms.upstream]
      .shortestAnswerMilliseconds
    guard limit < .max else { return records[number].terms.join != .never && task < 0 }
    guard task >= 0 else { return nowMilliseconds >= records[number].handledMilliseconds + limit }
    return nowMilliseconds >= sentMilliseconds(task) + limit
  }
}
