import GatewayCore

/// Invariant 5: upstream hears at most one cancel of a call, while it works on it.
extension Oracle {
  mutating func sawCancel(_ id: UInt32, _ core: inout GatewayCore, _ clients: ClientTable) -> Int? {
    guard let task = task(withID: id), tasks[task].sighted > 0 else {
      complain("invariant 5: upstream was told to cancel call \(id), which it has not seen")
      return nil
    }
    let view = tasks[task]
    expect(!view.isUndoing, "upstream was told to cancel call \(id), which undoes another")
    expect(!view.isCancelSeen, "invariant 5: upstream was told twice to cancel call \(id)")
    expect(
      view.connection == connection,
      "invariant 5: upstream was told to cancel call \(id) of an earlier connection")
    let hadEnded = view.answered > 0 && view.answered <= lastClean
    expect(!hadEnded, "invariant 5: upstream was told to cancel call \(id) after its answer")
    let isOpen = isOpen(task, &core, clients)
    expect(!isOpen, "call \(id) was cancelled though somebody waits for it")
    tasks[task].isCancelSeen = true
    return task
  }

  /// A caller was told that upstream hears of it: if upstream has seen the call, it must also see the cancel.
  mutating func owesCancel(_ task: Int) {
    if !isDown && tasks[task].sighted > 0 && tasks[task].connection == connection { owedCancels.append(task) }
  }

  /// Callers that heard of a cancel were told the truth.
  func expectCancelsSeen() {
    for task in owedCancels where !tasks[task].isCancelSeen {
      complain("call \(tasks[task].id) was never cancelled, though a caller heard that it was")
    }
  }
}
