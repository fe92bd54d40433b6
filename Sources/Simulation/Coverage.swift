import GatewayCore
import JSONRPC
import TaskStore

/// How often everything that can happen has happened.
package struct Coverage: Sendable {
  /// What became of a request.
  enum Fate: Int, CaseIterable {
    case delivered, failed, joined, supersededQueued, supersededRunning, cancelledQueued, cancelledRunning
    case expiredQueued, expiredRunning, unavailableQueued, unavailableRunning, busy, overloaded, shuttingDown
    case abandoned

    /// Whether a request of this policy can come to this end.
    func isPossible(for policy: DuplicatePolicy) -> Bool {
      switch self {
      case .busy: policy == .preferPrevious
      case .joined: policy != .wait && policy != .concurrent && policy != .onAnswer
      default: true
      }
    }
  }

  /// What else a history should have seen.
  enum Happening: Int, CaseIterable {
    case spared, undone, clogged, paused, closedUnread, closedDone, givenUp, turnedAway, halfClosed,
      refusedConnection, cancelledAtEnd, hidden, foreignAnswer,
      routedElsewhere, routedKey, routedPolicy, routedJoin, routedDebounce, overruledRoute, givenUpAttempt,
      routedPriority, routedCancel,
      openCircuit, takesTooLong, waitsForConnection, waitsForRoom, reset, passedTask, forgottenExchange,
      lostOwn, relayed, heardAside, droppedAside, heardSubscribed, heardReport, droppedReport, heardPiece,
      droppedPiece, saidPieces, tooManyPieces, answeredQuestion,
      refusedQuestion, nobodyAsked, cancelOfNothing,
      takenBackByMCP, passedEnd, heldEndBack, flushedEarly, closedEarly, gaveMemoryBack,
      badAnswer, deliveredNotification, lostNotification, abortedNotification,
      heldBack, leftLate, splitBatch, late, heldAnswers, closedForRoom, lentRoom, outdated,
      toldRejectedBusy, toldRejectedOverloaded, toldRejectedShuttingDown, toldRejectedOvertaken,
      leftBehind, overtaken, sharedSession,
      toldJoined, toldFollowed, followedTogether, followedNone, followedInPieces,
      toldGoesOn, toldByAnswer, toldNotSentAfterAll,
      toldCancelSent, toldAnswered, toldError,
      toldSilent, toldSucceeded, toldFailed, toldUnsentNotification, leftOutEvents, wonAtBound, tookTurns,
      answeredHTTP, endedMidMessage, toldOfHalf, extended, waitsForShare, heardLastWords, waitedForUpstream,
      beyondBound, forgotten,
      authenticated, failedAuthentication, stayedWhoItIs, revoked, tokenEnded, cancelledForPrincipal,
      overQuota, refusedLogIn, refusedCancel, evicted,
      greeted, leftInHandshake, turnedBackInHandshake, spokeWithHandshake, splitRecord, severalRecords,
      cutOffUnderTLS, alteredRecord,
      endedUnderTLS, endedBehindHeld, lastWordsUnderTLS,
      lostFrame, arrivedBehindCut, sentIntoCut, delayedFrame, openedAgain, missedTime

    /// Whether it can happen here: without TLS no client comes under it.
    fileprivate var isPossible: Bool {
      switch self {
      case .greeted, .leftInHandshake, .turnedBackInHandshake, .spokeWithHandshake, .splitRecord,
        .severalRecords, .cutOffUnderTLS, .alteredRecord, .endedUnderTLS, .endedBehindHeld,
        .lastWordsUnderTLS:
        SimulatedPapers.areThere
      default: true
      }
    }
  }

  private static let codes = [
    0, Spelling.upstreamErrorCode, -32700, -32600, -32601, -32602, -32800, -32801, -32080, -32081, -32082,
    -32083,
    -32084,
    -32085, -32086, -32087, -32088,
  ]
  private static let phases = 3
  private static let words = 4

  private static let dialects: [CancelDialect] = [.lsp, .mcp, .notification, .abort]
  private var cancels = [Int](repeating: 0, count: dialects.count)
  private var actions = [Int](repeating: 0, count: Action.Kind.allCases.count)
  private var happenings = [Int](repeating: 0, count: Happening.allCases.count)
  private var malformed = [Int](repeating: 0, count: MalformedMessage.all.count)
  private var replies = [Int](repeating: 0, count: codes.count * phases * words)
  private var refusals = [Int](repeating: 0, count: Terms.Refusal.allCases.count)
  private var fates = [Int](repeating: 0, count: DuplicatePolicy.allCases.count * Fate.allCases.count)

  package init() {}

  mutating func count(_ action: Action) { actions[action.kind.rawValue] += 1 }
  mutating func count(_ happening: Happening) { happenings[happening.rawValue] += 1 }
  mutating func count(_ dialect: CancelDialect) { cancels[Self.dialects.firstIndex(of: dialect) ?? 0] += 1 }
  mutating func count(_ refusal: Terms.Refusal) { refusals[refusal.rawValue] += 1 }
  mutating func count(malformed index: Int) { malformed[index] += 1 }

  mutating func count(_ policy: DuplicatePolicy, _ fate: Fate) {
    fates[Int(policy.rawValue) * Fate.allCases.count + fate.rawValue] += 1
  }

  mutating func count(_ phase: ReplyView.Phase, _ word: ReplyView.Upstream, code: Int) {
    guard let index = Self.codes.firstIndex(of: code) else { return }
    replies[Self.place(index, phase.rawValue, word.rawValue)] += 1
  }

  private static func place(_ code: Int, _ phase: Int, _ word: Int) -> Int {
    (code * phases + phase) * words + word
  }

  package mutating func add(_ other: Coverage) {
    for index in cancels.indices { cancels[index] += other.cancels[index] }
    for index in actions.indices { actions[index] += other.actions[index] }
    for index in happenings.indices { happenings[index] += other.happenings[index] }
    for index in refusals.indices { refusals[index] += other.refusals[index] }
    for index in malformed.indices { malformed[index] += other.malformed[index] }
    for index in replies.indices { replies[index] += other.replies[index] }
    for index in fates.indices { fates[index] += other.fates[index] }
  }
}

extension Action.Kind {
  fileprivate var isPossible: Bool {
    switch self {
    case .connectSecurely, .cutOff, .alter, .changeKeys: SimulatedPapers.areThere
    default: true
    }
  }
}

/// Coverage as text.
extension Coverage {
  /// One thing that can happen, and how often it has.
  package struct Row: Sendable {
    package var name: String
    package var count: Int
  }

  package var rows: [Row] {
    let actionRows = Action.Kind.allCases.filter(\.isPossible).map {
      Row(name: "action \($0)", count: actions[$0.rawValue])
    }
    let malformedRows = MalformedMessage.all.indices.map {
      Row(name: "malformed \(MalformedMessage.all[$0].name)", count: malformed[$0])
    }
    let happeningRows = Happening.allCases.filter(\.isPossible).map {
      Row(name: "and \($0)", count: happenings[$0.rawValue])
    }
    let refusalRows = Terms.Refusal.allCases.map {
      Row(name: "refused \($0)", count: refusals[$0.rawValue])
    }
    let cancelRows = Self.dialects.indices.map {
      Row(name: "cancel \(Self.dialects[$0])", count: cancels[$0])
    }
    return actionRows + cancelRows + malformedRows + happeningRows + refusalRows + replyRows + fateRows
  }

  private var replyRows: [Row] {
    Self.replyKinds.map { code, phase, word in
      let index = Self.codes.firstIndex(of: code) ?? 0
      let detail = phase == .none && word == .none ? "" : " \(phase) \(word)"
      let name = code == 0 ? "reply result" : "reply \(code)\(detail)"
      return Row(name: name, count: replies[Self.place(index, phase.rawValue, word.rawValue)])
    }
  }

  private var fateRows: [Row] {
    DuplicatePolicy.allCases.flatMap { policy in
      Fate.allCases.filter { $0.isPossible(for: policy) }.map { fate in
        Row(
          name: "fate \(policy.name) \(fate)",
          count: fates[Int(policy.rawValue) * Fate.allCases.count + fate.rawValue])
      }
    }
  }

  /// Every reply that the protocol knows.
  private static let replyKinds: [(Int, ReplyView.Phase, ReplyView.Upstream)] = [
    (0, .none, .none), (Spelling.upstreamErrorCode, .none, .none), (-32700, .none, .none),
    (-32600, .none, .none),
    (-32601, .none, .none), (-32602, .none, .none), (-32086, .none, .none),
    (-32087, .none, .none), (-32088, .none, .none),
    (-32801, .queued, .notSent), (-32801, .running, .cancelSent),
    (-32800, .queued, .notSent), (-32800, .running, .cancelSent), (-32800, .running, .mayHaveCompleted),
    (-32080, .queued, .notSent), (-32080, .running, .cancelSent), (-32080, .running, .mayHaveCompleted),
    (-32083, .queued, .notSent), (-32083, .running, .cancelSent), (-32083, .running, .mayHaveCompleted),
    (-32084, .queued, .notSent), (-32084, .running, .mayHaveCompleted), (-32081, .none, .notSent),
    (-32082, .none, .notSent), (-32085, .none, .notSent), (-32085, .queued, .notSent),
    (-32085, .running, .mayHaveCompleted),
  ]
}
