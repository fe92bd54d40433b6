/// Progress that an upstream of a client's own reports: who waits for that has time again.
extension Oracle {
  /// - Parameter ask: what the token stands for that upstream named.
  mutating func gotOn(with ask: Int, for client: Int, at link: Int) {
    guard asks[ask].requestCount == 1 else { return perhapsGotOn(with: ask, for: client) }
    // Nobody else has the token, now or ever.
    let number = asks[ask].request
    let record = records[number]
    guard record.client == client, let times = record.terms.progressMilliseconds else { return }
    let due = min(nowMilliseconds + times.timeout, record.handledMilliseconds + times.longest)
    guard nowMilliseconds < record.latestDeadlineMilliseconds else { return }
    if isSurelyAtWork(number, at: link) {
      coverage.count(.extended)
      records[number].surelyExtendedMilliseconds = max(record.surelyExtendedMilliseconds, due)
    } else {
      records[number].perhapsExtendedMilliseconds = max(record.perhapsExtendedMilliseconds, due)
    }
  }

  /// Whether upstream has it, and nobody has answered it or taken it back, as far as is known.
  private func isSurelyAtWork(_ number: Int, at link: Int) -> Bool {
    let record = records[number]
    guard record.isOwed, record.isClear, record.task >= 0, nowMilliseconds < record.deadlineMilliseconds
    else {
      return false
    }
    let task = tasks[record.task]
    return task.creator == number && task.link == link && task.isAtUpstream
  }

  /// Of several that ask the same the newest is meant: which one that is need not be known.
  private mutating func perhapsGotOn(with ask: Int, for client: Int) {
    for number in clients[client].requests where records[number].request.ask == ask {
      guard records[number].terms.progressMilliseconds != nil else { continue }
      records[number].perhapsExtendedMilliseconds = .max / 4
    }
  }
}
