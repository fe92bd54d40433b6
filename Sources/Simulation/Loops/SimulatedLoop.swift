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
