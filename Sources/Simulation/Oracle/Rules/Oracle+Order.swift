import GatewayCore
import JSONRPC
import TaskStore

/// The answers of one event, and those that are due together, come in their order.
extension Oracle {
  /// What caused the last reply to a client, and which of the replies with that cause it was.
  struct LastReply {
    enum Cause: Equatable {
      case none
      /// A newer task, by its generation.
      case superseded(UInt64)
      /// The answer to a task.
      case answered(Int)
      /// The clock, in a turn.
      case expired(Int)
    }

    var cause = Cause.none
    var rank: (due: Int, generation: UInt64, arrival: Int) = (0, 0, 0)
  }

  /// A client has heard a reply that is in no batch.
  mutating func checkOrder(of reply: ReplyView, to number: Int, by client: Int) {
    let record = records[number]
    guard record.duty == .request, record.isClear, record.task >= 0 else {
      clients[client].lastReply = LastReply()
      return
    }
    var last = LastReply()
    last.cause = cause(of: reply, to: number)
    let due = reply.code == RPCError.deadlineExceeded.code ? record.deadlineMilliseconds : 0
    last.rank = (due, tasks[record.task].generation, record.handled)
    let before = clients[client].lastReply
    if last.cause != .none && last.cause == before.cause {
      expect(before.rank < last.rank, "request \(number) was answered out of turn")
    }
    clients[client].lastReply = last
    if reply.supersededBy > 0 { expectNoneAnswered(before: number, of: reply.supersededBy, client) }
  }

  private func cause(of reply: ReplyView, to number: Int) -> LastReply.Cause {
    let record = records[number]
    // A caller that followed comes after the task's own callers; its time is over in the order of its first task.
    let mayHaveFollowed = record.hasFollowed || record.terms.follows && tasks[record.task].creator == 0
    guard tasks[record.task].generation > 0, !mayHaveFollowed else { return .none }
    if reply.supersededBy > 0 {
      // Where others joined it, it may have superseded more than once.
      guard let newer = newest(ofGeneration: reply.supersededBy), tasks[newer].callerCount == 1,
        !mayBeJoined(newer)
      else { return .none }
      return .superseded(reply.supersededBy)
    }
    if reply.code == 0 { return .answered(record.task) }
    // If an answer comes while many timers are due, its callers' timeouts are judged first; a client that reads slowly
    // hears of a timeout in a later turn.
    let isExact =
      record.terms.timeoutMilliseconds > 0 && !record.mayBeExtended && !mayHaveTakenTooLong(number)
      && lateMilliseconds < record.deadlineMilliseconds
    return reply.code == RPCError.deadlineExceeded.code && isExact ? .expired(turn) : .none
  }

  /// Whether one of the requests at hand, of which nothing is known yet, may have joined this task.
  private func mayBeJoined(_ task: Int) -> Bool {
    arrivals.contains {
      records[$0].task < 0 && records[$0].lane == tasks[task].lane && records[$0].terms.join != .never
    }
  }

  /// A superseded caller hears of it before the newer task's own callers hear their answer.
  private func expectNoneAnswered(before number: Int, of generation: UInt64, _ client: Int) {
    guard let newer = newest(ofGeneration: generation), tasks[newer].isDelivered else { return }
    var caller = tasks[newer].firstCaller
    while caller != 0 {
      let record = records[caller]
      let isHeard = record.client == client && record.isReplied && record.isResult && record.batch < 0
      expect(!isHeard, "\(number) heard that \(caller) superseded it after \(caller) was answered")
      caller = record.nextOfTask
    }
  }
}
