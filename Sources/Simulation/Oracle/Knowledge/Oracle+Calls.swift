import GatewayCore
import JSONRPC
import TaskStore

/// What upstream is sent.
extension Oracle {
  /// Upstream sees a call; returns the oracle's number for its task.
  mutating func sawCall(
    _ id: UInt64, ask: Int, at link: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> Int {
    let upstream = numbering.upstream(of: link)
    let task = task(withID: id) ?? addUnknownTask(id, ask: ask)
    expect(tasks[task].sighted == 0, "a task was sent twice: call \(id)")
    expect(!tasks[task].isUndoing, "call \(id) has the id of one that undoes another")
    let creator = tasks[task].creator
    let isRight = creator == 0 || tasks[task].upstream == upstream
    expect(isRight, "call \(id) went to upstream \(upstream), not to \(tasks[task].upstream)")
    tasks[task].upstream = upstream
    noteSight(of: task, at: link)
    checkMayBeSent(task, over: link, &core, clients)
    if creator != 0 {
      checkOrder(ofCall: creator, at: upstream)
      expectAsk(ask, of: creator, by: id)
      checkDebounce(creator)
      if tasks[task].callerCount == 1 { checkWanted(creator, over: link) }
      if records[creator].saidCancelSent { owesCancel(task) }
    }
    checkNotSent(task)
    return task
  }

  mutating func noteSight(of task: Int, at link: Int) {
    sightOrder += 1
    tasks[task].sighted = event
    tasks[task].sightedMilliseconds = nowMilliseconds
    tasks[task].isSightExact = !links[link].isBacklogged
    tasks[task].sightOrder = sightOrder
    tasks[task].link = link
    tasks[task].connection = links[link].connection
    links[link].calls.append(task)
    if tasks[task].isUndoing { return }
    upstreams[tasks[task].upstream].seen.append((link, task))
    sights.append(task)
  }

  /// Upstream sees a notification that ends with this.
  /// Returns the request that it was, if that is known.
  mutating func sawNotification(
    ask: Int, at link: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> Int? {
    let upstream = numbering.upstream(of: link)
    sightOrder += 1
    upstreams[upstream].seen.append((link, -1))
    checkMayBeSent(-1, over: link, &core, clients)
    guard let number = notification(ask: ask, to: upstream) else { return nil }
    checkWanted(number, over: link)
    checkOrder(ofNotification: number, at: upstream)
    guard records[number].task >= 0 else { return number }
    tasks[records[number].task].sighted = event
    tasks[records[number].task].link = link
    tasks[records[number].task].sightOrder = sightOrder
    return number
  }

  /// The notification that asks this, if only one does.
  private func notification(ask: Int, to upstream: Int) -> Int? {
    guard asks[ask].requestCount == 1 else { return nil }
    let number = asks[ask].request
    expect(records[number].handled > 0, "notification \(number) was sent before it came")
    expect(asks[ask].occurrences == 1, "notification \(number) was sent twice")
    let terms = records[number].terms
    expect(terms.refusal == nil, "notification \(number) was sent, though it makes no sense")
    expect(terms.upstream == upstream, "notification \(number) went to upstream \(upstream)")
    return number
  }

  /// Upstream is about to get one that has an exchange of its own; returns the oracle's number for its task.
  mutating func sawNotification(
    _ id: UInt64, ask: Int, at link: Int, _ core: inout GatewayCore, _ clients: ClientTable
  ) -> Int {
    let upstream = numbering.upstream(of: link)
    let number = notification(ask: ask, to: upstream)
    let known = number.map { records[$0].task } ?? -1
    let task = known >= 0 ? known : add(TaskView(id: id))
    expect(tasks[task].sighted == 0, "a notification was sent twice: \(id)")
    (tasks[task].id, taskOfID[id]) = (id, task)
    tasks[task].isNotification = true
    tasks[task].isExchange = true
    // Nobody can be asked whether it did.
    tasks[task].hasWaited = true
    tasks[task].upstream = upstream
    if let number {
      checkWanted(number, over: link)
      records[number].task = task
      tasks[task].priority = records[number].terms.priority
      tasks[task].isNamed =
        records[number].isClear && (records[number].lane >= 0 || records[number].terms.key < 0)
      if tasks[task].creator == 0, records[number].lane < 0 { tasks[task].creator = number }
    }
    noteSight(of: task, at: link)
    checkMayBeSent(task, over: link, &core, clients)
    return task
  }

  /// Adds a task that came and was superseded at once: its ask tells which request it is, if only one has that ask.
  private mutating func addUnknownTask(_ id: UInt64, ask: Int) -> Int {
    let number = asks[ask].request
    guard asks[ask].requestCount == 1, records[number].task < 0, records[number].isClear else {
      return add(TaskView(id: id))
    }
    expect(records[number].handled > 0, "call \(id) was sent before its request \(number) came")
    expect(!records[number].isSurelyRejected, "call \(id) was sent though its request \(number) was refused")
    var task = newTask(id, for: number)
    task.leftMilliseconds = records[number].handledMilliseconds
    // Its client may have gone, too.
    task.drainMilliseconds = records[number].terms.leftDrainMilliseconds
    task.firstCaller = number
    task.callerCount = 1
    records[number].task = tasks.count
    return add(task)
  }

  private func checkDebounce(_ creator: Int) {
    let terms = records[creator].terms
    guard terms.maxWaitMilliseconds == nil else { return }
    let due = records[creator].handledMilliseconds + Int(terms.debounceMilliseconds)
    expect(nowMilliseconds >= due, "request \(creator) was sent before its debounce was over")
  }
}
