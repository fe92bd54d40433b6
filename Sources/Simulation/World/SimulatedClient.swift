import GatewayCore
import JSONRPC

/// A client's side of its connection: what it sent that the gateway has not received, and how far it goes.
struct SimulatedClient {
  /// A message on its way, up to the given offset of everything the client ever sent.
  struct Sent {
    var end: Int
    var message: Message
  }

  /// One is in its handshake while it is greeted.
  enum State { case absent, greeting, open, closed }

  var state = State.absent
  var id = ClientID(slot: 0)
  var framing = Framing.lines
  var outbox: [UInt8] = []
  /// Bytes that the gateway has received, of those ever sent.
  var received = 0
  /// Bytes of those ever sent that are in records, under TLS.
  private var sealed = 0
  var sentCount = 0
  var sent: [Sent] = []
  var nextToArrive = 0
  /// Of the next message, a batch, so many items were handled, and others were not.
  private var handledItems = 0
  private var isMidBatch = false
  /// Where the next message begins among everything ever sent.
  private var startOfNext = 0
  var timeouts = Timeouts()
  var hasFinished = false
  var finHasArrived = false
  /// The gateway knows its end already, and has still to come to it.
  var endIsHeld = false
  /// It has reset its connection, and the gateway has not come to that yet.
  var isGone = false
  /// Its last message has no end.
  private(set) var endsMidMessage = false
  /// The gateway has judged a line of this connection.
  var hadFirstLine = false
  /// The gateway reads no further: the first line was not for it.
  var isTurnedAway = false

  var isOpen: Bool { state == .open }
  var unreceived: Int { sentCount - received }
  var maySend: Bool {
    (isOpen || state == .greeting) && !hasFinished && !isGone && unreceived < SimulatedClient.outboxLimitBytes
  }
  static let outboxLimitBytes = 1 << 14

  mutating func queue(_ message: Message, _ line: [UInt8]) {
    let before = outbox.count
    if framing == .contentLength, !message.isHeader {
      outbox.append("Content-Length: ")
      outbox.append(digitsOf: line.count - 1)
      outbox.append("\r\n\r\n")
      outbox.append(contentsOf: line.dropLast())
    } else {
      outbox.append(contentsOf: line)
    }
    sentCount += outbox.count - before
    sent.append(Sent(end: sentCount, message: message))
  }

  /// The beginning of a message, behind which nothing comes.
  mutating func queueHalf() {
    let half = framing == .lines ? #"{"jsonrpc":"2.0","# : "Content-Length: 9\r\n\r\n{"
    outbox.append(half)
    sentCount += half.utf8.count
    sent.append(Sent(end: sentCount + 1, message: .items([])))
    endsMidMessage = true
  }

  /// The next bytes on their way, at most so many, and the scanner's slack behind them.
  mutating func take(_ limit: Int, into chunk: inout [UInt8]) -> Int {
    let count = min(limitBeforeBadHeader(limit, from: received), unreceived)
    let start = outbox.count - unreceived
    chunk.removeAll(keepingCapacity: true)
    chunk.append(contentsOf: outbox[start..<start + count])
    chunk.append(contentsOf: repeatElement(0xff, count: World.slackBytes))
    received += count
    if unreceived == 0 { outbox.removeAll(keepingCapacity: true) }
    return count
  }

  /// A header is bad before its end has come: it arrives as a whole, or not at all.
  private func limitBeforeBadHeader(_ limit: Int, from offset: Int) -> Int {
    let reached = sent[nextToArrive...].first { $0.end - offset >= limit }
    guard let reached, reached.message.isHeader else { return limit }
    return reached.end - offset
  }

  var hasUnsealed: Bool { sealed < sentCount }

  /// The next bytes for a record, at most so many; nil: there are none.
  mutating func takeUnsealed(_ limit: Int) -> [UInt8]? {
    guard hasUnsealed else { return nil }
    let count = min(limitBeforeBadHeader(limit, from: sealed), sentCount - sealed)
    let start = outbox.count - (sentCount - sealed)
    sealed += count
    return Array(outbox[start..<start + count])
  }

  /// A message has arrived in part.
  var isMidMessage: Bool {
    guard nextToArrive < sent.count else { return false }
    return received > startOfNext
  }

  /// The same of one that is not malformed.
  var isMidRequest: Bool {
    guard isMidMessage else { return false }
    if case .malformed = sent[nextToArrive].message { return false }
    return true
  }

  /// Messages that have arrived as a whole and were not taken.
  var arrived: ArraySlice<Sent> { sent[nextToArrive...].prefix { $0.end <= received } }

  /// The next message, or part of a batch, that has been handled.
  /// - Parameter held: bytes that have arrived and are not handled, and, before them, items of the last batch.
  mutating func nextHandled(but held: (bytes: Int, items: Int)) -> Message? {
    let handled = received - held.bytes
    guard nextToArrive < sent.count, sent[nextToArrive].end <= handled else { return nil }
    let isLast = nextToArrive + 1 == sent.count || sent[nextToArrive + 1].end > handled
    guard case .batch(let items) = sent[nextToArrive].message, isMidBatch || isLast && held.items > 0 else {
      return nextArrived()
    }
    let itemsLeft = isLast ? held.items : 0
    guard !isMidBatch || items.count - itemsLeft > handledItems else { return nil }
    let part = items[handledItems..<items.count - itemsLeft]
    isMidBatch = itemsLeft > 0
    handledItems = isMidBatch ? items.count - itemsLeft : 0
    if !isMidBatch { _ = nextArrived() }
    return .items(Array(part))
  }

  private mutating func nextArrived() -> Message {
    nextToArrive += 1
    defer { forgetArrived() }
    return sent[nextToArrive - 1].message
  }

  private mutating func forgetArrived() {
    startOfNext = sent[nextToArrive - 1].end
    guard nextToArrive == sent.count else { return }
    sent.removeAll(keepingCapacity: true)
    nextToArrive = 0
  }
}
