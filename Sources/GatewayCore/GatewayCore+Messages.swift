import HotData
import JSONRPC
import TaskStore

extension GatewayCore {
  // MARK: Messages

  /// Bytes of a client. Behind the first `count`, `chunk` holds the scanner's slack.
  package mutating func received(_ chunk: Span<UInt8>, count: Int, from client: ClientID) {
    let slot = client.slot
    var offset = 0
    while !clients[slot].isClosing {
      switch clients[slot].framer.next(in: chunk, count: count, from: &offset) {
      case .incomplete:
        return
      case .inPlace(let line):
        handle(chunk, line, from: slot)
      case .assembled:
        let line = clients[slot].framer.takeAssembled()
        line.withSpan { handle($0, line.range, from: slot) }
        clients[slot].framer.recycle(line)
      case .tooLong:
        counters.invalid += 1
        reply(.tooLarge, to: RequestID(), of: slot)
      }
    }
  }

  private mutating func handle(_ bytes: Span<UInt8>, _ line: Range<Int>, from client: Int) {
    var envelope = Envelope()
    let outcome = EnvelopeScanner.scan(bytes, line, into: &envelope)
    let isFirst = clients[client].isFirstMessage
    clients[client].isFirstMessage = false
    switch outcome {
    case .message where envelope.isResponse:
      counters.unsolicited += 1
    case .message:
      request(bytes, envelope, from: client)
    case .batch:
      refuseMessage(.invalidRequest.with(message: "batches are not supported"), RequestID(), from: client)
    case .malformed:
      refuseMessage(.parseError, RequestID(), from: client)
      if isFirst, !looksLikeJSON(bytes, line) { clients[client].isClosing = true }
    case .invalid(let fault):
      refuseMessage(fault.error, of: envelope, in: bytes, from: client)
    }
  }

  /// A first line that cannot be meant for us (HTTP, TLS) is answered once and ends the connection.
  private func looksLikeJSON(_ bytes: Span<UInt8>, _ line: Range<Int>) -> Bool {
    for index in line {
      switch bytes[index] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): return true
      default: return false
      }
    }
    return false
  }

  private mutating func request(_ bytes: Span<UInt8>, _ envelope: Envelope, from client: Int) {
    switch OwnMethod(envelope, in: bytes) {
    case .foreign:
      admit(bytes, envelope, from: client)
    case .ping:
      replyNull(to: envelope, in: bytes, of: client)
    case .cancelRequest:
      cancelRequest(bytes, envelope, from: client)
    case .unknown:
      refuseMessage(.methodNotFound, of: envelope, in: bytes, from: client)
    }
  }

  private mutating func replyNull(to envelope: Envelope, in bytes: Span<UInt8>, of client: Int) {
    guard !envelope.isNotification else { return }
    let null: InlineArray<4, UInt8> = [0x6e, 0x75, 0x6c, 0x6c]
    let id = RequestID(envelope.id, in: bytes)
    MessageWriter.answer(id, isError: false, null.span, 0..<4, into: &clients[client].output)
    markDirty(client)
  }

  /// `$/cancelRequest`: takes back the newest open request of this connection with that id, if there is one. It
  /// should be a notification; sent as a request it is answered, as every request is.
  private mutating func cancelRequest(_ bytes: Span<UInt8>, _ envelope: Envelope, from client: Int) {
    if let id = idToCancel(envelope, in: bytes),
      let waiter = newestCaller(of: client, withID: id, in: bytes)
    {
      store.cancelled(waiter, effects: &effects)
      performEffects()
    }
    replyNull(to: envelope, in: bytes, of: client)
  }

  private func idToCancel(_ envelope: Envelope, in bytes: Span<UInt8>) -> ByteRange? {
    var params = ObjectReader(envelope.params)
    while let member = params.next(in: bytes) {
      if member.isNamed("id", in: bytes) { return member.value }
    }
    return nil
  }

  private func newestCaller(of client: Int, withID id: ByteRange, in bytes: Span<UInt8>) -> WaiterID? {
    var slot = clients[client].lastCaller
    while slot != 0, !callers[slot].id.matches(id, in: bytes) { slot = callers[slot].previous }
    return slot == 0 ? nil : WaiterID(slot: slot)
  }

  // MARK: Replies of our own

  /// A message that is no valid request is answered, unless it is a notification.
  mutating func refuseMessage(
    _ error: RPCError, of envelope: Envelope, in bytes: Span<UInt8>, from client: Int
  ) {
    guard !envelope.isNotification else {
      counters.invalid += 1
      return
    }
    refuseMessage(error, RequestID(envelope.id, in: bytes), from: client)
  }

  private mutating func refuseMessage(_ error: RPCError, _ id: RequestID, from client: Int) {
    counters.invalid += 1
    reply(error, to: id, of: client)
  }

  mutating func reply(_ error: RPCError, to id: RequestID, of client: Int) {
    MessageWriter.error(id, error, into: &clients[client].output)
    markDirty(client)
  }
}
