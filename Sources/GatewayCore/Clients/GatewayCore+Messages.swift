import HotData
import JSONRPC
import TaskStore

extension GatewayCore {
  /// Bytes of a client. Behind the first `count`, `chunk` holds the scanner's slack.
  package mutating func received(_ chunk: Span<UInt8>, count: Int, from client: ClientID) {
    let slot = client.slot
    guard clients[slot].held == nil else { return putOff(chunk, count: count, from: client) }
    counters.bytesFromClients &+= UInt64(count)
    share = TurnShare(configuration)
    var offset = 0
    let hasAdvanced = readMessages(chunk, count: count, from: slot, at: &offset)
    if share.isSpent && offset < count && clients[slot].isReading {
      hold(chunk, offset..<count, of: slot)
    }
    noteInput(of: slot)
    wait(for: slot, hasAdvanced: hasAdvanced)
  }

  /// Handles messages until there is no more of them, or the client's share is spent; returns whether there was a
  /// message's end, whatever became of it.
  mutating func readMessages(
    _ chunk: Span<UInt8>, count: Int, from slot: Int, at offset: inout Int
  ) -> Bool {
    var hasAdvanced = false
    var envelope = Envelope()
    let discarded = clients[slot].framer.discardedCount
    while clients[slot].isReading && !share.isSpent {
      let frame = clients[slot].framer.next(in: chunk, count: count, from: &offset)
      share.spend(messages: 1)
      switch frame {
      case .incomplete:
        checkPart(from: slot)
        return hasAdvanced || clients[slot].framer.discardedCount != discarded
      case .inPlace(let message):
        handle(chunk, message, from: slot, into: &envelope)
      case .assembled:
        handleAssembled(from: slot)
      case .tooLong:
        refuseMessage(.tooLarge, from: Sender(client: slot))
      case .badHeader:
        refuseMessage(.parseError.with(message: "bad header"), from: Sender(client: slot))
        clients[slot].isClosing = true
      }
      hasAdvanced = true
    }
    return hasAdvanced
  }

  @inline(never)
  private mutating func handleAssembled(from slot: Int) {
    checkPart(from: slot)
    let message = clients[slot].framer.takeAssembled()
    workBytes += message.range.count
    var envelope = Envelope()
    message.withSpan { handle($0, message.range, message.verdict, from: slot, into: &envelope) }
    clients[slot].framer.recycle(message)
  }

  /// A long message is checked while it comes: at its end that would hold up all others.
  @inline(never)
  private mutating func checkPart(from slot: Int) {
    clients[slot].framer.check(
      from: configuration.checkedPartBytes, nestingLevels: configuration.scan.nestingLevels)
  }

  /// - Parameter verdict: on one that was checked while it came.
  /// - Parameter envelope: of any message, so that not every one of them has to clear it.
  @inline(__always)
  private mutating func handle(
    _ bytes: Span<UInt8>, _ message: Range<Int>, _ verdict: JSONCheck.Verdict? = nil, from client: Int,
    into envelope: inout Envelope
  ) {
    let outcome =
      verdict.map { EnvelopeScanner.scan(bytes, message, checked: $0, configuration.scan, into: &envelope) }
      ?? EnvelopeScanner.scan(bytes, message, configuration.scan, into: &envelope)
    let last = clients[client].lastText
    clients[client].lastText = .message
    if case .message = outcome, !envelope.isResponse {
      return request(bytes, envelope, from: Sender(client: client))
    }
    handleOther(outcome, envelope, in: bytes, message, behind: last, from: client)
  }

  /// What is no request.
  @inline(never)
  private mutating func handleOther(
    _ outcome: ScanOutcome, _ envelope: Envelope, in bytes: Span<UInt8>, _ message: Range<Int>,
    behind last: LastText, from client: Int
  ) {
    switch outcome {
    case .batch:
      receiveBatch(bytes, message, from: client)
    case .malformed(let offset):
      refuseText(bytes, message, wrongAt: offset, behind: last, from: client)
    case .tooDeep(let offset):
      refuseText(tooDeepAt: offset - message.lowerBound, from: client)
    case .invalid(.notAnObject) where goesOn(bytes, message, behind: last, of: client):
      break
    case .message, .invalid:
      receive(outcome, envelope, in: bytes, from: Sender(client: client))
    }
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
    case .malformed, .tooDeep:
      refuseMessage(.parseError, from: sender)
    case .invalid(let fault) where envelope.isBadResponse:
      clientAnsweredBadly(bytes, envelope, fault, from: sender.client)
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
