import GatewayCore
import HotData
import JSONRPC
import TaskStore

/// A gateway of its own, with one slow upstream and a key for each pane, for trying out what the policies do.
///
/// It uses the same code as the core that serves clients, but a core of its own: nothing here reaches clients, or is
/// counted among their requests.
final class Playground {
  static let limitTasks = 64
  /// More than tasks: each caller that joins one has a connection of its own.
  static let limitConnections = 128
  static let usualWorkMilliseconds: UInt64 = 1_500
  static let longestWorkMilliseconds: UInt64 = 10_000

  private(set) var core: GatewayCore
  private var upstream = SlowUpstream()
  private var connection: UpstreamID?
  private var callers = PlaygroundCallers()
  private var sentCount: UInt64 = 0
  private var frame = EventFrame()

  init(nowMilliseconds: UInt64) {
    var configuration = GatewayConfiguration()
    configuration.store.tasks = Self.limitTasks
    configuration.routes = PlaygroundPane.all.compactMap(\.route)
    // A fixed seed is safe: nobody else sends requests, or could choose keys that collide.
    core = GatewayCore(configuration, seed: 1, nowMilliseconds: nowMilliseconds)
    core.watch(limitEvents: EventFrame.limitEvents)
  }

  /// When `timeAdvanced` is next due.
  var nextDueMilliseconds: UInt64? {
    let due = min(core.nextDueMilliseconds ?? .max, upstream.nextDueMilliseconds ?? .max)
    return due == .max ? nil : due
  }

  /// Sends a request of this pane; false when there is no room for another.
  func send(
    _ pane: PlaygroundPane, from caller: PlaygroundCaller = .ann, workMilliseconds: UInt64,
    at nowMilliseconds: UInt64
  ) -> Bool {
    timeAdvanced(to: nowMilliseconds)
    guard core.taskCount < Self.limitTasks, callers.count < Self.limitConnections else { return false }
    sentCount += 1
    let work = min(workMilliseconds, Self.longestWorkMilliseconds)
    say(
      "{\"jsonrpc\":\"2.0\",\"id\":\(sentCount),\"method\":\"\(pane.method)\",\"params\":{\"ms\":\(work)},"
        + "\"task\":{\"key\":\"\(pane.name)\",\"policy\":\"\(pane.policy.name)\"}}\n",
      from: caller)
    settle()
    return true
  }

  /// Drops everything that runs or waits.
  func reset(at nowMilliseconds: UInt64) {
    timeAdvanced(to: nowMilliseconds)
    for client in callers.takeAll() { core.clientDisconnected(client) }
    settle()
  }

  func timeAdvanced(to nowMilliseconds: UInt64) {
    core.timeAdvanced(to: nowMilliseconds)
    settle()
  }

  /// Returns what happened, as a frame for the page; nil: nothing.
  func takeFrame() -> [UInt8]? { frame.isEmpty ? nil : frame.take() }

  // MARK: What there is instead of sockets

  private func say(_ line: String, from caller: PlaygroundCaller) {
    let known = callers.connection(of: caller)
    guard let sender = known ?? core.clientConnected(listener: 0, as: caller.kind) else { return }
    if known == nil { callers.add(sender, caller) }
    let bytes = Array(line.utf8)
    let padded = JSONText.padded(bytes)
    core.received(padded.span, count: bytes.count, from: sender)
    while core.holdsInput {
      core.goOnWithAnswers()
      core.goOn()
    }
    if caller.kind == .exchange { core.clientEnded(sender) }
  }

  /// Handles events until they cause no more.
  private func settle() {
    let callers = callers
    core.nameOrigins {
      $0.way = callers.caller(of: $0.client)?.way
      $0.principal = callers.caller(of: $0.client)?.rawValue
    }
    var isBusy = true
    while isBusy {
      var sink = PlaygroundSink()
      core.flush(into: &sink)
      isBusy = hear(sink)
    }
    let now = core.nowMilliseconds
    core.takeJournal { frame.add($0, at: now) }
  }

  private func hear(_ sink: PlaygroundSink) -> Bool {
    for client in sink.closed { callers.remove(client) }
    if let wanted = sink.wantsConnection {
      connection = wanted
      core.upstreamConnected(wanted)
    }
    for line in sink.linesToUpstream.split(separator: UInt8(ascii: "\n")) {
      upstream.receive(Array(line), at: core.nowMilliseconds)
    }
    let answers = upstream.takeAnswers(at: core.nowMilliseconds)
    if let connection, !answers.isEmpty {
      let padded = JSONText.padded(answers)
      core.upstreamReceived(padded.span, count: answers.count, from: connection)
    }
    return sink.wantsConnection != nil || !answers.isEmpty
  }
}
