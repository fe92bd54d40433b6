import HotData
import JSONRPC
import TaskStore

extension GatewayCore {
  /// Bytes of a client. Behind the first `count`, `chunk` holds the scanner's slack.
  package mutating func received(_ chunk: Span<UInt8>, count: Int, from client: ClientID) {
    let slot = client.slot
    counters.bytesFromClients &+= UInt64(count)
    let hasAdvanced = readMessages(chunk, count: count, from: slot)
    wait(for: slot, hasAdvanced: hasAdvanced)
  }

  /// Returns whether there was a message's end, whatever became of it.
  private mutating func readMessages(_ chunk: Span<UInt8>, count: Int, from slot: Int) -> Bool {
    var offset = 0
    var hasAdvanced = false
    let discarded = clients[slot].framer.discardedCount
    while clients[slot].isReading {
      let frame = clients[slot].framer.next(in: chunk, count: count, from: &offset)
      hasAdvanced = hasAdvanced || frame != .incomplete
      switch frame {
      case .incomplete:
        return hasAdvanced || clients[slot].framer.discardedCount != discarded
      case .inPlace(let message):
        handle(chunk, message, from: slot)
      case .assembled:
        handleAssembled(from: slot)
      case .tooLong:
        refuseMessage(.tooLarge, from: Sender(client: slot))
      case .badHeader:
        refuseMessage(.parseError.with(message: "bad header"), from: Sender(client: slot))
        clients[slot].isClosing = true
      }
    }
    return hasAdvanced
  }

  @inline(never)
  private mutating func handleAssembled(from slot: Int) {
    let message = clients[slot].framer.takeAssembled()
    message.withSpan { handle($0, message.range, from: slot) }
    clients[slot].framer.recycle(message)
  }

  @inline(__always)
  private mutating func handle(_ bytes: Span<UInt8>, _ message: Range<Int>, from client: Int) {
    var envelope = Envelope()
    let outcome = EnvelopeScanner.scan(bytes, message, configuration.scan, into: &envelope)
    let isFirst = clients[client].isFirstMessage
    clients[client].isFirstMessage = false
    if case .message = outcome, !envelope.isResponse {
      return request(bytes, envelope, from: Sender(client: client))
    }
    handleOther(outcome, envelope, in: bytes, message, from: client, isFirst: isFirst)
  }

  /// What is no request.
  @inline(never)
  private mutating func handleOther(
    _ outcome: ScanOutcome, _ envelope: Envelope, in bytes: Span<UInt8>, _ message: Range<Int>,
    from client: Int, isFirst: Bool
  ) {
    if case .batch = outcome { return receiveBatch(bytes, message, from: client) }
    receive(outcome, envelope, in: bytes, from: Sender(client: client))
    if case .malformed = outcome, isFirst, clients[client].framing == .lines, !looksLikeJSON(bytes, message) {
      clients[client].isClosing = true
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

  /// One message, be it alone or in a batch.
  @inline(__always)
  mutating func receive(
    _ outcome: ScanOutcome, _ envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender
  ) {
    switch outcome {
    case .message where envelope.isResponse:
      clientAnswered(bytes, envelope, from: sender.client)
    case .message:
      request(bytes, envelope, from: sender)
    case .batch:
      refuseMessage(.invalidRequest.with(message: EnvelopeFault.notAnObject.message), from: sender)
    case .malformed:
      refuseMessage(.parseError, from: sender)
    case .invalid(let fault):
      refuseMessage(fault.error, of: envelope, in: bytes, from: sender)
    }
  }

  @inline(__always)
  private mutating func request(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) {
    switch OwnMethod(envelope, in: bytes) {
    case .foreign:
      admit(bytes, envelope, from: sender)
    case .call:
      call(bytes, envelope, from: sender)
    case .ping:
      answerNull(to: envelope, in: bytes, of: sender)
    case .cancelRequest:
      cancelRequest(bytes, envelope, from: sender)
    case .cancel:
      cancelTasks(bytes, envelope, from: sender)
    case .inspect:
      inspect(bytes, envelope, from: sender)
    case .discover:
      discover(bytes, envelope, from: sender)
    case .unknown:
      refuseMessage(.methodNotFound, of: envelope, in: bytes, from: sender)
    }
  }

  /// `lastword.call`: the request inside it, as if it had come by itself.
  private mutating func call(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) {
    let inner: Envelope
    do throws(RPCError) {
      inner = try WrappedCall.unwrap(
        envelope, in: bytes, methodBytes: configuration.scan.methodBytes)
    } catch {
      return refuseMessage(error, of: envelope, in: bytes, from: sender)
    }
    request(bytes, inner, from: sender)
  }
}
