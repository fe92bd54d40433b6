import GatewayCore
import TaskStore

/// What upstream said, and when its connection went.
extension Oracle {
  /// Upstream has this answer on its way; its number is in its text.
  mutating func said(_ answer: Answer, to task: Int, ask: Int, by link: Int) -> Int {
    var view = AnswerView(task: task, ask: ask, kind: answer.kind, form: answer.form)
    view.isExchange = upstreams[numbering.upstream(of: link)].takesExchanges
    view.isForeign = tasks[task].link != link
    answers.append(view)
    return answers.count - 1
  }

  /// An answer has arrived as a whole.
  mutating func handed(_ number: Int) {
    event += 1
    answers[number].handed = event
    answers[number].handedMilliseconds = nowMilliseconds
    let task = answers[number].task
    if answers[number].isForeign { return coverage.count(.foreignAnswer) }
    guard tasks[task].isAtUpstream else { return }
    switch answers[number].meaning {
    case .none: return
    case .bad: tasks[task].hasBadAnswer = true
    case .good: answers[number].isFirst = true
    }
    disturbLane(of: task)
    let link = tasks[task].link
    noteHealth(answers[number], at: link)
    links[link].calls.removeAll { $0 == task }
    upstreams[tasks[task].upstream].isDisturbed = true
    tasks[task].answered = event
    tasks[task].answeredMilliseconds = nowMilliseconds
    tasks[task].hasResult = answers[number].kind == .result
    if answers[number].mustBeUndone { owedUndoings.append(task) }
    if tasks[task].policy == .onAnswer, answers[number].kind == .result { noteAnswerSupersedes(task) }
  }

  /// If the task was live, older ones of its lane may drain from now on.
  mutating func noteAnswerSupersedes(_ task: Int) {
    let lane = tasks[task].lane
    guard lane >= 0 else { return }
    if lanes[lane].staleSinceMilliseconds == nil { lanes[lane].staleSinceMilliseconds = nowMilliseconds }
    for older in lanes[lane].tasks where tasks[older].admitted < tasks[task].admitted {
      noteMayHaveLeft(older)
    }
  }

  /// An exchange has failed.
  mutating func failed(_ task: Int, _ failure: ExchangeFailure, isSurelyKnown: Bool) {
    event += 1
    guard tasks[task].isAtUpstream else { return }
    disturbLane(of: task)
    let link = tasks[task].link
    if tasks[task].isNotification {
      coverage.count(.lostNotification)
    } else if failure != .untried {
      noteFailure(at: link, isSure: isSurelyKnown, isReached: failure.mayBeHeard)
    }
    links[link].calls.removeAll { $0 == task }
    upstreams[tasks[task].upstream].isDisturbed = true
    tasks[task].hasFailed = true
    tasks[task].hasFailedUnsent = !failure.mayBeHeard
  }

  /// A notification's exchange has brought it to upstream.
  mutating func delivered(_ task: Int) {
    event += 1
    guard tasks[task].isAtUpstream else { return }
    coverage.count(.deliveredNotification)
    links[tasks[task].link].calls.removeAll { $0 == task }
    upstreams[tasks[task].upstream].isDisturbed = true
    tasks[task].answered = event
    tasks[task].answeredMilliseconds = nowMilliseconds
  }

  mutating func turnEnds(forLink link: Int, isBacklogged: Bool) {
    links[link].wasBacklogged = links[link].isBacklogged
    links[link].isBacklogged = isBacklogged
    if !isBacklogged { links[link].lastClean = event }
  }

  mutating func turnEnds(forUpstream upstream: Int) {
    let isBacklogged = upstreams[upstream].links.contains { links[$0].isBacklogged }
    upstreams[upstream].isBacklogged = isBacklogged
    if isBacklogged { upstreams[upstream].lastUsed = -1 }
    if !isBacklogged { upstreams[upstream].lastClean = event }
  }

  // MARK: Clients

  /// A client is gone, by its own doing or by the gateway's: nobody owes it anything.
  mutating func isGone(_ client: Int) {
    event += 1
    for number in clients[client].requests where records[number].isOwed { isAbandoned(number) }
    clients[client].goneTurn = turn
    noteNotificationsLeft(by: client)
    noteLeftBehind(by: client)
    clients[client].requests.removeAll(keepingCapacity: false)
    forgetUpstreams(of: client)
    leaveSession(client)
  }

  /// The gateway closes it when this turn ends: what it had queued may have gone before others were sent.
  mutating func isClosing(_ client: Int) {
    clients[client].goneTurn = turn
    noteMayHaveLeft(allOf: client)
    noteLeftBehind(by: client)
  }

  /// A POST that has to go is answered before: what it asked is taken back, whether or not it reads that.
  mutating func noteTakenBackAtEnd(of client: Int) {
    if isTakenBack(client) { noteMayHaveLeft(allOf: client) }
  }

  private mutating func noteMayHaveLeft(allOf client: Int) {
    for number in clients[client].requests where records[number].isOwed {
      noteMayHaveLeft(records[number].task)
    }
  }

  private mutating func isAbandoned(_ number: Int) {
    records[number].isAbandoned = true
    noteMayHaveLeft(records[number].task)
    if records[number].duty == .request { coverage.count(records[number].policy, .abandoned) }
  }

  /// The requests of a client that the gateway works on.
  mutating func openRequests(
    of client: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> [Int] {
    let owed = self.clients[client].requests.filter { records[$0].isOwed && records[$0].duty == .request }
    return owed.filter { openRequest($0, &core, clients) != nil }
  }

  /// A client sends no more: by its listener's word its open requests go on, or none of them does.
  mutating func hasEnded(_ client: Int, _ open: [Int], _ core: inout GatewayCore, _ clients: ClientTable) {
    event += 1
    let isItsEnd = self.clients[client].options.cancelsAtEnd
    if isItsEnd && !open.isEmpty { coverage.count(.cancelledAtEnd) }
    if isItsEnd {
      self.clients[client].wantsNothing = true
      noteLeftBehind(by: client)
      noteNotificationsLeft(by: client)
    }
    for number in open {
      let isOpen = openRequest(number, &core, clients) != nil
      expect(
        isOpen != isItsEnd, "request \(number) \(isOpen ? "outlived" : "ended with") its client's last byte")
      guard isItsEnd else { continue }
      if records[number].isClear {
        isAbandoned(number)
      } else {
        records[number].mayBeAbandoned = true
        noteMayHaveLeft(records[number].task)
      }
    }
  }
}
