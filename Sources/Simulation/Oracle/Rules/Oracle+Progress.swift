import GatewayCore

/// Progress reported by an upstream of a client's own gives the callers of the task their time anew.
extension Oracle {
  /// - Parameter ask: stands for the token that upstream named.
  mutating func gotOn(with ask: Int, for client: Int, at link: Int) {
    guard asks[ask].requestCount == 1 else { return perhapsGotOn(with: ask, for: client) }
    // Nobody else has the token, now or ever.
    let number = asks[ask].request
    guard records[number].client == client else { return }
    let isSure = isSurelyAtWork(number, at: link)
    for caller in callersBeside(number) { extend(caller, isSure: isSure) }
  }

  /// Upstream got on with what a caller waits for, surely or perhaps.
  mutating func extend(_ caller: Int, isSure: Bool) {
    extend(caller, by: records[caller].terms.progressMilliseconds, isSure: isSure)
  }

  /// - Parameter times: so long it waits from now on, and so long at most; nil: it gets no time.
  mutating func extend(_ caller: Int, by times: (timeout: Int, longest: Int)?, isSure: Bool) {
    guard let due = extendedMilliseconds(caller, by: times) else { return }
    let record = records[caller]
    if isSure && record.isOwed && record.isClear && nowMilliseconds < record.deadlineMilliseconds {
      coverage.count(.extended)
      records[caller].surelyExtendedMilliseconds = max(record.surelyExtendedMilliseconds, due)
    } else {
      records[caller].perhapsExtendedMilliseconds = max(record.perhapsExtendedMilliseconds, due)
    }
  }

  /// All that was due has happened: nobody waits longer than progress gave it.
  mutating func judgeDeadlines(_ core: inout GatewayCore, _ clients: ClientTable) {
    for client in clients.open {
      for number in self.clients[client].requests where hasWaitedForLong(number) {
        guard openRequest(number, &core, clients) != nil else { continue }
        complain("the time of request \(number) is over, and it still waits")
      }
    }
  }

  private func hasWaitedForLong(_ number: Int) -> Bool {
    let record = records[number]
    // What is due at once is due when the clock next moves.
    let due = max(record.latestDeadlineMilliseconds, record.handledMilliseconds + 1)
    return record.isOwed && record.isClear && record.duty == .request && nowMilliseconds >= due
  }

  /// Until when a request waits that gets its time again; nil if it does not.
  private func extendedMilliseconds(_ number: Int, by times: (timeout: Int, longest: Int)?) -> Int? {
    let record = records[number]
    guard let times, nowMilliseconds < record.latestDeadlineMilliseconds else { return nil }
    return min(nowMilliseconds + times.timeout, record.handledMilliseconds + times.longest)
  }

  /// The callers of the request's task, as far as they are known, and the request itself.
  private func callersBeside(_ number: Int) -> [Int] {
    records[number].task >= 0 ? callers(of: records[number].task) : [number]
  }

  // MARK: Who hears of it

  /// Whether its client must hear of it: somebody still waits for that, or upstream never had the token from this client.
  mutating func isSurelyHeard(
    progressOf ask: Int, by client: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> Bool {
    guard asks[ask].requestCount == 1 else { return false }
    let number = asks[ask].request
    if records[number].client != client { return true }
    return records[number].isClear && openRequest(number, &core, clients) != nil
  }

  /// A client heard a notification: it must not be the progress of a request that has had its reply.
  mutating func checkProgress(_ question: Int, heardBy client: Int, from link: Int) {
    guard case .progress(let ask, _, _) = questions[question].question.kind, asks[ask].requestCount == 1
    else {
      return
    }
    let number = asks[ask].request
    let record = records[number]
    guard record.client == client, record.isClear, record.isReplied, record.task >= 0 else { return }
    let task = tasks[record.task]
    guard task.creator == number, task.callerCount == 1, task.link == link else { return }
    complain("progress of request \(number) came behind its end")
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

  /// Among several requests with the same ask, the newest is meant; the oracle need not know which one that is.
  private mutating func perhapsGotOn(with ask: Int, for client: Int) {
    for number in clients[client].requests where records[number].request.ask == ask {
      for caller in callersBeside(number) where records[caller].terms.progressMilliseconds != nil {
        records[caller].perhapsExtendedMilliseconds = .max / 4
      }
    }
  }
}
