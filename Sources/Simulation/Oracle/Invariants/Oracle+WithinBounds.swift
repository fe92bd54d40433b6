import GatewayCore
import JSONRPC

/// Invariant 9: live, draining, orphaned and queued work, and bytes that are held, never exceed their bounds.
extension Oracle {
  // MARK: Of the whole gateway

  func expectWithinBounds(tasks: Int, callers: Int) {
    expect(tasks <= bounds.tasks, "invariant 9: \(tasks) tasks")
    expect(callers <= bounds.waiters, "invariant 9: \(callers) callers")
  }

  // MARK: Of one connection

  /// Of all that clients had admitted; upstreams have heard which of it is to be given up.
  mutating func checkOwnTasks(_ core: inout GatewayCore, _ clients: ClientTable) {
    for client in clients.open { checkOwnTasks(of: client, &core, clients) }
  }

  mutating func checkOwnTasks(of client: Int, _ core: inout GatewayCore, _ clients: ClientTable) {
    guard self.clients[client].tasks.count > bounds.tasksPerConnection else { return }
    self.clients[client].tasks = self.clients[client].tasks.filter { !isOver($0) }
    guard self.clients[client].tasks.count > bounds.tasksPerConnection else { return }
    var count = 0
    for task in self.clients[client].tasks {
      if isSurelyKnown(task) || isOpen(task, &core, clients) { count += 1 }
    }
    expect(count <= bounds.tasksPerConnection, "invariant 9: client \(client) has \(count) tasks")
  }

  /// Of the connection that sent a request.
  mutating func checkUnanswered(_ number: Int, _ core: inout GatewayCore, _ clients: ClientTable) {
    let client = records[number].client
    guard self.clients[client].requests.count > bounds.unansweredPerConnection else { return }
    let owed = self.clients[client].requests.filter { records[$0].isOwed && records[$0].duty == .request }
    guard owed.count > bounds.unansweredPerConnection else { return }
    var open = 0
    for other in owed where records[other].isClear && openRequest(other, &core, clients) != nil { open += 1 }
    expect(
      open <= bounds.unansweredPerConnection, "invariant 9: \(open) requests of client \(client) are open")
  }

  /// Bytes that wait for a client that does not read.
  func expectWithinBounds(unsent: Int, of client: Int) {
    expect(unsent <= bounds.clientOutputHardBytes, "invariant 9: \(unsent) bytes wait for client \(client)")
  }

  /// An answer is in the array, or says that there was no room for it.
  mutating func checkRoom(
    for answer: Range<Int>, in array: Range<Int>, _ bytes: [UInt8], by client: Int
  ) {
    let closingBracket = 1
    let end = answer.upperBound + closingBracket - array.lowerBound
    guard end > bounds.longestBatchReplyBytes else { return }
    let saysSo = ReplyView(answer, in: bytes.span)?.code == RPCError.tooLarge.code
    expect(saysSo, "invariant 9: a batch's answer to client \(client) has \(end) bytes")
  }

  /// A client whose task was sent in this turn keeps to its share; all that upstream heard in this turn is known.
  mutating func checkShares(_ upstream: Int, _ core: inout GatewayCore, _ clients: ClientTable) {
    let share = upstreams[upstream].looseShare
    // What a connection did not take at once was sent before, maybe when more was allowed.
    guard share < Self.tightShare,
      !upstreams[upstream].links.contains(where: { links[$0].isBacklogged || links[$0].wasBacklogged })
    else { return }
    for client in Set(seenOwners(upstream)).sorted() {
      guard client >= 0 else { continue }
      var calls = 0
      for link in upstreams[upstream].links {
        for call in links[link].calls where party(of: call) == client {
          if isSurelyKnown(call) || isOpen(call, &core, clients) { calls += 1 }
        }
      }
      expect(
        calls <= share,
        "invariant 9: \(calls) requests of client \(client) are in flight at upstream \(upstream), where "
          + "\(share) may be")
    }
  }

  // MARK: Of one lane, and of one task

  /// Checks the callers of a task that others have joined.
  mutating func checkCallers(of task: Int, _ core: inout GatewayCore, _ clients: ClientTable) {
    guard tasks[task].callerCount > bounds.callersPerTask else { return }
    var count = 0
    var number = tasks[task].firstCaller
    while number != 0 {
      let isKnown = records[number].isOwed && records[number].isClear
      if isKnown, openRequest(number, &core, clients) != nil { count += 1 }
      number = records[number].nextOfTask
    }
    expect(count <= bounds.callersPerTask, "invariant 9: \(count) callers wait for one task")
  }

  /// - Parameter live: those that wait for their start or run, its own one included.
  func expectRoomInLane(for number: Int, _ live: Int) {
    expect(live <= bounds.tasksPerLane, "invariant 9: \(live) tasks of a key are live with request \(number)")
  }

  func expectRoomInQueue(for number: Int, _ queued: Int) {
    expect(queued <= bounds.queuePerLane, "invariant 9: \(queued) tasks are queued beside request \(number)")
  }

  /// - Parameter unsettled: those of its lane that drain.
  func expectRoomToDrain(beside number: Int, _ unsettled: Int) {
    let hasRoom = unsettled < bounds.orphansPerLane
    expect(hasRoom, "invariant 9: \(number) was sent beside \(unsettled) that drain")
  }
}
