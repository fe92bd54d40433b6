import GatewayCore

/// Invariant 5: upstream hears at most one cancel of a call, while it works on it.
extension Oracle {
  mutating func sawCancel(
    _ id: UInt32, _ dialect: CancelDialect, at upstream: Int, _ core: inout GatewayCore,
    _ clients: ClientTable
  ) -> Int? {
    guard let task = task(withID: id), tasks[task].sighted > 0 else {
      complain("invariant 5: upstream was told to cancel call \(id), which it has not seen")
      return nil
    }
    let view = tasks[task]
    let isRight = view.creator == 0 || view.dialect == dialect
    expect(isRight, "upstream heard of call \(id) as \(dialect) has it, not as \(view.dialect)")
    expect(!view.isUndoing, "upstream was told to cancel call \(id), which undoes another")
    expect(!view.isCancelSeen, "invariant 5: upstream was told twice to cancel call \(id)")
    expect(view.upstream == upstream, "upstream \(upstream) was told to cancel another's call \(id)")
    expect(
      view.connection == upstreams[upstream].connection,
      "invariant 5: upstream was told to cancel call \(id) of an earlier connection")
    let hadEnded = view.answered > 0 && view.answered <= upstreams[upstream].lastClean
    expect(!hadEnded, "invariant 5: upstream was told to cancel call \(id) after its answer")
    let isOpen = isOpen(task, &core, clients)
    expect(!isOpen, "call \(id) was cancelled though somebody waits for it")
    tasks[task].cancelSeen = turn
    return task
  }

  /// A caller was told that upstream hears of it: if upstream has seen the call, it must also see the cancel.
  mutating func owesCancel(_ task: Int) {
    let (view, upstream) = (tasks[task], upstreams[tasks[task].upstream])
    guard !upstream.isDown, view.sighted > 0, view.connection == upstream.connection else { return }
    owedCancels.append(task)
  }

  /// Callers that heard of a cancel were told the truth.
  func expectCancelsSeen() {
    for task in owedCancels where !tasks[task].isCancelSeen {
      complain("call \(tasks[task].id) was never cancelled, though a caller heard that it was")
    }
  }
}
