import GatewayCore

/// Invariant 5: upstream hears at most one cancel of a task, only after its start, and never after its end.
extension Oracle {
  mutating func sawCancel(
    _ id: UInt64, _ dialect: CancelDialect, at link: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> Int? {
    guard let task = task(withID: id), tasks[task].sighted > 0 else {
      complain("invariant 5: upstream was told to cancel call \(id), which it has not seen")
      return nil
    }
    let view = tasks[task]
    let isRight = view.creator == 0 || view.dialect == dialect
    expect(isRight, "upstream heard of call \(id) as \(dialect) has it, not as \(view.dialect)")
    expect(!view.isUndoing, "upstream was told to cancel call \(id), which undoes another")
    // One of which little is known may have been aborted before.
    expect(
      !view.isCancelSeen || view.creator == 0 && view.isLost,
      "invariant 5: upstream was told twice to cancel call \(id)")
    expect(view.link == link, "link \(link) was told to cancel another's call \(id)")
    expect(
      view.connection == links[link].connection,
      "invariant 5: upstream was told to cancel call \(id) of an earlier connection")
    let hadEnded = view.answered > 0 && view.answered <= links[link].lastClean
    expect(!hadEnded, "invariant 5: upstream was told to cancel call \(id) after its answer")
    let isOpen = isOpen(task, &core, clients)
    expect(!isOpen, "call \(id) was cancelled though somebody waits for it")
    tasks[task].cancelSeen = turn
    // It has ended thereby.
    if view.isUnheard && view.creator != 0 { links[link].calls.removeAll { $0 == task } }
    coverage.count(dialect)
    return task
  }
}
