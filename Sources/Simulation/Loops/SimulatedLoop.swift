import GatewayCore
import JSONRPC
import TaskStore

/// One of a process' loops, with its clients and its connection to upstream.
final class SimulatedLoop {
  var core: GatewayCore
  var sink = LoopSink()
  private static let upstream = UpstreamID(slot: 0)

  init(
    _ configuration: GatewayConfiguration, _ place: LoopPlace, nowMilliseconds: UInt64, salt: UInt64 = 0
  ) {
    core = GatewayCore(
      configuration, seed: place.seed &+ UInt64(place.number) &+ salt, nowMilliseconds: nowMilliseconds,
      at: place)
    core.flush(into: &sink)
    sink.connecting = []
    core.upstreamConnected(Self.upstream)
  }

  /// Handles what a client says, in as many shares as it takes.
  func say(_ text: String, from client: ClientID) {
    let bytes = Array(text.utf8)
    core.received(JSONText.padded(bytes).span, count: bytes.count, from: client)
    while core.isBehind { core.goOn() }
  }

  func answer(_ text: String) {
    let bytes = Array(text.utf8)
    core.upstreamReceived(JSONText.padded(bytes).span, count: bytes.count, from: Self.upstream)
  }

  /// The same of an exchange; of one that has been aborted nothing is heard.
  /// - Parameter text: nil: it has ended without an answer.
  func answer(_ text: String?, inExchange number: UInt64) {
    guard let task = TaskID(exactly: number), let upstream = sink.exchanges.removeValue(forKey: task) else {
      return
    }
    guard let text else { return core.exchangeFailed(task, .unanswered, over: upstream) }
    let bytes = Array(text.utf8)
    core.exchangeAnswered(task, JSONText.padded(bytes).span, count: bytes.count, over: upstream)
  }

  /// Writes what need not wait for the turn's end.
  func flushEarly() { core.flushEarly(into: &sink) }

  /// Hears what another loop had to tell.
  /// - Parameter isLate: there is no time for more than a share of it in this turn.
  func hear(_ batch: PeerBatch, from loop: Int, isLate: Bool = false) {
    if isLate {
      var count = batch.eventCount > 1 ? core.heard(batch, from: loop) : 0
      while count < batch.eventCount { count = core.putOff(batch, from: loop, behind: count) }
    } else {
      core.heardAll(of: batch, from: loop)
    }
    for new in core.takeNewMirrors() { sink.mirrors[new.mirror.slot] = new.name }
  }

  /// A loop of another process cannot be reached any more.
  func forget(_ place: Int) {
    drop(core.placeIsDown(place))
    sink.answers[place] = nil
  }

  /// Its member has been declared dead.
  func forgetAll() {
    drop(core.forgetAll())
    sink.answers = [:]
  }

  private func drop(_ mirrors: [ClientID]) {
    for mirror in mirrors { sink.mirrors[mirror.slot] = nil }
  }

  /// Ends a turn; returns what other loops are to be told, each in its order.
  /// - Parameter holdsBack: clients wait for what other loops still answer them; else nothing is held back any more.
  func endTurn(of loops: Int, holdsBack: Bool) -> [(loop: Int, batch: PeerBatch)] {
    for (task, upstream) in sink.takeDelivered() { core.exchangeDelivered(task, over: upstream) }
    if holdsBack { core.holdBack() } else { core.releaseHeldBack() }
    core.flush(into: &sink)
    for upstream in sink.connecting { core.upstreamConnected(upstream) }
    sink.connecting = []
    var told: [(loop: Int, batch: PeerBatch)] = []
    for loop in 0..<loops {
      if let batch = core.takeBatch(for: loop) { told.append((loop, batch)) }
      if let batch = sink.takeAnswers(for: loop) { told.append((loop, batch)) }
    }
    return told
  }
}

/// Takes what a loop's core hands out.
struct LoopSink: GatewaySink {
  /// By the slots of those that stand for other loops' clients.
  var mirrors: [Int: MirrorName] = [:]
  /// What mirrors were written, by the loops of their clients.
  var answers: [Int: PeerBatch] = [:]
  private var sent = SentBatches(count: 2)
  var toClients: [Int: [UInt8]] = [:]
  var toUpstream: [UInt8] = []
  /// Exchanges that have begun and not ended.
  var exchanges: [TaskID: UpstreamID] = [:]
  /// Notifications among them.
  private var delivering: [TaskID] = []
  var closed: [Int] = []
  var connecting: [UpstreamID] = []

  mutating func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to client: ClientID) -> Int {
    if let mirror = mirrors[client.slot] {
      return unsafe answers[mirror.loop, default: PeerBatch()].addAnswers(chunks, to: mirror)
    }
    return unsafe Self.take(chunks, into: &toClients[client.slot, default: []])
  }

  mutating func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to upstream: UpstreamID) -> Int {
    unsafe Self.take(chunks, into: &toUpstream)
  }

  mutating func takeAnswers(for loop: Int) -> PeerBatch? {
    guard var batch = answers.removeValue(forKey: loop) else { return nil }
    return sent.take(&batch)
  }

  private static func take(
    _ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, into bytes: inout [UInt8]
  ) -> Int {
    let before = bytes.count
    // The core's buffers live until the call returns.
    for index in chunks.indices { unsafe bytes.append(contentsOf: chunks[index]) }
    return bytes.count - before
  }

  mutating func close(_ client: ClientID) {
    if let mirror = mirrors.removeValue(forKey: client.slot) {
      answers[mirror.loop, default: PeerBatch()].addClosed(mirror)
    } else {
      closed.append(client.slot)
    }
  }

  mutating func setReading(_ isReading: Bool, from client: ClientID) {}
  mutating func connect(_ upstream: UpstreamID, to endpoint: UpstreamEndpoint) { connecting.append(upstream) }
  mutating func disconnect(_ upstream: UpstreamID) {}

  // MARK: Exchanges

  /// What they say is a line like any other.
  mutating func begin(_ exchange: Exchange, over upstream: UpstreamID, _ message: [UInt8]) {
    toUpstream += message + [UInt8(ascii: "\n")]
    guard let task = exchange.task else { return }
    exchanges[task] = upstream
    if exchange.isNotification { delivering.append(task) }
  }

  /// Upstream sees an exchange end before it has answered, which says what a line of another dialect says.
  mutating func abort(_ task: TaskID, over upstream: UpstreamID) {
    exchanges[task] = nil
    let line = #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(task.rawValue)}}"# + "\n"
    toUpstream += Array(line.utf8)
  }

  /// Notifications that have arrived, in their order.
  mutating func takeDelivered() -> [(TaskID, UpstreamID)] {
    defer { delivering = [] }
    return delivering.compactMap { task in exchanges.removeValue(forKey: task).map { (task, $0) } }
  }
}
