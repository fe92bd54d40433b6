import HotData
import JSONRPC
package import TaskStore

/// Answers in pieces: each piece reaches only the callers that still wait for its answer.
extension GatewayCore {
  // MARK: Requests

  /// Why a request that would take its answer in pieces cannot; nil: it can, or gets none.
  @inline(never)
  mutating func pieceFault(_ envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender) -> RPCError? {
    guard !envelope.isNotification else { return nil }
    if sender.batch >= 0 { return .invalidParams("task.stream: no answer of a batch comes in pieces") }
    guard edge.takesPieces(sender.client) else {
      return .invalidParams("task.stream: a POST takes pieces with Accept: text/event-stream only")
    }
    guard newest(withID: envelope.id, in: bytes, of: sender.client) == nil else {
      return .invalidRequest.with(message: "task.stream: another open request has the same id")
    }
    return nil
  }

  /// A request that takes its answer in pieces was admitted.
  mutating func noteStream(of task: TaskID, _ waiter: WaiterID, _ intent: TaskIntent, _ route: Int) {
    lanes.noteStream(of: task)
    notePieceTimes(of: waiter, intent, route)
  }

  mutating func notePieceTimes(of waiter: WaiterID, _ intent: TaskIntent, _ route: Int) {
    lanes.notePieces(of: waiter, edge.pieceTimes(intent, route))
  }

  // MARK: Pieces

  /// An upstream has some of an answer.
  /// - Parameter exchange: whose exchange says it, which speaks of its own request only; nil: it is none.
  @inline(never)
  mutating func heardPiece(
    _ bytes: Span<UInt8>, _ envelope: Envelope, from slot: Int, of exchange: TaskID? = nil
  ) {
    guard let piece = Piece(envelope, in: bytes), let task = task(named: piece.id, in: bytes, from: slot),
      exchange == nil || exchange == task,
      !isLate || fireOverdue(of: task), lanes.isLive(task), upstreams.isWanted(task.slot),
      lanes.isStreaming(task)
    else { return upstreams.counters.droppedPieces += 1 }
    if piece.value.count > configuration.pieceBytes { return end(task, because: .badAnswer(.longPiece)) }
    let most = configuration.piecesPerTask
    if most > 0, lanes.pieceCount(of: task) >= most { return end(task, because: .badAnswer(.manyPieces)) }
    giveUpUnread(of: task)
    guard lanes.isLive(task) else { return upstreams.counters.droppedPieces += 1 }
    if lanes.givePiece(of: task) {
      upstreams.noteFirstPiece(admitted: lanes.requests[task.slot].admitted)
      if lanes.journal.isOpen { lanes.note(.firstPiece, task) }
    }
    // Replies that are due go out before anybody sees the newer piece.
    performEffects()
    let isLong = piece.value.count >= configuration.sharedAnswerBytes
    if isLong { edge.beginSharing(isForMany: lanes.hasManyCallers(task)) }
    var next = lanes.firstWaiter(of: task)
    while let waiter = next {
      edge.give(piece, in: bytes, to: waiter)
      next = lanes.waiter(after: waiter)
    }
    if isLong { edge.forgetSharedAnswer() }
    share.spend(messages: lanes.extendDeadlines(of: task, byPiece: true))
    if edge.hasBurst { share.end() }
  }

  /// An exchange says something before its answer. Behind the first `count` bytes, `chunk` holds the scanner's slack.
  package mutating func exchangeGave(
    _ task: TaskID, _ chunk: Span<UInt8>, count: Int, over upstream: UpstreamID
  ) {
    upstreams.counters.bytesFromUpstreams &+= UInt64(count)
    var envelope = Envelope()
    switch upstreams.scan(chunk, 0..<count, nil, into: &envelope) {
    case .message: break
    case .malformed where upstreams.toleratesNoise(upstream.slot): return upstreams.counters.noise += 1
    case .batch, .invalid, .malformed, .tooDeep: return upstreams.counters.unsolicited += 1
    }
    if Piece.isSaid(in: envelope, bytes: chunk) {
      return heardPiece(chunk, envelope, from: upstream.slot, of: task)
    }
    guard envelope.isNotification, upstreams.relaysNotifications(upstream.slot) else {
      return upstreams.counters.unsolicited += 1
    }
    heardAside(chunk, 0..<count, envelope, of: task, from: upstream.slot)
  }

  /// An exchange's notification before its answer: it is for the task's callers, and is gated as a piece is.
  mutating func heardAside(
    _ bytes: Span<UInt8>, _ message: Range<Int>, _ envelope: Envelope, of task: TaskID, from slot: Int
  ) {
    guard mayHearAside(of: task, from: slot) else { return upstreams.counters.droppedPieces += 1 }
    var next = lanes.firstWaiter(of: task)
    while let waiter = next {
      edge.relay(bytes, message, envelope, to: waiter)
      next = lanes.waiter(after: waiter)
    }
    if edge.hasBurst { share.end() }
    guard edge.progressToken(in: envelope, bytes) != nil else { return }
    share.spend(messages: lanes.extendDeadlines(of: task))
  }

  /// Whether a task of which an upstream says something has a caller; a client that does not read gets no more.
  mutating func mayHearAside(of task: TaskID, from slot: Int) -> Bool {
    guard isAwaited(task, from: slot) else { return false }
    giveUpUnread(of: task)
    return lanes.isLive(task)
  }

  /// Whether a task that an upstream works on has a caller.
  private mutating func isAwaited(_ task: TaskID, from slot: Int) -> Bool {
    guard lanes.knows(task), upstreams.isAt(slot, task.slot), !isLate || fireOverdue(of: task),
      lanes.isLive(task)
    else { return false }
    return upstreams.isWanted(task.slot)
  }

  /// An upstream of a client's own says something for a subscription, which names the request that began it: it is gated
  /// as a piece is.
  /// - Returns: whether it does.
  mutating func heardSubscribed(_ bytes: Span<UInt8>, _ envelope: Envelope, from slot: Int) -> Bool {
    guard upstreams.isCancelledByMCP(slot) else { return false }
    let name = MCPReader.subscriptionID(in: envelope, bytes)
    guard let task = JSONNumber.nonNegativeInteger(name, in: bytes).flatMap(TaskID.init(exactly:)) else {
      return false
    }
    guard isAwaited(task, from: slot) else {
      upstreams.counters.droppedPieces += 1
      return true
    }
    guard edge.takesMore(upstreams.client(ofSession: slot)) else { return true }
    var next = lanes.firstWaiter(of: task)
    while let waiter = next {
      share.spend(messages: 1)
      edge.relay(bytes, envelope, naming: waiter, at: name)
      next = lanes.waiter(after: waiter)
    }
    return true
  }

  /// A client with too much unread output gets no more of an answer; the task's other callers do.
  private mutating func giveUpUnread(of task: TaskID) {
    var unread: [WaiterID] = []
    var next = lanes.firstWaiter(of: task)
    while let waiter = next {
      if edge.leavesPiecesUnread(waiter) { unread.append(waiter) }
      next = lanes.waiter(after: waiter)
    }
    guard !unread.isEmpty else { return }
    lanes.giveUp(unread: unread)
    performEffects()
  }

  // MARK: Other loops

  /// Some of an answer has come that another loop has.
  mutating func heardRemotePiece(_ bytes: Span<UInt8>, _ message: Range<Int>) {
    guard let piece = Piece(writtenAs: message, in: bytes),
      let number = JSONNumber.nonNegativeInteger(piece.id, in: bytes),
      let waiter = peers.waiter(ofCall: number),
      // Requests that the gateway answers itself have no pieces.
      !peers.call(of: waiter).isOwn
    else { return }
    guard edge.leavesPiecesUnread(waiter) else {
      if piece.isAside { return heardRemoteAside(bytes, piece.value.range, to: waiter) }
      peers.notePiece(to: waiter)
      peers.extend(waiter, byPiece: true, now: nowMilliseconds)
      return edge.give(piece, in: bytes, to: waiter)
    }
    peers.takeBack(waiter)
    refuse(waiter, .unread, isSent: true)
  }

  private mutating func heardRemoteAside(_ bytes: Span<UInt8>, _ message: Range<Int>, to waiter: WaiterID) {
    var envelope = Envelope()
    guard case .message = upstreams.scan(bytes, message, nil, into: &envelope) else {
      return upstreams.counters.droppedPieces += 1
    }
    edge.relay(bytes, message, envelope, to: waiter)
    guard edge.progressToken(in: envelope, bytes) != nil else { return }
    peers.extend(waiter, byPiece: false, now: nowMilliseconds)
  }
}
