import GatewayCore
import TaskStore

/// A caller that follows waits for the newer task if its own is superseded and both have one method, and else for none.
extension Oracle {
  /// Notes which task each caller that follows waits for now.
  mutating func noteFollowers(_ core: inout GatewayCore, _ clients: ClientTable) {
    guard !followers.isEmpty else { return }
    followers.removeAll { !records[$0].isOwed }
    for number in followers {
      guard let open = openRequest(number, &core, clients), records[number].task >= 0,
        open.task.rawValue != tasks[records[number].task].id
      else { continue }
      let older = records[number].task
      let isOpen = isOpen(older, &core, clients)
      expect(!isOpen, "\(number) follows, and others still wait for its task")
      if let newer = task(withID: open.task.rawValue), tasks[newer].generation == open.generation {
        follow(number, to: newer)
      } else {
        followTheUnseen(number, open)
      }
    }
  }

  /// The request that the newer task was admitted for came and went with the same bytes.
  private mutating func followTheUnseen(_ number: Int, _ open: OpenRequest) {
    expect(open.generation > tasks[records[number].task].generation, "\(number) follows to what is older")
    var task = newTask(open.task.rawValue, for: number)
    (task.generation, task.creator, task.admitted) = (open.generation, 0, event)
    let newer = add(task)
    newestGeneration = max(newestGeneration, open.generation)
    follow(number, to: newer)
  }

  private mutating func follow(_ number: Int, to newer: Int) {
    let older = records[number].task
    expect(
      mayFollow(number, to: newer), "\(number) follows to \(tasks[newer].creator), whose answer is not for it"
    )
    let hadNone = records[number].pieceCount == 0 && piecesDue(to: number).isEmpty
    expect(hadNone, "\(number) follows, and had pieces already")
    if records[number].request.streams { coverage.count(.followedInPieces) }
    noteMayHaveLeft(older)
    if tasks[older].sighted > 0, tasks[older].creator == number { records[number].hadArrived = true }
    var caller = tasks[older].firstCaller
    if caller == number {
      tasks[older].firstCaller = records[number].nextOfTask
    } else {
      while caller != 0, records[caller].nextOfTask != number { caller = records[caller].nextOfTask }
      if caller != 0 { records[caller].nextOfTask = records[number].nextOfTask }
    }
    addCaller(number, to: newer)
    records[number].hasFollowed = true
  }

  private func mayFollow(_ number: Int, to newer: Int) -> Bool {
    let (record, task) = (records[number], tasks[newer])
    guard record.terms.follows, record.lane >= 0, task.lane == record.lane, !task.isNotification,
      task.generation > tasks[record.task].generation || tasks[record.task].generation == 0
    else { return false }
    guard task.creator != 0 else { return true }
    let other = records[task.creator].request
    return Spelling.haveSameMethod(record.request, other) && record.request.streams == other.streams
  }

  // MARK: Requests that came together

  /// Whether the task that a request waits for may be a later one's that came with it.
  func mayHaveFollowedAtOnce(_ number: Int) -> Bool {
    guard records[number].terms.follows, openBefore.lines > 1, let place = arrivals.firstIndex(of: number)
    else {
      return false
    }
    return arrivals[(place + 1)...].contains { records[$0].lane == records[number].lane }
  }

  /// Two requests came together, and the later one superseded the earlier, whose caller follows: both wait for the
  /// later one's task.
  mutating func hasTakenPlace(_ number: Int, of known: Int) -> Bool {
    let creator = tasks[known].creator
    guard openBefore.lines > 1, creator != number else { return false }
    let earlier = whoMayHaveFollowed(to: known)
    guard !earlier.isEmpty else { return false }
    let record = records[number]
    if record.terms.join != .never,
      creator == 0 || asks(record.request, asThat: records[creator].request, record.terms.join)
    {
      // Or it has joined the earlier one's.
      tasks[known].creator = 0
      return false
    }
    var task = newTask(tasks[known].id, for: number)
    (task.generation, task.burstMilliseconds) = (tasks[known].generation, nowMilliseconds)
    (task.firstCaller, task.callerCount) = (tasks[known].firstCaller, tasks[known].callerCount)
    tasks[known] = task
    addCaller(number, to: known)
    for caller in earlier { hasFollowed(caller, from: known) }
    records[number].ownTask = known
    clients[record.client].admitted.append(number)
    coverage.count(.followedTogether)
    clients[record.client].tasks.append(known)
    lanes[record.lane].hadUnseen = true
    lanes[record.lane].unseenMilliseconds = nowMilliseconds
    return true
  }

  /// Callers of this task that may have followed to it: all, if its presumed creator may have followed, or, where the
  /// creator is not known, its first caller.
  private func whoMayHaveFollowed(to task: Int) -> [Int] {
    let creator = tasks[task].creator
    let callers = callers(of: task)
    guard let first = creator == 0 ? callers.last : creator, records[first].terms.follows,
      arrivals.contains(first)
    else { return [] }
    return callers
  }

  /// A request came and went, and may have superseded an earlier one of the same turn, whose caller may now wait for
  /// the later one's task: nobody can tell.
  mutating func mayHaveBeenFollowed(request number: Int) {
    guard let place = arrivals.firstIndex(of: number) else { return }
    for earlier in arrivals[..<place]
    where records[earlier].terms.follows && records[earlier].lane == records[number].lane {
      let task = records[earlier].task
      guard task >= 0, tasks[task].creator == earlier else { continue }
      tasks[task].creator = 0
      hasFollowed(earlier, from: task)
    }
  }

  /// A task that a request seemed to have been admitted for is not its own.
  private mutating func hasFollowed(_ number: Int, from task: Int) {
    records[number].hasFollowed = true
    records[number].ownTask = -1
    clients[records[number].client].tasks.removeAll { $0 == task }
    clients[records[number].client].admitted.removeAll { $0 == number }
  }

  // MARK: Replies

  /// An answer has reached a request that may have followed to its task since.
  mutating func noteFollowing(_ number: Int, to task: Int) {
    guard records[number].task != task, records[number].task >= 0, records[number].terms.follows,
      mayFollow(number, to: task)
    else { return }
    follow(number, to: task)
  }

  /// The same of an error that names the task's generation.
  mutating func noteFollowing(_ reply: ReplyView, to number: Int) {
    let record = records[number]
    guard record.terms.follows, record.isClear, record.task >= 0, reply.generation > 0,
      reply.generation != tasks[record.task].generation
    else { return }
    if let task = newest(ofGeneration: reply.generation) { return noteFollowing(number, to: task) }
    // That has come and gone with the same bytes.
    expect(reply.generation > tasks[record.task].generation, "\(number) heard of an older task than its own")
    records[number].task = -1
    records[number].hasFollowed = true
  }

  /// A request was superseded, and heard so.
  mutating func expectNotToFollow(_ number: Int, _ newer: Int) {
    let record = records[number]
    guard record.terms.follows, record.isClear, record.task >= 0, tasks[record.task].creator != 0,
      tasks[newer].creator != 0, mostCallers(of: newer, without: number) < configuration.store.callersPerTask,
      reloadedMilliseconds < records[tasks[newer].creator].handledMilliseconds
    else { return }
    // A caller that was given a piece does not follow, and no caller follows to a task that gives pieces.
    guard !tasks[record.task].hasPiece, !tasks[newer].hasPiece else { return }
    expect(!mayFollow(number, to: newer), "\(number) follows, and \(tasks[newer].creator) superseded it")
    coverage.count(.followedNone)
  }

  /// How many callers a task may have had before this request could follow to it. Others of its lane may have followed
  /// from any older task, and may be answered by now.
  private func mostCallers(of task: Int, without number: Int) -> Int {
    lanes[tasks[task].lane].requests.count {
      $0 != number && (records[$0].task == task || records[$0].terms.follows)
    }
  }
}
