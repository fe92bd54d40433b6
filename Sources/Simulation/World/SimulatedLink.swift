import JSONRPC

/// An upstream's side of a connection: the calls it works on, and what it said that has not arrived.
struct SimulatedLink {
  enum State { case closed, connecting, connected }

  struct Call {
    var name: CallName
    /// As the gateway spelt it.
    var id: Int
    /// The oracle's number for its task.
    var task: Int
    var isCancelled = false
    /// Nobody answers it: it is delivered.
    var isNotification = false
  }

  /// What a message on its way is.
  enum Utterance {
    case answer(Int)
    case question(Int)
    /// Before the answer of this number.
    case report(Int)
    /// Some of it.
    case piece(Int)
    /// What is said for a subscription.
    case aside(Int)
    /// - Parameter endsConnection: no gateway need put up with it.
    case noise(endsConnection: Bool)
  }

  /// A message on its way, up to the given offset of everything said on this connection.
  struct Said {
    var end: Int
    var utterance: Utterance
    var isTooLong = false

    var endsConnection: Bool {
      if case .noise(let endsConnection) = utterance { endsConnection } else { false }
    }
  }

  /// Calls that ended are remembered for wrong answers, so many.
  static let pastCalls = 64
  static let outboxLimitBytes = 1 << 16

  var state = State.closed
  /// The gateway's number for it while it is not closed.
  var slot = -1
  /// When the attempt to connect has taken too long.
  var attemptEndsMilliseconds = Int.max
  /// The gateway gave it up in this turn, and has still to close it.
  var isGivenUp = false
  /// Calls of this connection that upstream has not answered.
  var calls: [Call] = []
  /// Calls that it has answered, or that earlier connections brought: a ring.
  var past: [Call] = []
  private var nextPast = 0
  /// Exchanges that ended in this turn, and that the gateway may have given up before.
  var endedInTurn: [Call] = []

  var outbox: [UInt8] = []
  var received = 0
  var saidCount = 0
  var said: [Said] = []
  var nextToArrive = 0

  var isOpen: Bool { state != .closed }
  /// The gateway can take what comes over it.
  var isHeard: Bool { state == .connected && !isGivenUp }
  var unreceived: Int { saidCount - received }
  var maySay: Bool { state == .connected && unreceived < Self.outboxLimitBytes }

  /// - Parameter isTooLong: it is over the limit.
  mutating func say(
    _ message: [UInt8], _ utterance: Utterance, as framing: Framing?, isTooLong: Bool = false
  ) {
    let before = outbox.count
    if framing == .contentLength {
      outbox.append("Content-Length: ")
      outbox.append(digitsOf: message.count)
      outbox.append("\r\n\r\n")
    }
    outbox.append(contentsOf: message)
    if framing != .contentLength { outbox.append("\n") }
    saidCount += outbox.count - before
    said.append(Said(end: saidCount, utterance: utterance, isTooLong: isTooLong))
  }

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

  /// What has arrived as a whole and was not taken.
  var arriving: ArraySlice<Said> { said[nextToArrive...].prefix { $0.end <= received } }

  /// - Parameter held: so many bytes of what has arrived were not handled.
  mutating func nextArrived(but held: Int) -> Said? {
    guard nextToArrive < said.count, said[nextToArrive].end <= received - held else { return nil }
    nextToArrive += 1
    return said[nextToArrive - 1]
  }

  /// The connection is gone, and everything on its way with it.
  mutating func close() {
    state = .closed
    slot = -1
    isGivenUp = false
    for call in calls { remember(call) }
    calls.removeAll(keepingCapacity: true)
    forgetSaid()
  }

  mutating func forgetSaid() {
    outbox.removeAll(keepingCapacity: true)
    said.removeAll(keepingCapacity: true)
    (received, saidCount, nextToArrive) = (0, 0, 0)
  }

  mutating func remember(_ call: Call) {
    if past.count < Self.pastCalls {
      past.append(call)
    } else {
      past[nextPast] = call
      nextPast = (nextPast + 1) % Self.pastCalls
    }
  }

  /// The call is over.
  mutating func end(_ task: Int) {
    guard let place = calls.firstIndex(where: { $0.task == task }) else { return }
    remember(calls.remove(at: place))
  }

  func call(named name: CallName) -> Call? {
    calls.first { $0.name == name } ?? past.last { $0.name == name }
  }

  /// A message over the limit is refused before its end has come: it comes as a whole, or not at all.
  func limitBeforeGarbage(_ limit: Int) -> Int {
    guard nextToArrive < said.count else { return limit }
    var (place, bytes) = (nextToArrive, 0)
    while place < said.count, bytes < limit {
      bytes = said[place].end - received
      if said[place].endsConnection || said[place].isTooLong { return max(limit, bytes) }
      place += 1
    }
    return limit
  }
}
