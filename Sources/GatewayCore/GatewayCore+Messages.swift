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
    case .cancel:
      cancelTasks(bytes, envelope, from: client)
    case .inspect:
      inspect(bytes, envelope, from: client)
    case .unknown:
      refuseMessage(.methodNotFound, of: envelope, in: bytes, from: client)
    }
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
