import HotData
import JSONRPC
import TaskStore

/// The `data` of errors for requests that never became a task here, or that another process was asked.
private let notSent: StaticString = "{\"upstream\":\"notSent\"}"
private let mayHaveCompleted: StaticString = "{\"upstream\":\"mayHaveCompleted\"}"

/// Replies to clients: answers, and errors for requests and for messages that are none.
extension Edge {
  /// Writes a result or an error object as its peer gave it, if that is a line that can be written in one go.
  @inline(__always)
  mutating func isWritten(
    _ body: AnswerBody, _ bytes: Span<UInt8>, to id: ShortRequestID, of sender: Sender
  ) -> Bool {
    guard sender.batch < 0, body.range.count < configuration.sharedAnswerBytes, body.isFreeOfLineBreaks,
      !id.isAbsent, takesMore(sender.client),
      clients[sender.client].framing == .lines
    else { return false }
    let limitBytes = MessageWriter.surroundingBytes + body.range.count
    let isWritten = clients[sender.client].output.write(upTo: limitBytes) {
      MessageWriter.answerLine(id, isError: body.isError, bytes, body.range, into: &$0)
    }
    if isWritten { markDirty(sender.client) }
    return isWritten
  }

  /// Writes a result or an error object as its peer gave it.
  mutating func answer(_ id: RequestID, _ body: AnswerBody, in bytes: Span<UInt8>, to sender: Sender) {
    guard takesMore(sender.client) else { return }
    guard sender.batch < 0 else {
      return answerInBatch(id, isError: body.isError, bytes, body.range, batch: sender.batch)
    }
    markDirty(sender.client)
    let framing = clients[sender.client].framing
    if body.range.count >= configuration.sharedAnswerBytes, let shared = shared(body, in: bytes, as: framing)
    {
      return MessageWriter.answer(
        id, isError: body.isError, shared, as: framing, into: &clients[sender.client].output)
    }
    MessageWriter.answer(
      id, isError: body.isError, bytes, body.range, isFreeOfLineBreaks: body.isFreeOfLineBreaks,
      as: framing, into: &clients[sender.client].output)
  }

  mutating func answer(_ id: RequestID, _ error: RPCError, to sender: Sender) {
    guard takesMore(sender.client) else { return }
    guard sender.batch < 0 else { return answerInBatch(id, error, batch: sender.batch) }
    let framing = clients[sender.client].framing
    MessageWriter.error(id, error, as: framing, into: &clients[sender.client].output)
    markDirty(sender.client)
  }

  mutating func answer<Data: JSONPart>(
    _ id: RequestID, _ error: RPCError, data: Data, to sender: Sender
  ) {
    guard takesMore(sender.client) else { return }
    guard sender.batch < 0 else { return answerInBatch(id, error, data: data, batch: sender.batch) }
    let framing = clients[sender.client].framing
    MessageWriter.error(id, error, data: data, as: framing, into: &clients[sender.client].output)
    markDirty(sender.client)
  }

  mutating func answer(
    _ result: [UInt8], to envelope: Envelope, in bytes: Span<UInt8>, of sender: Sender
  ) {
    guard !envelope.isNotification else { return }
    let id = RequestID(envelope.id, in: bytes)
    answer(id, AnswerBody(range: result.indices), in: result.span, to: sender)
  }

  /// Whether a client's output is within its hard bound; beyond it the client is given up at once, for one event may
  /// have an answer for thousands of its requests.
  @inline(__always)
  mutating func takesMore(_ client: Int) -> Bool {
    if blocks.isOverLimit { makeRoom() }
    guard clients[client].unsentByteCount <= configuration.clientOutputHardBytes else {
      clients[client].end(as: .givenUp)
      markDirty(client)
      return false
    }
    return !clients[client].isGivenUp
  }

  /// `$/cancelRequest`, sent with every change of an editor, needs no answer: nothing is made for one.
  mutating func answerNull(to envelope: Envelope, in bytes: Span<UInt8>, of sender: Sender) {
    guard !envelope.isNotification else { return }
    answer(Array("null".utf8), to: envelope, in: bytes, of: sender)
  }

  /// A message that is no valid request is answered, unless it is a notification.
  mutating func refuseMessage(
    _ error: RPCError, of envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender
  ) {
    counters.invalid += 1
    guard !envelope.isNotification else { return }
    answer(RequestID(envelope.id, in: bytes), error, to: sender)
  }

  mutating func refuseMessage(_ error: RPCError, from sender: Sender) {
    counters.invalid += 1
    answer(RequestID(), error, to: sender)
  }

  /// A valid notification that does not become a task: nobody is answered, so it is told elsewhere, the first of each
  /// connection by its method.
  @inline(never)
  mutating func lose(
    _ envelope: Envelope, _ error: RPCError, in bytes: Span<UInt8>, from client: Int
  ) {
    counters.notificationsLost += 1
    guard refusedNotifications.count < Self.toldNotifications, clientsToldOf.insert(client).inserted else {
      return
    }
    var method: [UInt8] = []
    _ = JSONString.unescape(envelope.method, in: bytes, into: &method)
    hasNews = true
    refusedNotifications.append(
      RefusedNotification(method: String(decoding: method, as: UTF8.self), reason: error.message))
  }

  /// Of so many connections in one turn.
  private static let toldNotifications = 16

  /// A valid request that does not become a task.
  mutating func reject(
    _ error: RPCError, _ envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender
  ) {
    reject(error, data: notSent, envelope, in: bytes, from: sender)
  }

  /// The same for want of room.
  mutating func reject(
    _ overload: Overload, _ envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender
  ) {
    reject(overload.error, data: overload, envelope, in: bytes, from: sender)
  }

  /// The same of one that a newer one has overtaken.
  mutating func reject(
    _ overtaking: Overtaking, _ envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender
  ) {
    let error = error(.superseded(by: overtaking.generation), to: sender)
    reject(error, data: overtaking, envelope, in: bytes, from: sender)
  }

  private mutating func reject<Data: JSONPart>(
    _ error: RPCError, data: Data, _ envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender
  ) {
    guard !envelope.isNotification else { return lose(envelope, error, in: bytes, from: sender.client) }
    counters.rejected += 1
    answer(RequestID(envelope.id, in: bytes), error, data: data, to: sender)
  }

  /// What is for the gateway itself, and there is no room for it.
  mutating func refuseMessage(
    _ overload: Overload, of envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender
  ) {
    guard !envelope.isNotification else {
      return lose(envelope, overload.error, in: bytes, from: sender.client)
    }
    counters.invalid += 1
    answer(RequestID(envelope.id, in: bytes), overload.error, data: overload, to: sender)
  }

  // MARK: Outcomes of tasks

  /// The commit point: what is appended here is the caller's, and is never withdrawn.
  @inline(__always)
  mutating func deliver(_ waiter: WaiterID, _ bytes: Span<UInt8>, _ answer: AnswerBody) {
    countDelivery(isError: answer.isError)
    pass(answer, in: bytes, to: waiter)
  }

  @inline(__always)
  private mutating func countDelivery(isError: Bool) {
    if isError { counters.failed += 1 } else { counters.delivered += 1 }
  }

  /// Another loop passes on to its client what this waiter was to get.
  @inline(__always)
  mutating func noteDelivery(to waiter: WaiterID, isError: Bool) {
    countDelivery(isError: isError)
    forgetCaller(waiter)
  }

  /// The same of what was counted elsewhere.
  @inline(__always)
  mutating func pass(_ answer: AnswerBody, in bytes: Span<UInt8>, to waiter: WaiterID) {
    let sender = callers[waiter].sender
    if !isWritten(answer, bytes, to: callers[waiter].shortID, of: sender) {
      self.answer(callers.id(of: waiter), answer, in: bytes, to: sender)
    }
    forgetCaller(waiter)
  }

  /// A caller is told why it gets no answer; returns its error, and its client.
  mutating func refuse(
    _ waiter: WaiterID, _ refusal: Refusal, key: [UInt8], _ effect: UpstreamEffect, pieces: UInt32
  ) -> (error: RPCError, client: Int) {
    count(refusal.reason)
    let sender = callers[waiter].sender
    let error = error(refusal.reason, to: sender)
    answer(
      callers.id(of: waiter), error, data: ErrorData(refusal, key: key, effect, pieces: pieces), to: sender)
    return (error, sender.client)
  }

  /// The same of what another loop was asked, or was to be: what is known there is not known here.
  /// - Parameter pieces: so many of its answer the caller got.
  mutating func refuseRemote(
    _ waiter: WaiterID, _ reason: Refusal.Reason, isSent: Bool, pieces: UInt32, isCounted: Bool
  ) {
    if isCounted { count(reason) }
    let sender = callers[waiter].sender
    let error = error(reason, to: sender)
    guard pieces == 0 else {
      return answer(callers.id(of: waiter), error, data: RemoteErrorData(pieces: pieces), to: sender)
    }
    answer(callers.id(of: waiter), error, data: isSent ? mayHaveCompleted : notSent, to: sender)
  }

  /// The same of one that has not been looked at yet: it ends as it began, admitted and refused at once.
  mutating func refuseUnadmitted(
    _ reason: Refusal.Reason, _ id: RequestID, of client: Int
  ) {
    counters.admitted += 1
    count(reason)
    let sender = Sender(client: client)
    answer(id, error(reason, to: sender), data: notSent, to: sender)
  }

  private mutating func count(_ reason: Refusal.Reason) {
    switch reason {
    case .superseded, .contentModified: counters.superseded += 1
    case .cancelled: counters.cancelled += 1
    case .deadlineExceeded: counters.expired += 1
    case .upstreamUnavailable, .badAnswer, .shuttingDown, .unread: counters.failed += 1
    }
  }

  // MARK: What upstreams of its own say

  func nextAskedNumber(of client: Int) -> UInt64 { clients[client].nextAskedNumber() }

  mutating func relay(_ id: RequestID, _ bytes: Span<UInt8>, _ envelope: Envelope, to client: Int) {
    counters.relayed += 1
    let framing = clients[client].framing
    MessageWriter.relay(
      id, bytes, method: envelope.method.range, params: envelope.params.range, as: framing,
      into: &clients[client].output)
    markDirty(client)
  }

  /// - Parameter number: under which it was asked.
  mutating func relayCancel(of number: UInt64, isMCP: Bool, to client: Int) {
    var message: [UInt8] = []
    if isMCP {
      MessageWriter.openCancelledNotification(into: &message)
    } else {
      MessageWriter.openCancelRequest(into: &message)
    }
    message.append(decimal: number)
    message.append("}}")
    counters.relayed += 1
    let framing = clients[client].framing
    MessageWriter.message(message.span, as: framing, into: &clients[client].output)
    markDirty(client)
  }

  mutating func progressToken(in envelope: Envelope, _ bytes: Span<UInt8>) -> UInt64? {
    progress.reported(envelope, in: bytes)
  }

  mutating func createdToken(in envelope: Envelope, _ bytes: Span<UInt8>) -> UInt64? {
    progress.created(envelope, in: bytes)
  }
}
