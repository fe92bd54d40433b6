import HotData
import JSONRPC
import TaskStore

/// Messages from clients: their bytes, in shares, and what each message leads to.
extension GatewayCore {
  // MARK: Bytes

  /// Bytes of a client. Behind the first `count`, `chunk` holds the scanner's slack.
  package mutating func received(_ chunk: Span<UInt8>, count: Int, from client: ClientID) {
    let slot = client.slot
    guard !edge.isHeld(slot) else { return putOff(chunk, count: count, from: client) }
    edge.counters.bytesFromClients &+= UInt64(count)
    share = TurnShare(configuration, isLookedAt: edge.isLookedAt(slot))
    var offset = 0
    let hasAdvanced = readMessages(chunk, count: count, from: slot, at: &offset)
    if share.isSpent && offset < count && edge.isReading(slot) { edge.hold(chunk, offset..<count, of: slot) }
    edge.noteInput(of: slot)
    edge.wait(for: slot, hasAdvanced: hasAdvanced)
  }

  /// Puts off bytes of a client for which this turn has no time. They wait behind those of other such clients, but
  /// before the rest of clients that sent more than their share.
  package mutating func putOff(_ chunk: Span<UInt8>, count: Int, from client: ClientID) {
    edge.putOff(chunk, count: count, from: client.slot)
  }

  /// The end of a client that is gone, if there is no time for it in this turn: it may have had much open. Nothing more is
  /// handled of it.
  package mutating func putOffEnd(of client: ClientID) { edge.putOffEnd(of: client.slot) }

  /// The client whose held input is handled next.
  package var nextInTurn: ClientID? { edge.nextInTurn.map { ClientID(slot: $0) } }

  /// Handles one more share of what has come of the client whose turn it is.
  package mutating func goOn() {
    guard let slot = edge.nextInTurn, let input = edge.beginTurn(of: slot) else { return }
    if input.isGone { return remove(slot) }
    share = TurnShare(configuration, isLookedAt: edge.isLookedAt(slot))
    goOn(with: input, ofMirror: slot)
    goOnWithArray(input, of: slot)
    var hasAdvanced = false
    if input.array == nil {
      let bytes = input.bytes
      var offset = input.offset
      hasAdvanced = readMessages(bytes.span, count: input.byteCount, from: slot, at: &offset)
      input.offset = offset
    }
    if edge.endTurn(of: slot, input) { clientEnded(ClientID(slot: slot)) }
    edge.noteInput(of: slot)
    edge.wait(for: slot, hasAdvanced: hasAdvanced)
  }

  /// Handles messages until there is no more of them, or the client's share is spent; returns whether there was a
  /// message's end, whatever became of it.
  private mutating func readMessages(
    _ chunk: Span<UInt8>, count: Int, from slot: Int, at offset: inout Int
  ) -> Bool {
    var hasAdvanced = false
    var envelope = Envelope()
    let discarded = edge.discardedCount(of: slot)
    while edge.isReading(slot) && !share.isSpent {
      let frame = edge.nextFrame(in: chunk, count: count, from: &offset, of: slot)
      share.spend(messages: 1)
      switch frame {
      case .incomplete:
        edge.checkPart(from: slot)
        return hasAdvanced || edge.discardedCount(of: slot) != discarded
      case .inPlace(let message):
        handle(chunk, message, from: slot, into: &envelope)
        // Nothing has begun that would have to be checked.
        if offset == count { return true }
      case .assembled: handleAssembled(from: slot)
      case .tooLong: edge.refuseMessage(.tooLarge, from: Sender(client: slot))
      case .badHeader: edge.refuseHeader(of: slot)
      }
      hasAdvanced = true
    }
    return hasAdvanced
  }

  @inline(never)
  private mutating func handleAssembled(from slot: Int) {
    let message = edge.takeAssembled(of: slot)
    workBytes += message.range.count
    var envelope = Envelope()
    message.withSpan { handle($0, message.range, message.verdict, from: slot, into: &envelope) }
    edge.recycle(message, of: slot)
  }

  // MARK: Messages

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
    let last = edge.takeLastText(of: client)
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
      edge.refuseText(bytes, message, wrongAt: offset, behind: last, from: client)
    case .tooDeep(let offset):
      edge.refuseText(tooDeepAt: offset - message.lowerBound, from: client)
    case .invalid(.notAnObject) where edge.goesOn(bytes, message, behind: last, of: client):
      break
    case .message, .invalid:
      receive(outcome, envelope, in: bytes, from: Sender(client: client))
    }
  }

  /// One message, be it alone or in a batch.
  @inline(__always)
  private mutating func receive(
    _ outcome: ScanOutcome, _ envelope: Envelope, in bytes: Span<UInt8>, from sender: Sender
  ) {
    switch outcome {
    case .message where envelope.isResponse:
      clientAnswered(bytes, envelope, from: sender.client)
    case .message:
      request(bytes, envelope, from: sender)
    case .batch:
      edge.refuseMessage(.invalidRequest.with(message: EnvelopeFault.notAnObject.message), from: sender)
    case .malformed, .tooDeep:
      edge.refuseMessage(.parseError, from: sender)
    case .invalid(let fault) where envelope.isBadResponse:
      clientAnsweredBadly(bytes, envelope, fault, from: sender.client)
    case .invalid(let fault):
      edge.refuseMessage(fault.error, of: envelope, in: bytes, from: sender)
    }
  }

  @inline(__always)
  mutating func request(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) {
    guard !share.isLookedAt else { return requestLookedAt(bytes, envelope, from: sender) }
    serve(OwnMethod(envelope, in: bytes), bytes, envelope, from: sender, isPrincipals: false, isPosts: false)
  }

  /// A request of a client that has not authenticated takes as much of its turn as so many others: it has little to
  /// ask, and clients that have authenticated shall not wait for many that have not.
  private static let messagesPerUnknown = 16

  /// A request of a client that has authenticated, or has to: it may not ask everything. Or of a client with keys at
  /// other loops.
  @inline(never)
  private mutating func requestLookedAt(
    _ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender
  ) {
    let method = OwnMethod(envelope, in: bytes)
    let asksWho = edge.asksWho(sender.client)
    if asksWho, edge.isUnknown(sender.client) { share.spend(messages: Self.messagesPerUnknown) }
    guard !asksWho || edge.mayAsk(method, bytes, envelope, from: sender) else { return }
    if peers.areThere {
      let isElsewhere =
        edge.isMirror(sender.client)
        ? passesOnOfMirror(method, bytes, envelope, from: sender)
        : passesOn(method, bytes, envelope, from: sender)
      if isElsewhere { return }
    }
    if asksWho {
      serve(method, bytes, envelope, from: sender, isPrincipals: true, isPosts: true)
    } else {
      let isPosts = edge.isExchange(sender.client)
      serve(method, bytes, envelope, from: sender, isPrincipals: false, isPosts: isPosts)
    }
  }

  @inline(__always)
  private mutating func serve(
    _ method: OwnMethod, _ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender, isPrincipals: Bool,
    isPosts: Bool
  ) {
    switch method {
    case .foreign where isPosts: admitLookedAt(bytes, envelope, from: sender, isPrincipals: isPrincipals)
    case .foreign: admit(bytes, envelope, from: sender)
    case .authenticate: authenticate(bytes, envelope, from: sender)
    case .call: call(bytes, envelope, from: sender)
    case .ping: edge.answerNull(to: envelope, in: bytes, of: sender)
    case .cancelRequest: cancelRequest(bytes, envelope, from: sender)
    case .cancel: cancelTasks(bytes, envelope, from: sender)
    case .inspect: inspect(bytes, envelope, from: sender)
    case .discover: answerAtLength(envelope, in: bytes, of: sender) { _ in OpenRPCDocument.bytes }
    case .unknown: edge.refuseMessage(.methodNotFound, of: envelope, in: bytes, from: sender)
    }
  }

  /// `lastword.call`: the request inside it, as if it had come by itself.
  private mutating func call(_ bytes: Span<UInt8>, _ envelope: Envelope, from sender: Sender) {
    let inner: Envelope
    do throws(RPCError) {
      inner = try WrappedCall.unwrap(
        envelope, in: bytes, methodBytes: configuration.scan.methodBytes)
    } catch {
      return edge.refuseMessage(error, of: envelope, in: bytes, from: sender)
    }
    request(bytes, inner, from: sender)
  }

  // MARK: Arrays

  /// Reads an array of messages (JSON-RPC 2.0, section 6): each is a request of its own, in the array's order.
  private mutating func receiveBatch(_ bytes: Span<UInt8>, _ array: Range<Int>, from client: Int) {
    let limit = configuration.batchItems
    let count = ArrayReader(array).count(in: bytes, upTo: limit + 1)
    guard (1...limit).contains(count) else {
      let message = count == 0 ? "a batch is empty" : "a batch has more than \(limit) items"
      return edge.refuseMessage(.invalidRequest.with(message: message), from: Sender(client: client))
    }
    let batch = edge.openBatch(of: client)
    var reader = ArrayReader(array)
    let sender = Sender(client: client, batch: batch)
    var left = count
    while !share.isSpent, let element = reader.next(in: bytes) {
      left -= 1
      receiveItem(element.value.range, in: bytes, from: sender)
    }
    guard left > 0 else { return edge.release(batch) }
    // Its items, or what they took, are more than one turn has.
    let input = edge.holdArray(array, in: bytes, itemCount: left, batch: batch, of: client)
    input.skipItems(count - left)
  }

  private mutating func receiveItem(_ item: Range<Int>, in bytes: Span<UInt8>, from sender: Sender) {
    var envelope = Envelope()
    // The array was checked with all that is in it; short items are read faster with a check.
    let outcome =
      item.count < configuration.checkedPartBytes
      ? EnvelopeScanner.scan(bytes, item, configuration.scan, into: &envelope)
      : EnvelopeScanner.scanKnown(bytes, item, configuration.scan, into: &envelope)
    share.spend(messages: 1)
    receive(outcome, envelope, in: bytes, from: sender)
  }

  private mutating func goOnWithArray(_ input: HeldInput, of client: Int) {
    guard var array = input.array else { return }
    let sender = Sender(client: client, batch: array.batch)
    let bytes = array.bytes
    while !share.isSpent, array.itemCount > 0, let element = array.reader.next(in: bytes.span) {
      array.itemCount -= 1
      receiveItem(element.value.range, in: bytes.span, from: sender)
    }
    input.array = array.itemCount > 0 ? array : nil
    if array.itemCount == 0 { edge.release(array.batch) }
  }
}
