import HotData
import JSONRPC

/// Who sent a request, and thereby where its answer goes.
struct Sender {
  @Compact var client: Int
  /// The batch that it came in, or -1.
  @Compact var batch = -1

  static var nobody: Sender { Sender(client: -1) }

  init(client: Int, batch: Int = -1) {
    self.client = client
    self.batch = batch
  }
}

/// The first notification of a connection that was refused, which its sender does not hear of.
package struct RefusedNotification: Hashable, Sendable {
  package let method: String
  package let reason: String
}

/// What the answers of our own say about a request that never became a task.
private let notSent: StaticString = "{\"upstream\":\"notSent\"}"

extension GatewayCore {
  // MARK: Answers

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

  /// Whether a client's output is within its hard bound; beyond it the client is given up at once, for one event may
  /// have an answer for thousands of its requests.
  @inline(__always)
  mutating func takesMore(_ client: Int) -> Bool {
    if blocks.isOverLimit { makeRoom() }
    guard clients[client].unsentByteCount <= configuration.clientOutputHardBytes else {
      clients[client].isGivenUp = true
      markDirty(client)
      return false
    }
    return !clients[client].isGivenUp
  }

  // MARK: Answers to messages

  mutating func answer(
    _ result: [UInt8], to envelope: Envelope, in bytes: Span<UInt8>, of sender: Sender
  ) {
    guard !envelope.isNotification else { return }
    let id = RequestID(envelope.id, in: bytes)
    answer(id, AnswerBody(range: result.indices), in: result.span, to: sender)
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
  private mutating func lose(
    _ envelope: Envelope, _ error: RPCError, in bytes: Span<UInt8>, from client: Int
  ) {
    counters.notificationsLost += 1
    guard refusedNotifications.count < Self.toldNotifications, clientsToldOf.insert(client).inserted else {
      return
    }
    var method: [UInt8] = []
    _ = JSONString.unescape(envelope.method, in: bytes, into: &method)
    refusedNotifications.append(
      RefusedNotification(method: String(decoding: method, as: UTF8.self), reason: error.message))
  }

  /// Of so many connections in one turn.
  private static let toldNotifications = 16

  /// Gives the notifications that were refused since the last time.
  package mutating func takeRefusedNotifications() -> [RefusedNotification] {
    defer { refusedNotifications = [] }
    return refusedNotifications
  }

  package var hasRefusedNotifications: Bool { !refusedNotifications.isEmpty }

  /// A valid request that does not become a task.
  mutating func reject(
    _ error: RPCError, _ envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender
  ) {
    guard !envelope.isNotification else { return lose(envelope, error, in: bytes, from: sender.client) }
    counters.rejected += 1
    answer(RequestID(envelope.id, in: bytes), error, data: notSent, to: sender)
  }
}
