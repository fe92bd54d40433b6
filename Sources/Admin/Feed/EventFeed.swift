import Addresses
import Gateway
import GatewayCore
import JSONRPC
import LibUV

/// Sends the events of tasks to all open live pages, in frames, and now and then the counters.
///
/// While nobody watches, the gateway notes nothing.
final class EventFeed {
  static let statsMilliseconds: UInt64 = 500

  private let server: GatewayLoops
  private let version: String
  private let loop: EventLoop
  private var timer: PreciseTimer?
  private(set) var streams: [EventStream] = []
  private var frame = EventFrame()
  private var frameDueMilliseconds = UInt64.max
  private var statsDueMilliseconds = UInt64.max
  private var counts = FeedCounts()

  init(of server: GatewayLoops, version: String, on loop: EventLoop) throws(UVError) {
    self.server = server
    self.version = version
    self.loop = loop
    timer = try PreciseTimer(on: loop) { [unowned self] in self.timerFired() }
  }

  func close() {
    server.watch(nil)
    timer?.close()
    timer = nil
  }

  /// Adds a reader for later events.
  func add(_ stream: EventStream) {
    stream.onClose = { [unowned self, unowned stream] in self.remove(stream) }
    streams.append(stream)
    if streams.count == 1 { begin() }
    // If it cannot be sent, the stream may have left again.
    stream.send(event: "hello", data: hello)
  }

  private func begin() {
    server.watch { [unowned self] in self.note($0) }
    server.hear(ofEvents: EventFrame.limitEvents)
    statsDueMilliseconds = loop.nowMilliseconds
    arm()
  }

  private func remove(_ stream: EventStream) {
    streams.removeAll { $0 === stream }
    counts.dropped += UInt64(stream.droppedCount)
    guard streams.isEmpty else { return }
    server.watch(nil)
    timer?.stop()
    (frameDueMilliseconds, statsDueMilliseconds) = (.max, .max)
    frame.removeAll()
  }

  private var hello: [UInt8] {
    var json = JSONBuilder()
    json.object { json in
      json.member("v", 1)
      json.member("version", version)
      json.member("now", loop.nowMilliseconds)
      json.member("frameMs", EventFrame.frameMilliseconds)
      json.member("eventsPerFrame", EventFrame.limitEvents)
      json.array("listen", server.addresses.map(\.description))
    }
    return json.bytes
  }

  // MARK: What happens

  private func note(_ journal: borrowing TaskJournal) -> Int {
    guard !journal.events.isEmpty || journal.leftOutCount > 0 else { return frame.room }
    let isFirst = frame.isEmpty
    frame.add(journal, at: journal.events.first?.atMilliseconds ?? loop.nowMilliseconds)
    if isFirst {
      frameDueMilliseconds = loop.nowMilliseconds + EventFrame.frameMilliseconds
      arm()
    }
    return frame.room
  }

  private func timerFired() {
    let now = loop.nowMilliseconds
    if frameDueMilliseconds <= now { sendFrame() }
    if statsDueMilliseconds <= now {
      statsDueMilliseconds = now + Self.statsMilliseconds
      sendStats()
    }
    arm()
  }

  private func arm() {
    if let due = nextDueMilliseconds { timer?.start(atMilliseconds: due) }
  }

  var frameIsDue: Bool { frameDueMilliseconds < .max }

  /// When to send next; nil: nobody watches.
  var nextDueMilliseconds: UInt64? {
    let due = min(frameDueMilliseconds, statsDueMilliseconds)
    return due == .max ? nil : due
  }

  // MARK: What is told

  /// What watchers were told, and what they were not.
  var watch: FeedCounts {
    var shown = counts
    for stream in streams { shown.dropped += UInt64(stream.droppedCount) }
    shown.watchers = streams.count
    return shown
  }

  private func sendFrame() {
    frameDueMilliseconds = .max
    let text = frame.text()
    var isTold = false
    for stream in streams { if sendFrame(text, to: stream) { isTold = true } }
    if isTold { counts.sent += UInt64(frame.eventCount) }
    counts.merged += frame.mergedCount
    frame.removeAll()
    server.hear(ofEvents: frame.room)
  }

  /// Sends a frame to one reader. A reader that was too slow gets with it the number of events that it missed.
  private func sendFrame(_ text: [UInt8], to stream: EventStream) -> Bool {
    let missed = stream.missedEventCount
    guard stream.send(event: "frame", data: missed == 0 ? text : frame.text(missedCount: missed)) else {
      stream.missedEventCount += UInt64(frame.eventCount) + frame.mergedCount
      return false
    }
    stream.missedEventCount = 0
    return true
  }

  private func sendStats() {
    let unreached = server.unconnectedUpstreamNames
    send("stats", StatsText.of(server.metrics, watch, unreached: unreached, at: loop.nowMilliseconds))
    if let status = server.fleetStatus { send("fleet", FleetText.json(status)) }
  }

  /// Sends watchers any other event.
  func send(_ event: String, _ data: [UInt8]) {
    // `streams` is copied here: a stream that fails removes itself.
    for stream in streams { stream.send(event: event, data: data) }
  }
}

@available(*, unavailable)
extension EventFeed: Sendable {}
