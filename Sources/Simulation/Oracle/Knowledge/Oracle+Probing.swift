import GatewayCore
import JSONRPC
import TaskStore

/// Which requests are open, and which joined which.
extension Oracle {
  /// Looks at what became of the messages that were just judged.
  mutating func probeArrivals(_ core: inout GatewayCore, _ clients: ClientTable) {
    let newestBefore = newestGeneration
    for number in arrivals { probe(number, newestBefore, &core, clients) }
    for number in gone { mayHaveBeenFollowed(request: number) }
    gone.removeAll(keepingCapacity: true)
    if arrivals.count == 1, openBefore.lines == 1 { checkOutdated(by: arrivals[0], &core, clients) }
    if let only = arrivals.first, openBefore.lines == 1 {
      checkJoined(only)
      checkSparing(only, &core, clients)
    }
    noteFollowers(&core, clients)
    for number in takenBack where openRequest(number, &core, clients) != nil {
      complain("request \(number) is still open though it was taken back")
    }
  }

  private mutating func probe(
    _ number: Int, _ newestBefore: UInt64, _ core: inout GatewayCore, _ clients: ClientTable
  ) {
    guard !records[number].request.isNotification, records[number].isClear else { return }
    guard let open = openRequest(number, &core, clients) else { return isGone(request: number) }
    expect(!records[number].isRefusedByDrain, "request \(number) was admitted while draining")
    if let known = task(withID: open.task.rawValue), tasks[known].generation == open.generation {
      if !hasTakenPlace(number, of: known) { joins(number, known) }
      checkCallers(of: known, &core, clients)
    } else {
      expect(open.generation > newestBefore, "the generation of request \(number) is not the newest")
      isAdmitted(number, as: open)
    }
    if records[number].terms.follows { followers.append(number) }
    if records[number].deadlineMilliseconds <= nowMilliseconds { timeless.append(number) }
    if mayHaveFollowedAtOnce(number) { return }
    checkSuperseded(by: number, &core, clients)
    checkUnanswered(number, &core, clients)
    checkDoor(number, &core, clients)
    checkOwnTasks(of: records[number].client, &core, clients)
    checkQueue(number, open.state, &core, clients)
  }

  /// What came in this turn without any time has been answered in it, unless much else was due.
  mutating func judgeTimeless(_ core: inout GatewayCore, _ clients: ClientTable) {
    guard !isLate else { return }
    // Another may have come with the same id.
    for number in timeless where records[number].isClear && openRequest(number, &core, clients) != nil {
      complain("request \(number) has no time, and is still open at the end of its turn")
    }
    timeless.removeAll(keepingCapacity: true)
  }

  /// It was refused at once, or superseded or taken back by a line that came with it.
  private mutating func isGone(request number: Int) {
    let lane = records[number].lane
    if openBefore.lines == 1 {
      records[number].isSurelyRejected = true
    } else if lane >= 0 {
      lanes[lane].hadUnseen = true
      lanes[lane].unseenMilliseconds = nowMilliseconds
      gone.append(number)
    }
  }

  /// The core's view of a request that waits for an answer; nil for any other, or if its client is gone.
  mutating func openRequest(
    _ number: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> OpenRequest? {
    guard let id = clients.id(of: records[number].client) else { return nil }
    scratch.removeAll(keepingCapacity: true)
    records[number].request.appendID(to: &scratch)
    let range = ByteRange(0..<scratch.count)
    scratch.append(contentsOf: repeatElement(0, count: JSONText.slackByteCount))
    return core.openRequest(range, in: scratch.span, of: id)
  }

  private mutating func isAdmitted(_ number: Int, as open: OpenRequest) {
    var task = newTask(open.task.rawValue, for: number)
    task.generation = open.generation
    task.burstMilliseconds = burstAtHand ?? nowMilliseconds
    if mayHaveJoinedTheUnseen(number) { task.creator = 0 }
    let index = add(task)
    addCaller(number, to: index)
    if task.creator != 0 { self.clients[records[number].client].tasks.append(index) }
    newestGeneration = max(newestGeneration, open.generation)
    guard task.creator != 0 else { return }
    records[number].ownTask = index
    clients[records[number].client].admitted.append(number)
    mayWait(index)
  }

  /// A task as the request asked for it.
  func newTask(_ id: UInt64, for number: Int) -> TaskView {
    let record = records[number]
    var task = TaskView(id: id)
    task.lane = record.lane
    task.creator = number
    task.admitted = record.handled
    task.policy = record.policy
    task.maxRunning = record.terms.maxRunning
    task.upstream = record.terms.upstream
    task.priority = record.terms.priority
    task.isUndoable = record.terms.isUndoable
    task.dialect = record.terms.cancel
    task.isUnheard = record.terms.isUnheard
    task.drainMilliseconds = record.terms.drainMilliseconds
    return task
  }

  /// Whether another request came and went with the same bytes whose task this one may have joined.
  private func mayHaveJoinedTheUnseen(_ number: Int) -> Bool {
    guard records[number].terms.join != .never, openBefore.lines > 1 else { return false }
    return arrivals.contains {
      $0 < number && records[$0].task < 0 && records[$0].lane == records[number].lane
    }
  }

  private mutating func joins(_ number: Int, _ task: Int) {
    let record = records[number]
    coverage.count(record.policy, .joined)
    addCaller(number, to: task)
    expect(
      tasks[task].lane == record.lane && record.lane >= 0, "request \(number) joined another lane's task")
    let creator = records[tasks[task].creator].request
    let mayJoin = tasks[task].creator == 0 || asks(record.request, asThat: creator, record.terms.join)
    expect(
      mayJoin && record.terms.join != .never,
      "request \(number) joined \(creator.number), whose answer is not for it")
    expect(
      record.terms.join == .always || !wasSurelyOutdated(task, for: number),
      "request \(number) joined \(creator.number), which a notification came after")
  }

  mutating func addCaller(_ number: Int, to task: Int) {
    records[number].task = task
    records[number].nextOfTask = tasks[task].firstCaller
    tasks[task].firstCaller = number
    tasks[task].callerCount += 1
  }

  /// The core's view of a task that has a known caller; nil if it has none.
  mutating func open(_ task: Int, _ core: inout GatewayCore, _ clients: ClientTable) -> OpenRequest? {
    var number = tasks[task].firstCaller
    while number != 0 {
      if records[number].isOwed, let open = openRequest(number, &core, clients),
        open.task.rawValue == tasks[task].id
      {
        return open
      }
      number = records[number].nextOfTask
    }
    return nil
  }

  mutating func isOpen(_ task: Int, _ core: inout GatewayCore, _ clients: ClientTable) -> Bool {
    open(task, &core, clients) != nil
  }
}
