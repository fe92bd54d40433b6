import GatewayCore
import Identity
import TaskStore

/// The newest wins at every bound.
extension Oracle {
  /// Looks at what a request will find that comes alone.
  mutating func noteRoom(for request: Request, _ core: inout GatewayCore, _ clients: ClientTable) {
    let record = records[request.number]
    guard record.isClear, record.terms.refusal == nil else { return }
    let terms = record.terms
    var room = Room(
      unanswered: owed(among: self.clients[record.client].requests), tasks: openBefore.tasks,
      callers: openBefore.callers,
      ownTasks: clients.id(of: record.client).map { core.taskCount(of: $0) } ?? 0,
      requestBytes: core.requestByteCount,
      ownRequestBytes: clients.id(of: record.client).map { core.requestByteCount(of: $0) } ?? 0,
      principalTasks: clients.id(of: record.client).map { core.principalTaskCount(of: $0) } ?? 0,
      principalCallers: clients.id(of: record.client).map { core.principalCallerCount(of: $0) } ?? 0,
      principalBytes: clients.id(of: record.client).map { core.principalByteCount(of: $0) } ?? 0, waiting: 0)
    for client in clients.open where client != record.client {
      room.mostRequestBytes = max(room.mostRequestBytes, core.requestByteCount(of: clients.all[client].id))
    }
    if upstreams[terms.upstream].waitingLimit < World.tightBytes {
      room.waiting = core.upstreamGauges[terms.place].waiting
    }
    room.emptiesQueue = record.supersedesOlder && !mayBeSpared(by: record)
    for victim in victims(of: request, &core, clients) {
      discount(victim, from: &room, for: record, &core, clients)
    }
    let limit = configuration.store.tasks
    if openBefore.tasks == limit && room.tasks >= limit && hasForgettableTask { room.tasks = limit - 1 }
    self.room = room
  }

  private func mayBeSpared(by record: RecordView) -> Bool { record.terms.maxStaleMilliseconds ?? 0 > 0 }

  /// The tasks that it surely supersedes.
  private mutating func victims(
    of request: Request, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> [(task: Int, state: TaskState)] {
    let record = records[request.number]
    guard record.lane >= 0, !mayBeSpared(by: record) else { return [] }
    guard record.supersedesOlder || record.policy == .keepLatest else { return [] }
    let end = shouldJoin < 0 ? Int.max : tasks[shouldJoin].admitted
    var victims: [(task: Int, state: TaskState)] = []
    for task in lanes[record.lane].tasks where tasks[task].admitted < end && task != shouldJoin {
      guard tasks[task].creator != 0, let open = open(task, &core, clients) else { continue }
      let isReplaced = tasks[task].policy == .keepLatest && open.state == .queued
      if record.supersedesOlder || isReplaced { victims.append((task, open.state)) }
    }
    return victims
  }

  private mutating func discount(
    _ victim: (task: Int, state: TaskState), from room: inout Room, for record: RecordView,
    _ core: inout GatewayCore, _ clients: ClientTable
  ) {
    let task = tasks[victim.task]
    let isUnsent = victim.state == .queued || surelyWaits(victim.task, &core, clients)
    room.makesRoom = true
    if isUnsent || task.isUnheard {
      room.tasks -= 1
      if records[task.creator].client == record.client { room.ownTasks -= 1 }
      if isOfSamePrincipal(task.creator, record) { room.principalTasks -= 1 }
    }
    if isUnsent && victim.state == .running && task.upstream == record.terms.upstream { room.waiting -= 1 }
    let asked = askedBytes(records[task.creator].request)
    var freed = 0
    if isUnsent {
      freed = asked.sum
    } else if !task.isUndoable && !records[task.creator].request.isNotification {
      // What a notification asks has gone when it was sent.
      freed = asked.params
    }
    room.requestBytes -= freed
    if isOfSamePrincipal(task.creator, record) { room.principalBytes -= freed }
    var caller = task.firstCaller
    while caller != 0 {
      if records[caller].isOwed, let open = openRequest(caller, &core, clients), open.task.rawValue == task.id
      {
        // A caller that follows may stay, and so is not counted as making room.
        if records[caller].terms.follows {
          caller = records[caller].nextOfTask
          continue
        }
        room.callers -= 1
        if isOfSamePrincipal(caller, record) { room.principalCallers -= 1 }
        if records[caller].client == record.client { room.unanswered -= 1 }
      }
      caller = records[caller].nextOfTask
    }
  }

  private func isOfSamePrincipal(_ number: Int, _ record: RecordView) -> Bool {
    clients[records[number].client].principal == clients[record.client].principal
  }

  /// Whether a running task has not been sent.
  private mutating func surelyWaits(_ task: Int, _ core: inout GatewayCore, _ clients: ClientTable) -> Bool {
    let upstream = tasks[task].upstream
    guard tasks[task].sighted == 0, !upstreams[upstream].isLost else { return false }
    return upstreams[upstream].isDown || waiting(for: upstream, &core, clients).contains(task)
  }

  /// How many bytes of method and params a request has.
  private mutating func askedBytes(_ request: Request) -> (sum: Int, params: Int) {
    let ask = Spelling.asks[Int(request.form)]
    scratch.removeAll(keepingCapacity: true)
    ask.params.append(request.ask, to: &scratch)
    let params = scratch.count
    ask.method.append(request.ask, to: &scratch)
    return (scratch.count, params)
  }

  /// A client that asks for fewer bytes than this is counted as asking for none.
  static let littleAsked = 256

  /// Whether there may be no room for it: not if another asks more than twice as much as its client.
  private mutating func asksTooMuch(_ request: Request, with room: Room, _ quotas: Quotas?) -> Bool {
    let asked = askedBytes(request).sum + (request.trace.map { Spelling.traces[$0].utf8.count } ?? 0)
    if let quotas, room.principalBytes + asked > quotas.payloadBytes { return true }
    guard room.requestBytes + asked > Bounds.requestBytes(configuration) else { return false }
    let own = room.ownRequestBytes + asked
    let another = room.mostRequestBytes
    if another >= Self.littleAsked && another >= 2 * own {
      coverage.count(.lentRoom)
      return false
    }
    return true
  }

  /// Whether a bound may refuse the request that came alone.
  mutating func mayBeOverloaded(_ number: Int, with room: Room) -> Bool {
    let record = records[number]
    let limits = configuration.store
    let upstream = upstreams[record.terms.upstream]
    if ownUpstreamsMayBeTooMany(upstream) || isMaybeTooFast(number, from: record.client) { return true }
    let quotas = quotas(of: record.client)
    if !record.request.isNotification {
      if room.callers >= limits.waiters { return true }
      if room.unanswered >= configuration.unansweredPerConnection { return true }
      if room.principalCallers >= mostCallers(of: record.client) { return true }
    }
    if shouldJoin >= 0 {
      return tasks[shouldJoin].callerCount >= limits.callersPerTask
        || liveAtMost(in: record.lane, joining: room.emptiesQueue ? shouldJoin : -1) >= limits.tasksPerLane
    }
    if callersMayBeTooMany(number) { return true }
    if room.ownTasks >= configuration.tasksPerConnection { return true }
    if let quotas, room.principalTasks >= quotas.tasks { return true }
    if room.tasks >= limits.tasks || room.waiting >= upstream.waitingLimit { return true }
    if asksTooMuch(record.request, with: room, quotas) { return true }
    // It may join one all the same, and what it joins does not leave.
    let staysBeside = !room.emptiesQueue || record.terms.join != .never
    if staysBeside, record.lane >= 0, laneMayBeFull(record.lane) { return true }
    return outputMayBeFull(upstream)
  }
}
