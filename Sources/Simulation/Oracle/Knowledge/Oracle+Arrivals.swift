import GatewayCore
import Identity
import JSONRPC
import TaskStore

/// What the core has judged.
extension Oracle {
  mutating func willReceive(_ messages: [Message], _ core: inout GatewayCore, _ clients: ClientTable) {
    openBefore = (core.taskCount, core.liveRequestCount, messages.reduce(0) { $0 + $1.itemCount })
    (shouldJoin, shouldSpare, burstAtHand) = (-1, -1, nil)
    (room, isJoiningUnclear) = (nil, false)
    openOrders.removeAll(keepingCapacity: true)
    if messages.count == 1, case .request(let request) = messages[0] {
      noteWhatToJoin(request, &core, clients)
      noteOpenOrders(for: request, &core, clients)
      if !isJoiningUnclear { noteRoom(for: request, &core, clients) }
      if records[request.number].lane >= 0 {
        shouldSpare = mustSpare(request, &core, clients)
        burstAtHand = burst(replacedBy: request, &core, clients)
      }
    }
    arrivals.removeAll(keepingCapacity: true)
    takenBack.removeAll(keepingCapacity: true)
  }

  mutating func received(_ message: Message, from client: Int) {
    event += 1
    let refusal = refusal(of: message, from: client)
    switch message {
    case .request(let request): received(request, from: client)
    case .cancelRequest where refusal != nil, .cancelled where refusal != nil: break
    case .cancelRequest(let number, _):
      isCancelSure = !mayRefuseCancel(of: client)
      countCancel(of: client)
      takeBack(number, from: client)
    case .cancelled(let number, let other, _): received(cancelOf: other, number, from: client)
    case .reply(let number, let reply): replied(reply, to: number, from: client)
    case .cancel(let number, let target):
      note(number, from: client)
      isCancelSure = !mayRefuseCancel(of: client)
      records[number].mayBeOverQuota = !isCancelSure
      if refusal == nil { countCancel(of: client) }
      if case .key(let label) = target { records[number].targets = lanes(label, of: client) }
      records[number].duty =
        refusal ?? .cancelCount(atMost: takeBack(target, number, from: client))
    case .inspect(let number, let label):
      note(number, from: client)
      records[number].duty = refusal ?? .inspection(lanes: lanes(label, of: client))
    case .authenticate(let number, let token):
      note(number, from: client)
      records[number].duty = authenticates(client, token: token)
      // Of a POST nothing is read behind a token that is refused, but the rest of an array.
      if case .refusal = records[number].duty, clients[client].kind == .exchange, records[number].batch < 0 {
        clients[client].hasFailed = true
      }
    case .malformed(let number, let index):
      coverage.count(malformed: index)
      switch MalformedMessage.all[index].reply {
      case .none: break
      case .errorToNull(let code): clients[client].nullsDue[code, default: 0] += 1
      case .null, .error: note(number, from: client)
      }
    case .batch(let items):
      guard items.count <= configuration.batchItems else {
        return clients[client].nullsDue[RPCError.invalidRequest.code, default: 0] += 1
      }
      for item in items { received(item, from: client) }
    case .items(let items): for item in items { received(item, from: client) }
    }
  }

  private mutating func note(_ number: Int, from client: Int) {
    records[number].handled = event
    records[number].handledMilliseconds = nowMilliseconds
    records[number].isHandledLate = isLate
    clients[client].requests = compacted(clients[client].requests)
    clients[client].requests.append(number)
  }

  private mutating func received(_ request: Request, from client: Int) {
    let number = request.number
    decide(request)
    note(records[number].terms, of: request)
    if request.isTwin { clients[client].hadTwins = true }
    guard records[number].terms.refusal == nil else {
      records[number].isSurelyRejected = true
      return request.isNotification ? () : note(number, from: client)
    }
    let lane = records[number].lane
    records[number].mayBeOverloaded =
      !records[number].isClear || mayBeOverloaded(number, from: client)
    countRequest(of: client)
    noteOrder(of: request)
    records[number].mayBeBusy = lane < 0 || laneMayBeLive(lane)
    records[number].isRefusedByDrain = isDraining
    if records[number].overtaking == .surely { return noteOvertaken(number, from: client) }
    if request.isNotification {
      records[number].handled = event
      records[number].handledMilliseconds = nowMilliseconds
      records[number].isHandledLate = isLate
      noteNotification(number, in: lane)
      noteOutdated(by: number)
    } else {
      validRequests += 1
      note(number, from: client)
      if lane >= 0 {
        lanes[lane].requests = compacted(lanes[lane].requests)
        lanes[lane].requests.append(number)
      }
    }
    noteSupersession(by: number, in: lane)
    arrivals.append(number)
  }

  /// It supersedes nothing, and never becomes a task.
  private mutating func noteOvertaken(_ number: Int, from client: Int) {
    records[number].isSurelyRejected = true
    if records[number].request.isNotification {
      records[number].handled = event
      records[number].handledMilliseconds = nowMilliseconds
      records[number].isHandledLate = isLate
    } else {
      validRequests += 1
      note(number, from: client)
    }
  }

  /// Without what is answered, now and then.
  private func compacted(_ requests: [Int]) -> [Int] {
    guard requests.count >= 16, requests.count.isMultiple(of: 16) else { return requests }
    return requests.filter { records[$0].isOwed }
  }

  /// Nobody hears whether a notification was refused: one that may have been holds up nobody.
  private mutating func noteNotification(_ number: Int, in lane: Int) {
    let record = records[number]
    let mayBeRefused =
      record.mayBeOverloaded || record.policy == .preferPrevious && record.mayBeBusy
      || record.overtaking == .perhaps
    guard lane >= 0, !isDraining else { return }
    // It ends when it is sent, and its lane may then hold no task before others come in the same turn.
    disturb(lane: lane)
    var task = TaskView(id: 0)
    task.lane = lane
    task.creator = mayBeRefused ? 0 : number
    task.admitted = event
    task.policy = record.policy
    task.maxRunning = record.terms.maxRunning
    task.upstream = record.terms.upstream
    task.priority = record.terms.priority
    task.isNotification = true
    // Its client may go, and nobody sees from when on that counts.
    task.drainMilliseconds = record.terms.leftDrainMilliseconds
    records[number].task = add(task)
    clients[record.client].tasks.append(records[number].task)
  }

  /// From now on the lane's tasks may drain: their grace cannot have begun before.
  private mutating func noteSupersession(by number: Int, in lane: Int) {
    guard lane >= 0, !isDraining else { return }
    let record = records[number]
    guard record.supersedesOlder || record.policy == .keepLatest else { return }
    if lanes[lane].staleSinceMilliseconds == nil { lanes[lane].staleSinceMilliseconds = nowMilliseconds }
    for task in lanes[lane].tasks where tasks[task].admitted < event {
      if record.supersedesOlder || tasks[task].policy == .keepLatest {
        noteMayHaveLeft(task, isSuperseded: true)
      }
    }
  }

  /// One of the task's callers leaves, or may.
  /// - Parameter isSuperseded: what supersedes it is then in the lane.
  mutating func noteMayHaveLeft(_ task: Int, isSuperseded: Bool = false) {
    guard task >= 0 else { return }
    tasks[task].leftMilliseconds = min(tasks[task].leftMilliseconds, nowMilliseconds)
    if !isSuperseded { disturbLane(of: task) }
  }

  // MARK: What may be a reason to refuse

  private mutating func mayBeOverloaded(_ number: Int, from client: Int) -> Bool {
    if let room {
      let mayBe = mayBeOverloaded(number, with: room)
      if !mayBe, room.makesRoom, mayBeOverloadedBesides(number, from: client) { coverage.count(.wonAtBound) }
      return mayBe
    }
    return mayBeOverloadedBesides(number, from: client)
  }

  /// The same if nothing makes room for it.
  private func mayBeOverloadedBesides(_ number: Int, from client: Int) -> Bool {
    let lane = records[number].lane
    let upstream = upstreams[records[number].terms.upstream]
    let (limits, lines) = (configuration.store, openBefore.lines)
    if openBefore.tasks + lines >= limits.tasks || openBefore.callers + lines >= limits.waiters {
      return true
    }
    if owed(among: clients[client].requests) + lines >= configuration.unansweredPerConnection { return true }
    if openBefore.tasks + lines >= configuration.tasksPerConnection { return true }
    if openBefore.callers + lines >= mostCallers(of: client) { return true }
    if let quotas = quotas(of: client) {
      if openBefore.tasks + lines >= quotas.tasks || quotas.payloadBytes < World.tightBytes { return true }
      if isMaybeTooFast(number, from: client) { return true }
    }
    if lane >= 0, laneMayBeFull(lane) { return true }
    if callersMayBeTooMany(number) { return true }
    if bounds.tightestMemoryBytes < World.tightBytes { return true }
    return configuration.payloadBytes < World.tightBytes || upstreamMayBeFull(upstream)
  }

  /// Whether it may join a task that has all the callers that it may have.
  func callersMayBeTooMany(_ number: Int) -> Bool {
    let (lane, terms) = (records[number].lane, records[number].terms)
    guard lane >= 0, terms.join != .never else { return false }
    return owed(among: lanes[lane].requests) + openBefore.lines >= configuration.store.callersPerTask
  }

  /// Whether more may wait for an upstream than should.
  private func upstreamMayBeFull(_ upstream: UpstreamView) -> Bool {
    let tasks = openBefore.tasks + openBefore.lines
    if tasks > upstream.waitingLimit { return true }
    return ownUpstreamsMayBeTooMany(upstream) || outputMayBeFull(upstream)
  }

  func ownUpstreamsMayBeTooMany(_ upstream: UpstreamView) -> Bool {
    upstream.isPrivate && ownUpstreamsAtMost > configuration.privateUpstreams
  }

  func outputMayBeFull(_ upstream: UpstreamView) -> Bool {
    let tasks = openBefore.tasks + openBefore.lines
    guard upstream.outputHardBytes < World.tightBytes else { return false }
    let isUnflushed = event > upstream.lastClean + 1
    return upstream.isDown || upstream.isBacklogged || isUnflushed || tasks > 1
  }

  /// So many upstreams may clients have for themselves.
  private var ownUpstreamsAtMost: Int { active.count { upstreams[$0].mayExist && upstreams[$0].isPrivate } }

  /// Whether a lane may have all the tasks that it may have, or all that may be queued in it.
  func laneMayBeFull(_ lane: Int) -> Bool {
    liveAtMost(in: lane) >= min(configuration.store.queuePerLane, configuration.store.tasksPerLane)
  }

  /// The most callers that a lane's live tasks may have, notifications included, with all lines that come now.
  /// - Parameter joined: requests older than this task leave; -1: none leaves.
  func liveAtMost(in lane: Int, joining joined: Int = -1) -> Int {
    let notifications = lanes[lane].tasks.count { tasks[$0].isNotification && !isOver($0) }
    let stay = lanes[lane].requests.filter { joined < 0 || mayStay($0, with: joined) }
    return owed(among: stay) + notifications + openBefore.lines
  }

  /// Whether a request may be one of a task's callers: it is not known whose it is, or it may have followed.
  private func mayStay(_ request: Int, with task: Int) -> Bool {
    let record = records[request]
    return record.task < 0 || record.task == task || record.terms.follows
  }

  private func laneMayBeLive(_ lane: Int) -> Bool {
    owed(among: lanes[lane].requests) > 0 || lanes[lane].tasks.contains { tasks[$0].isNotification }
  }

  func owed(among requests: [Int]) -> Int { requests.count { records[$0].isOwed } }
}
