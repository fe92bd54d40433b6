/// The upstream's side of its connection: the calls it works on, and what it said that has not arrived.
struct SimulatedUpstream {
  enum State { case closed, connecting, connected }

  struct Call {
    var name: CallName
    /// As the gateway spelt it; nil for a notification.
    var id: Int
    /// The oracle's number for its task.
    var task: Int
    var isCancelled = false
  }

  /// A line on its way, up to the given offset of everything said on this connection.
  struct Said {
    var end: Int
    /// Of an answer, its number; 0: noise.
    var answer: Int
    var endsConnection = false
  }

  /// Calls that ended are remembered for wrong answers, so many.
  static let pastCalls = 64
  static let outboxLimitBytes = 1 << 16

  var state = State.closed
  /// When the attempt to connect has taken too long.
  var attemptEndsMilliseconds = Int.max
  /// It has said what no gateway need put up with, or takes too long to connect.
  var isToBeDisconnected = false
  /// Calls of this connection that upstream has not answered.
  var calls: [Call] = []
  /// Calls that it has answered, or that earlier connections brought: a ring.
  var past: [Call] = []
  private var nextPast = 0

  var outbox: [UInt8] = []
  var received = 0
  var saidCount = 0
  var said: [Said] = []
  var nextToArrive = 0

  var unreceived: Int { saidCount - received }
  var maySay: Bool { state == .connected && unreceived < Self.outboxLimitBytes }

  mutating func say(_ line: [UInt8], answer: Int, endsConnection: Bool = false) {
    outbox.append(contentsOf: line)
    saidCount += line.count
    said.append(Said(end: saidCount, answer: answer, endsConnection: endsConnection))
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

  mutating func nextArrived() -> Said? {
    guard nextToArrive < said.count, said[nextToArrive].end <= received else { return nil }
    nextToArrive += 1
    return said[nextToArrive - 1]
  }

  /// The connection is gone, and everything on its way with it.
  mutating func disconnect() {
    state = .closed
    for call in calls { remember(call) }
    calls.removeAll(keepingCapacity: true)
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

  func call(named name: CallName) -> Call? {
    calls.first { $0.name == name } ?? past.last { $0.name == name }
  }

  /// A line over the limit is garbage before its end has come: it comes as a whole, or not at all.
  func limitBeforeGarbage(_ limit: Int) -> Int {
    guard nextToArrive < said.count else { return limit }
    var (place, bytes) = (nextToArrive, 0)
    while place < said.count, bytes < limit {
      bytes = said[place].end - received
      if said[place].endsConnection { return max(limit, bytes) }
      place += 1
    }
    return limit
  }
}
