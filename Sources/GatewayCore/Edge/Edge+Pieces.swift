import HotData
import JSONRPC
import TaskStore

/// Answers that come in pieces, and their callers.
extension Edge {
  /// Whether a request that was just read takes its answer in pieces.
  @inline(__always)
  func streams(_ intent: TaskIntent) -> Bool { intent.said.contains(.stream) && intents.streams }

  func pieceTimes(_ intent: TaskIntent, _ route: Int) -> ProgressTimes {
    intents.pieceTimes(intent, route, at: nowMilliseconds)
  }

  /// How far progress and pieces put off a caller's deadline here, where another member has the task: as far as there.
  func remoteTimes(_ intent: TaskIntent, _ route: Int) -> RemoteTimes {
    RemoteTimes(
      progress: intent.said.contains(.timeout) ? ProgressTimes() : progressTimes(route),
      pieces: pieceTimes(intent, route))
  }

  /// Whether a client can be told something before its answer: but for POSTs that do not read events, each can.
  func takesPieces(_ client: Int) -> Bool { !clients[client].listener.takesAnswersOnly }

  /// A POST's response is a stream of events.
  mutating func takeEvents(_ client: Int) { clients[client].listener.takesAnswersOnly = false }

  /// Whether a caller hears anything before its answer: none does in an array.
  private func takesPieces(_ sender: Sender) -> Bool { sender.batch < 0 && takesPieces(sender.client) }

  /// A caller's client did not take so much when it was last written to that it gets no more pieces; or too much has come
  /// for it since, answers alone aside: it has had no chance to read them. Who gets none anyway leaves none unread.
  func leavesPiecesUnread(_ waiter: WaiterID) -> Bool {
    let sender = callers[waiter].sender
    guard takesPieces(sender) else { return false }
    let client = sender.client
    return clients[client].leavesMuchUnread
      || hasGivenMuch && clients[client].output.byteCount > mostUnwrittenBytes
  }

  private var mostUnwrittenBytes: Int {
    max(configuration.unreadPieceBytes, configuration.clientOutputSoftBytes)
  }

  /// A client was given something besides an answer. Before it gets more than it may leave unread it is written to.
  private mutating func noteGiven(to client: Int) {
    markDirty(client)
    if clients[client].output.byteCount > configuration.unreadPieceBytes { hasGivenMuch = true }
  }

  /// What is said to the caller of a request besides its answer. It may name the request.
  mutating func relay(
    _ bytes: Span<UInt8>, _ message: Range<Int>, _ envelope: Envelope, to waiter: WaiterID
  ) {
    let sender = callers[waiter].sender
    guard takesMore(sender.client), takesPieces(sender) else { return }
    defer { noteGiven(to: sender.client) }
    guard isMirror(sender.client) else {
      let name = MCPReader.subscriptionID(in: envelope, bytes)
      if name.isEmpty { return relay(RequestID(), bytes, envelope, to: sender.client) }
      return relay(bytes, envelope, naming: waiter, at: name)
    }
    let framing = clients[sender.client].framing
    MessageWriter.piece(
      callers.id(of: waiter), bytes, message, isAside: true, as: framing, into: &clients[sender.client].output
    )
  }

  /// Relays an upstream's message about a subscription, under the id that its caller gave that.
  mutating func relay(_ bytes: Span<UInt8>, _ envelope: Envelope, naming waiter: WaiterID, at name: ByteRange)
  {
    let client = callers[waiter].sender.client
    guard takesMore(client) else { return }
    counters.relayed += 1
    let text = callers.id(of: waiter).withBytes {
      MessageWriter.notification(envelope, in: bytes, replacing: name, by: $0)
    }
    let framing = clients[client].framing
    MessageWriter.message(text.span, as: framing, into: &clients[client].output)
    markDirty(client)
  }

  /// Writes a piece of its answer to a caller: as what is delivered, it is never withdrawn.
  mutating func give(_ piece: Piece, in bytes: Span<UInt8>, to waiter: WaiterID) {
    let client = callers[waiter].sender.client
    guard takesMore(client) else { return }
    let framing = clients[client].framing
    if piece.value.count >= configuration.sharedAnswerBytes,
      let shared = shared(AnswerBody(range: piece.value.range), in: bytes, as: framing)
    {
      MessageWriter.piece(callers.id(of: waiter), shared, as: framing, into: &clients[client].output)
    } else {
      MessageWriter.piece(
        callers.id(of: waiter), bytes, piece.value.range, as: framing, into: &clients[client].output)
    }
    // Where it is written to the client itself it counts.
    if !isMirror(client) { counters.pieces += 1 }
    noteGiven(to: client)
  }
}
