import GatewayCore
import TaskStore

/// What must be true as soon as a request was admitted.
extension Oracle {
  // MARK: Joining

  /// A request that comes alone joins the newest task with a caller, if its rule says so.
  mutating func noteWhatToJoin(_ request: Request, _ core: inout GatewayCore, _ clients: ClientTable) {
    decide(request)
    let record = records[request.number]
    let mayJoin = record.isClear && !request.isNotification && record.terms.join != .never
    guard mayJoin, record.lane >= 0 else { return }
    var newest = -1
    for task in lanes[record.lane].tasks where newest < 0 || tasks[task].admitted > tasks[newest].admitted {
      if isOpen(task, &core, clients) { newest = task }
    }
    guard newest >= 0, tasks[newest].creator != 0, tasks[newest].creator != request.number else { return }
    let isTooOld = record.terms.join == .identical && mayBeOutdated(newest)
    isJoiningUnclear = isTooOld && !isSurelyOutdated(newest)
    if !isTooOld, asks(request, asThat: records[tasks[newest].creator].request, record.terms.join) {
      shouldJoin = newest
    }
  }

  /// Whether a request may have the other's answer: it asks the very same, or by the same method.
  func asks(_ request: Request, asThat other: Request, _ rule: JoinRule) -> Bool {
    switch rule {
    case .identical: request.ask == other.ask
    case .always: Spelling.haveSameMethod(request, other)
    case .never: false
    }
  }

  func checkJoined(_ number: Int) {
    guard shouldJoin >= 0, !records[number].isRefusedByDrain, !records[number].mayBeOverloaded,
      records[number].overtaking == .no
    else { return }
    let joined = tasks[shouldJoin].creator
    expect(records[number].task == shouldJoin, "request \(number) did not join \(joined)")
  }

  // MARK: Bounds

  /// Without an upstream connection a request that waits for nothing else waits for a while only.
  mutating func expectNoneWaitsInVain(_ core: inout GatewayCore, _ clients: ClientTable) {
    guard active.contains(where: { isLate($0) }) else { return }
    for client in clients.open {
      for number in self.clients[client].requests where mustHaveBeenSent(number) {
        guard isLate(records[number].terms.upstream), openRequest(number, &core, clients) != nil else {
          continue
        }
        complain("request \(number) still waits, and there is no upstream")
      }
    }
  }

  private func isLate(_ upstream: Int) -> Bool {
    let view = upstreams[upstream]
    return view.isDown && nowMilliseconds >= view.downSinceMilliseconds + view.connectMilliseconds
  }

  private func mustHaveBeenSent(_ number: Int) -> Bool {
    let record = records[number]
    guard record.isOwed, record.isClear, record.duty == .request, record.terms.key < 0 else { return false }
    let limit = upstreams[record.terms.upstream].connectMilliseconds
    return nowMilliseconds >= record.handledMilliseconds + limit
  }

  /// A request came alone and was admitted: the upstream's waiting line must have had room for it.
  mutating func checkDoor(_ number: Int, _ core: inout GatewayCore, _ clients: ClientTable) {
    let record = records[number]
    guard openBefore.lines == 1, record.task >= 0, tasks[record.task].creator == number else { return }
    let waiting = waiting(for: record.terms.upstream, &core, clients).count
    let limit = upstreams[record.terms.upstream].waitingLimit
    expect(
      waiting < limit || limit >= World.tightBytes, "request \(number) was admitted where \(waiting) wait")
  }

  // MARK: The queue

  /// Nothing waits that could start, and not more than the bound.
  mutating func checkQueue(
    _ number: Int, _ state: TaskState, _ core: inout GatewayCore, _ clients: ClientTable
  ) {
    let record = records[number]
    guard record.lane >= 0, state == .queued, tasks[record.task].creator == number else { return }
    var (queued, unended, holding, openOthers, hiddenQueued) = (1, 0, 0, 0, 0)
    for other in lanes[record.lane].tasks where other != record.task {
      if let open = open(other, &core, clients) {
        openOthers += 1
        if open.state == .queued { queued += 1 }
        checkKeepLatest(other, number, open.state)
      } else if !isOver(other) {
        unended += 1
        if !isSurelyOutOfGrace(other) { holding += 1 }
        if mayBeQueuedUnseen(other) { hiddenQueued += 1 }
      }
    }
    expectRoomInLane(for: number, openOthers + 1)
    expectRoomInQueue(for: number, queued)
    checkMustWait(
      number, queued: queued + hiddenQueued, openOthers: openOthers, unended: unended, holding: holding)
  }

  /// Nobody waits for a notification: whether it is queued does not show.
  func mayBeQueuedUnseen(_ task: Int) -> Bool { tasks[task].isNotification && tasks[task].sighted == 0 }

  private func checkKeepLatest(_ other: Int, _ number: Int, _ state: TaskState) {
    guard records[number].policy == .keepLatest, tasks[other].policy == .keepLatest else { return }
    guard tasks[other].creator != 0, state == .queued else { return }
    complain("\(tasks[other].creator) is still queued though \(number) took its place")
  }

  /// A queued task waits for other tasks, for its debounce, or for a place among draining ones.
  /// - Parameters:
  ///   - queued: queued tasks of its lane, itself included.
  ///   - holding: tasks that have not ended and may still be in their grace.
  private func checkMustWait(
    _ number: Int, queued: Int, openOthers: Int, unended: Int, holding: Int
  ) {
    let record = records[number]
    let task = tasks[record.task]
    if record.terms.debounceMilliseconds > 0 || task.spared >= 0 { return }
    if lanes[record.lane].hadUnseen { return }
    let waitsForRoom = unended >= configuration.store.orphansPerLane
    let waitsForOthers = task.waitsForEarlier && (queued > 1 || openOthers + holding >= task.maxRunning)
    expect(waitsForRoom || waitsForOthers, "request \(number) is queued, and there is nothing to wait for")
  }
}
