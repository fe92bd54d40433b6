import GatewayCore
import JSONRPC

/// A client's side of its connection: what it sent that the gateway has not received, and how far it goes.
struct SimulatedClient {
  /// A message on its way, up to the given offset of everything the client ever sent.
  struct Sent {
    var end: Int
    var message: Message
  }

  enum State { case absent, open, closed }

  var state = State.absent
  var id = ClientID(slot: 0)
  var framing = Framing.lines
  var outbox: [UInt8] = []
  /// Bytes that the gateway has received, of those ever sent.
  var received = 0
  var sentCount = 0
  var sent: [Sent] = []
  var nextToArrive = 0
  /// Where the next message begins among everything ever sent.
  private var startOfNext = 0
  var patience = Patience()
  var hasFinished = false
  var finHasArrived = false
  /// The gateway has judged a line of this connection.
  var hadFirstLine = false
  /// The gateway reads no further: the first line was not for it.
  var isTurnedAway = false

  var isOpen: Bool { state == .open }
  var unreceived: Int { sentCount - received }
  var maySend: Bool { isOpen && !hasFinished && unreceived < SimulatedClient.outboxLimitBytes }
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

  /// The next bytes on their way, at most so many, and the scanner's slack behind them.
  mutating func take(_ limit: Int, into chunk: inout [UInt8]) -> Int {
    let count = min(limitBeforeBadHeader(limit), unreceived)
    let start = outbox.count - unreceived
    chunk.removeAll(keepingCapacity: true)
    chunk.append(contentsOf: outbox[start..<start + count])
    chunk.append(contentsOf: repeatElement(0xff, count: World.slackBytes))
    received += count
    if unreceived == 0 { outbox.removeAll(keepingCapacity: true) }
    return count
  }

  /// A header is bad before its end has come: it arrives as a whole, or not at all.
  private func limitBeforeBadHeader(_ limit: Int) -> Int {
    let reached = sent[nextToArrive...].first { $0.end - received >= limit }
    guard let reached, reached.message.isHeader else { return limit }
    return reached.end - received
  }

  /// A message has arrived in part.
  var isMidMessage: Bool {
    guard nextToArrive < sent.count else { return false }
    return received > startOfNext
  }

  /// The same of one that is no oddity.
  var isMidRequest: Bool {
    guard isMidMessage else { return false }
    if case .oddity = sent[nextToArrive].message { return false }
    return true
  }

  /// Messages that have arrived as a whole and were not taken.
  var arrived: ArraySlice<Sent> { sent[nextToArrive...].prefix { $0.end <= received } }

  /// The next message that has now arrived as a whole.
  mutating func nextArrived() -> Message? {
    guard nextToArrive < sent.count, sent[nextToArrive].end <= received else { return nil }
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
