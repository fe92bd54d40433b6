import GatewayCore

/// Unwanted work that succeeded is undone, once, before anything that waited for it starts.
extension Oracle {
  /// Answers are about to be handed to the core, so many at once.
  mutating func willHand(_ number: Int, of count: Int, _ core: inout GatewayCore, _ clients: ClientTable) {
    let task = answers[number].task
    // It may have been asked before, where what came is held.
    (answers[number].isSurelyKnown, answers[number].mustBeUndone) = (false, false)
    if !answers[number].isForeign, tasks[task].isAtUpstream {
      // One of them may end others.
      let isCertain = count == 1 || !tasks[task].isUnheard
      answers[number].isSurelyKnown = isCertain && (isSurelyKnown(task) || isOpen(task, &core, clients))
    }
    noteWhatToUndo(number, &core, clients)
  }

  /// A result that nobody waits for must be undone if its task is undoable.
  private mutating func noteWhatToUndo(
    _ number: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) {
    let task = answers[number].task
    guard answers[number].kind == .result, tasks[task].isUndoable, tasks[task].creator != 0 else { return }
    guard records[tasks[task].creator].isClear, tasks[task].isAtUpstream, !isShutDown else { return }
    guard !answers[number].isForeign else { return }
    let isKnown = nowMilliseconds < earliestForgetting(of: task)
    answers[number].mustBeUndone = isKnown && !isOpen(task, &core, clients)
  }

  /// Upstream is asked to undo what it said in this answer; returns the oracle's number for that call.
  mutating func sawUndoing(
    _ id: UInt64, of number: Int, at link: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> Int {
    let undone = answers[number].task
    expect(task(withID: id) == nil, "call \(id) undoes another, but its id is not new")
    expect(
      answers[number].isFirst && answers[number].kind == .result, "answer \(number) is undone for nothing")
    if undone >= 0 {
      expect(tasks[undone].link == link, "link \(link) is to undo what another did")
      expectUndoable(undone, &core, clients)
    }
    var task = TaskView(id: id)
    task.isUndoing = true
    task.upstream = numbering.upstream(of: link)
    let index = add(task)
    noteSight(of: index, at: link)
    if undone >= 0 { tasks[undone].undoing = index }
    owedUndoings.removeAll { $0 == undone }
    coverage.count(.undone)
    return index
  }

  private mutating func expectUndoable(_ undone: Int, _ core: inout GatewayCore, _ clients: ClientTable) {
    let view = tasks[undone]
    expect(view.isUndoable || view.creator == 0, "call \(view.id) is undone though no route says so")
    expect(view.undoing < 0, "call \(view.id) is undone twice")
    expect(!view.isDelivered, "call \(view.id) was delivered and undone")
    let isOpen = isOpen(undone, &core, clients)
    expect(!isOpen, "call \(view.id) is undone though somebody waits for it")
    guard view.lane >= 0 else { return }
    // One that expired unread still comes to its upstream; what waited for it may have gone to another.
    let mayBeExpired = nowMilliseconds >= view.answeredMilliseconds + bounds.shortestUndoingMilliseconds
    for later in lanes[view.lane].tasks where tasks[later].admitted > view.admitted {
      if mayBeExpired && tasks[later].link != view.link { continue }
      let waits = tasks[later].waitsForEarlier && tasks[later].maxRunning == 1
      let hasStarted = tasks[later].sighted > 0 && tasks[later].creator != 0 && waits
      expect(!hasStarted, "\(tasks[later].creator) was sent before \(view.creator) was undone")
    }
  }

  /// Whether the answered task, which may have to be undone, holds up nobody any more.
  func isUndoingOver(_ task: Int) -> Bool {
    let undoing = tasks[task].undoing
    // If it had to be undone, that would have been seen by now.
    guard undoing >= 0 else {
      return tasks[task].answered <= links[tasks[task].link].lastClean
    }
    let expires = tasks[task].answeredMilliseconds + bounds.longestUndoingMilliseconds
    // Where more is due than a turn has room for it may not have happened yet.
    let isExpired = nowMilliseconds >= expires && !isLate
    return tasks[undoing].answered > 0 || tasks[undoing].hasEnded || isExpired || isShutDown
  }

  /// At the drain deadline whatever is left is given up, what was still to be said, too.
  func expectUndone() {
    guard !isShutDown else { return }
    for task in owedUndoings { complain("call \(tasks[task].id) succeeded for nobody, and was not undone") }
  }
}
