import GatewayCore

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
  var listener = 0
  var outbox: [UInt8] = []
  /// Bytes that the gateway has received, of those ever sent.
  var received = 0
  var sentCount = 0
  var sent: [Sent] = []
  var nextToArrive = 0
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
    outbox.append(contentsOf: line)
    sentCount += line.count
    sent.append(Sent(end: sentCount, message: message))
  }

  /// The next bytes on their way, at most so many, and the scanner's slack behind them.
  mutating func take(_ limit: Int, into chunk: inout [UInt8]) -> Int {
    let count = min(limit, unreceived)
    let start = outbox.count - unreceived
    chunk.removeAll(keepingCapacity: true)
    chunk.append(contentsOf: outbox[start..<start + count])
    chunk.append(contentsOf: repeatElement(0xff, count: World.slackBytes))
    received += count
    if unreceived == 0 { outbox.removeAll(keepingCapacity: true) }
    return count
  }

  /// How many messages have arrived as a whole and were not taken.
  var arrivedLines: Int { sent[nextToArrive...].prefix { $0.end <= received }.count }

  /// The next message that has now arrived as a whole.
  mutating func nextArrived() -> Message? {
    guard nextToArrive < sent.count, sent[nextToArrive].end <= received else { return nil }
    nextToArrive += 1
    defer { forgetArrived() }
    return sent[nextToArrive - 1].message
  }

  private mutating func forgetArrived() {
    guard nextToArrive == sent.count else { return }
    sent.removeAll(keepingCapacity: true)
    nextToArrive = 0
  }
}
