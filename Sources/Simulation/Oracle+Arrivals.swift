import GatewayCore
import JSONRPC
import TaskStore

/// What the core has judged.
extension Oracle {
  mutating func willReceive(lines: Int, _ core: borrowing GatewayCore) {
    openBefore = (core.taskCount, core.liveRequestCount, lines)
    arrivals.removeAll(keepingCapacity: true)
    takenBack.removeAll(keepingCapacity: true)
  }

  mutating func received(_ message: Message, from client: Int) {
    event += 1
    switch message {
    case .request(let request): received(request, from: client)
    case .cancelRequest(let number, _): takeBack(number, from: client)
    case .oddity(let number, let index):
      coverage.count(oddity: index)
      switch Oddity.all[index].reply {
      case .none: break
      case .errorToNull(let code): clients[client].nullsDue[code, default: 0] += 1
      case .null, .error: note(number, from: client)
      }
    }
  }

  private mutating func note(_ number: Int, from client: Int) {
    records[number].handled = event
    records[number].handledMilliseconds = nowMilliseconds
    clients[client].requests = compacted(clients[client].requests)
    clients[client].requests.append(number)
  }

  private mutating func received(_ request: Request, from client: Int) {
    let lane = records[request.number].lane
    validRequests += request.isNotification ? 0 : 1
    records[request.number].mayBeOverloaded =
      request.key == Spelling.twinKey || mayBeOverloaded(lane: lane, from: client)
    records[request.number].mayBeBusy = lane < 0 || laneMayBeLive(lane)
    records[request.number].mayBeUnavailable = isDown
    records[request.number].isRefusedByDrain = isDraining
    if request.isNotification {
      records[request.number].handled = event
      records[request.number].handledMilliseconds = nowMilliseconds
      noteNotification(request, in: lane)
    } else {
      note(request.number, from: client)
      if lane >= 0 {
        lanes[lane].requests = compacted(lanes[lane].requests)
        lanes[lane].requests.append(request.number)
      }
    }
    noteSupersession(by: request, in: lane)
    arrivals.append(request.number)
  }

  /// Without what is answered, now and then.
  private func compacted(_ requests: [Int]) -> [Int] {
    guard requests.count >= 16, requests.count.isMultiple(of: 16) else { return requests }
    return requests.filter { records[$0].isOwed }
  }

  private mutating func noteNotification(_ request: Request, in lane: Int) {
    let record = records[request.number]
    let mayBeRefused = record.mayBeOverloaded || request.policy == .preferPrevious && record.mayBeBusy
    guard lane >= 0, !isDraining else { return }
    var task = TaskView(id: 0)
    task.lane = lane
    task.creator = mayBeRefused ? 0 : request.number
    task.admitted = event
    task.policy = request.effectivePolicy
    task.isNotification = true
    records[request.number].task = add(task)
  }

  /// From now on the lane's tasks may drain: their grace cannot have begun before.
  private mutating func noteSupersession(by request: Request, in lane: Int) {
    guard lane >= 0, !isDraining else { return }
    for task in lanes[lane].tasks where tasks[task].admitted < event {
      guard
        request.supersedesOlder || request.effectivePolicy == .keepLatest && tasks[task].policy == .keepLatest
      else { continue }
      tasks[task].leftMilliseconds = min(tasks[task].leftMilliseconds, nowMilliseconds)
    }
  }

  // MARK: Taking back

  private mutating func takeBack(_ number: Int, from client: Int) {
    let target = records[records[number].request.idNumber]
    guard target.client == client else { return }
    var twin = records[number].request.idNumber
    while twin != 0 {
      noteTakenBack(twin)
      twin = records[twin].nextTwin
    }
  }

  private mutating func noteTakenBack(_ number: Int) {
    guard records[number].isOwed, records[number].oddity < 0 else { return }
    records[number].mayBeCancelled = true
    noteMayHaveLeft(records[number].task)
    if records[number].isClear { takenBack.append(number) }
  }

  /// One of the task's callers leaves.
  mutating func noteMayHaveLeft(_ task: Int) {
    guard task >= 0 else { return }
    tasks[task].leftMilliseconds = min(tasks[task].leftMilliseconds, nowMilliseconds)
  }

  // MARK: What may be a reason to refuse

  private func mayBeOverloaded(lane: Int, from client: Int) -> Bool {
    let (bounds, lines) = (configuration.store, openBefore.lines)
    if openBefore.tasks + lines >= bounds.tasks || openBefore.callers + lines >= bounds.waiters {
      return true
    }
    if owed(among: clients[client].requests) + lines >= configuration.unansweredPerConnection { return true }
    if lane >= 0, queueMayBeFull(lane) { return true }
    let isUnflushed = event > lastClean + 1 && configuration.upstreamOutputHardBytes < World.tightBytes
    return isDown || isBacklogged || isUnflushed || configuration.payloadBytes < World.tightBytes
  }

  private func queueMayBeFull(_ lane: Int) -> Bool {
    let notifications = lanes[lane].tasks.count { tasks[$0].isNotification && tasks[$0].sighted == 0 }
    return owed(among: lanes[lane].requests) + notifications + openBefore.lines
      >= configuration.store.queuePerLane
  }

  private func laneMayBeLive(_ lane: Int) -> Bool {
    owed(among: lanes[lane].requests) > 0 || lanes[lane].tasks.contains { tasks[$0].isNotification }
  }

  private func owed(among requests: [Int]) -> Int { requests.count { records[$0].isOwed } }
}
