import GatewayCore
import JSONRPC
import TaskStore

/// Errors of the gateway's own: each needs its reason.
extension Oracle {
  mutating func judgeError(_ reply: ReplyView, to number: Int, in bytes: [UInt8]) {
    if reply.code == Spelling.upstreamErrorCode { return judgeUpstreamError(reply, to: number, in: bytes) }
    let reply = unveiled(reply, number)
    noteFollowing(reply, to: number)
    let isClear = records[number].isClear
    if reply.code == RPCError.contentModified.code { coverage.count(.outdated) }
    coverage.count(records[number].policy, fate(of: reply))
    if isClear {
      expect(
        hasReason(reply, number),
        "request \(number) got \(reply.code) without a reason: \(text(bytes[reply.error]))")
    }
    checkData(reply, of: number, in: bytes)
    checkRetry(reply, of: number)
    if reply.retryAfterMilliseconds != nil { coverage.count(.overQuota) }
    if reply.generation > 0 { noteTaken(number) }
    if isClear, reply.generation > 0 { learn(from: reply, about: number) }
  }

  /// Where the listener hides superseding the error has another code, and says the rest as always.
  private mutating func unveiled(_ reply: ReplyView, _ number: Int) -> ReplyView {
    let isHidden = reply.code == RPCError.contentModified.code && reply.supersededBy > 0
    let shouldHide = clients[records[number].client].options.hidesSupersession
    let isSuperseded = isHidden || reply.code == RPCError.superseded.code
    expect(
      !isSuperseded || isHidden == shouldHide,
      "request \(number) was told of superseding by \(reply.code), against its listener's word")
    guard isHidden else { return reply }
    coverage.count(.hidden)
    var reply = reply
    reply.code = RPCError.superseded.code
    return reply
  }

  private func fate(of reply: ReplyView) -> Coverage.Fate {
    let isQueued = reply.phase == .queued
    return switch reply.code {
    case RPCError.superseded.code: isQueued ? .supersededQueued : .supersededRunning
    case RPCError.contentModified.code: .supersededQueued
    case RPCError.cancelled.code: isQueued ? .cancelledQueued : .cancelledRunning
    case RPCError.deadlineExceeded.code: isQueued ? .expiredQueued : .expiredRunning
    case RPCError.upstreamUnavailable.code: isQueued ? .unavailableQueued : .unavailableRunning
    case RPCError.busy.code: .busy
    case RPCError.overloaded.code: .overloaded
    default: .shuttingDown
    }
  }

  private func hasReason(_ reply: ReplyView, _ number: Int) -> Bool {
    let record = records[number]
    switch reply.code {
    case RPCError.superseded.code:
      guard reply.generation > 0 else { return mayBeTooLate(record, reply) }
      return record.terms.key >= 0 && reply.supersededBy > reply.generation
    case RPCError.contentModified.code:
      // It came and went with the same bytes: it may have followed meanwhile.
      let mayHaveFollowed = record.hasFollowed || record.terms.follows && record.task < 0
      return record.mayBeOutdated && (reply.phase == .queued || mayHaveFollowed)
    case RPCError.cancelled.code:
      return record.mayBeCancelled || isTakenBack(record.client)
    case RPCError.deadlineExceeded.code:
      return nowMilliseconds >= record.deadlineMilliseconds || mayHaveTakenTooLong(number)
    case RPCError.upstreamUnavailable.code:
      return isUnavailable(reply, number)
    case RPCError.shuttingDown.code:
      return record.isRefusedByDrain || isShutDown
    case RPCError.busy.code:
      return record.policy == .preferPrevious && record.mayBeBusy && record.task < 0
    case RPCError.overloaded.code:
      return record.mayBeOverloaded && record.task < 0
    default:
      return false
    }
  }

  /// Whether a client is a POST that was ended from outside, or that failed to authenticate too often.
  func isTakenBack(_ client: Int) -> Bool {
    let view = clients[client]
    return view.kind == .exchange && (view.isEnded || view.hasFailed)
  }

  private func mayBeTooLate(_ record: RecordView, _ reply: ReplyView) -> Bool {
    record.overtaking != .no && record.task < 0 && reply.supersededBy > 0
  }

  /// Whether what was sent may have been lost or badly answered, or what waited has waited in vain.
  private func isUnavailable(_ reply: ReplyView, _ number: Int) -> Bool {
    let record = records[number]
    guard let upstream = upstream(of: number).map({ upstreams[$0] }) else { return true }
    if upstream.isLost { return true }
    // What was read when its client's own upstream was lost, in the same array, goes nowhere any more.
    if clients[record.client].isLeaving, record.task < 0 { return true }
    let task = record.task >= 0 ? tasks[record.task] : TaskView(id: 0)
    // A caller that followed may be told "running" of its own first task; this check is about the newer one.
    if reply.phase == .queued || record.hasFollowed, hasWaitedInVain(task, record, upstream) { return true }
    guard reply.phase == .running else { return false }
    if task.sighted > 0 {
      return task.isLost || task.hasBadAnswer || mayHaveHadTooMany(task)
        || task.hasFailed && !task.hasFailedUnsent
    }
    return upstream.lastLoss >= record.handled
  }

  private func hasWaitedInVain(_ task: TaskView, _ record: RecordView, _ upstream: UpstreamView) -> Bool {
    // A task that was joined had begun to wait before.
    let first = task.creator > 0 ? records[task.creator] : record
    let isLate = nowMilliseconds >= first.handledMilliseconds + upstream.shortestConnectMilliseconds
    let mayHaveBeenOpen = upstream.maybeOpenUntilMilliseconds >= first.handledMilliseconds
    return task.hasFailedUnsent || isLate && (mayHaveBeenOpen || upstream.wasDown(since: first.handled))
  }

  // MARK: Data

  private mutating func checkData(_ reply: ReplyView, of number: Int, in bytes: [UInt8]) {
    let isRefusedAtDoor = reply.generation == 0
    expect(
      isRefusedAtDoor ? reply.upstream == .notSent : (reply.phase == .queued) == (reply.upstream == .notSent),
      "the error of request \(number) says \(reply.phase) and \(reply.upstream)")
    guard !isRefusedAtDoor else { return }
    guard records[number].isClear else { return }
    expect(!records[number].isSurelyRejected, "request \(number) was refused at once, and had a generation")
    expectOwnKey(reply, of: number, in: bytes)
    checkUpstreamWord(reply, of: number)
  }

  private mutating func checkUpstreamWord(_ reply: ReplyView, of number: Int) {
    if reply.upstream == .cancelSent { records[number].saidCancelSent = true }
    if let dialect = dialect(of: number), let upstream = upstream(of: number),
      !isBehindTheEnd(reply, number)
    {
      let saysCancel = reply.upstream == .cancelSent
      let stops = dialect != .abort || upstreams[upstream].stopsWhenAborted
      let knowsCancel = dialect != .none && stops
      expect(knowsCancel || !saysCancel, "request \(number) heard of a cancel that upstream cannot be told")
      let mustSayIt = reply.code == RPCError.superseded.code && reply.phase == .running && knowsCancel
      expect(saysCancel || !mustSayIt, "request \(number) was superseded, and heard no cancel was sent")
    }
    let task = records[number].task
    guard task >= 0 else { return }
    expect(
      reply.upstream != .notSent || !records[number].hadArrived,
      "invariant 4: request \(number) followed to what was not sent, and upstream had its own")
    // Else it may be about the task that it was admitted as.
    if reply.upstream == .cancelSent, !records[number].hasFollowed { owesCancel(task) }
    if reply.upstream == .notSent {
      tasks[task].notSentReplies += 1
      checkNotSent(task)
    }
  }

  /// Where a request went; nil if it may have joined one that went elsewhere.
  private func upstream(of number: Int) -> Int? {
    let record = records[number]
    guard record.task >= 0 else { return record.terms.join == .never ? record.terms.upstream : nil }
    return tasks[record.task].isUpstreamKnown ? tasks[record.task].upstream : nil
  }

  /// Whether upstream could not be told any more, or may not have been.
  private func isBehindTheEnd(_ reply: ReplyView, _ number: Int) -> Bool {
    let task = records[number].task
    guard task >= 0, tasks[task].link >= 0 else { return false }
    let ended = links[tasks[task].link].endedMilliseconds
    let isSurelyBehind =
      reply.code == RPCError.deadlineExceeded.code && records[number].deadlineMilliseconds > ended
      && upstreams[tasks[task].upstream].shortestAnswerMilliseconds == .max
    expect(
      !isSurelyBehind || reply.upstream != .cancelSent,
      "request \(number) heard of a cancel, and upstream had been told the end")
    return ended < .max
  }

  /// The dialect in which upstream is told of this request's cancel; nil: it may have joined a task of unknown dialect.
  private func dialect(of number: Int) -> CancelDialect? {
    let record = records[number]
    guard record.task >= 0 else { return record.terms.join == .never ? record.terms.cancel : nil }
    return tasks[record.task].creator == 0 ? nil : tasks[record.task].dialect
  }

  /// Learns from the generations in an error which request superseded which.
  private mutating func learn(from reply: ReplyView, about number: Int) {
    let record = records[number]
    if record.task >= 0, tasks[record.task].generation > 0 {
      let generation = tasks[record.task].generation
      expect(generation == reply.generation, "request \(number) of generation \(generation) heard another")
    }
    guard record.lane >= 0 else { return }
    // A caller that followed hears of a task that came later than its own request.
    let isNews = !record.hasFollowed && (record.task < 0 || tasks[record.task].generation == 0)
    if record.supersedesOlder, isNews, record.terms.maxStaleMilliseconds == nil {
      add(LaneView.Barrier(event: record.handled, generation: reply.generation), in: record.lane)
    }
    guard reply.supersededBy > 0, let task = newest(ofGeneration: reply.supersededBy) else { return }
    noteSuperseding(task)
    expectSupersededInOwnLane(number, by: task)
    expectNotToFollow(number, task)
    expect(maySupersede(task, number), "\(number) was superseded by \(tasks[task].creator), which may not")
  }

  func newest(ofGeneration generation: UInt64) -> Int? {
    let searched = tasks.indices.suffix(Self.searchedTasks)
    return searched.last { tasks[$0].generation == generation }
  }

  /// Errors name tasks of late.
  private static let searchedTasks = 32

  /// Whether any caller of a task asked for a policy that supersedes.
  private func maySupersede(_ task: Int, _ number: Int) -> Bool {
    if tasks[task].creator == 0 || lanes[tasks[task].lane].hadUnseen { return true }
    let victim = records[number].task
    let victimMayBeKeepLatest =
      victim < 0 || tasks[victim].creator == 0 || tasks[victim].policy == .keepLatest
    // Its first caller may have followed another since.
    var caller = tasks[task].creator
    var next = tasks[task].firstCaller
    while caller != 0 {
      switch records[caller].policy {
      case .cancel, .cancelAndWait: return true
      case .onAnswer: if tasks[task].hasResult || tasks[task].hasPiece { return true }
      case .keepLatest: if victimMayBeKeepLatest { return true }
      case .wait, .concurrent, .preferPrevious: break
      }
      caller = next
      next = caller == 0 ? 0 : records[caller].nextOfTask
    }
    return false
  }
}
