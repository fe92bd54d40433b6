import GatewayCore

/// Cancels that callers were told of.
extension Oracle {
  /// A caller was told that upstream hears of it: if upstream has seen the call, it must also see the cancel.
  mutating func owesCancel(_ task: Int) {
    let view = tasks[task]
    guard view.sighted > 0, !view.hasFailed else { return }
    guard links[view.link].isUp, view.connection == links[view.link].connection else { return }
    // Nobody knows whether the caller was answered before the end.
    guard links[view.link].endedMilliseconds == .max else { return }
    owedCancels.append(task)
  }

  /// Callers that heard of a cancel were told the truth.
  func expectCancelsSeen() {
    for task in owedCancels where !tasks[task].isCancelSeen {
      complain("call \(tasks[task].id) was never cancelled, though a caller heard that it was")
    }
  }
}

/// Exchanges, each of which can be aborted by itself.
extension Oracle {
  /// The exchange of a call is over: that is its cancel, or the gateway has forgotten the call.
  mutating func sawAbort(
    of task: Int, at link: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) {
    let isOpen = isOpen(task, &core, clients)
    let view = tasks[task]
    expect(!isOpen, "exchange \(view.id) was aborted though somebody waits for it")
    if view.isNotification { coverage.count(.abortedNotification) }
    let isCancel = (view.dialect == .abort || view.creator == 0) && !view.isUndoing && !view.isNotification
    expect(isCancel || !isSurelyKnown(task), "exchange \(view.id) was aborted though it has not ended")
    if isCancel { coverage.count(CancelDialect.abort) } else { coverage.count(.forgottenExchange) }
    if isCancel { tasks[task].cancelSeen = turn }
    tasks[task].isLost = true
    links[link].calls.removeAll { $0 == task }
  }

  /// Upstream must be told the time left and the trace that the caller gave.
  func checkTask(of number: Int, leftMilliseconds: Int, trace: ArraySlice<UInt8>, at link: Int) {
    let left = max(1, records[number].deadlineMilliseconds - nowMilliseconds)
    let isRight = links[link].isBacklogged ? leftMilliseconds >= left : leftMilliseconds == left
    expect(isRight, "request \(number) has \(left) ms left, and upstream heard of \(leftMilliseconds)")
    let said = records[number].request.trace.map { Spelling.traces[$0] } ?? ""
    expect(trace.elementsEqual(said.utf8), "request \(number) came with another trace than \(text(trace))")
  }
}
