import GatewayCore
import TaskStore

/// What somebody was told who watches now and then, who may miss much of it.
struct Watcher {
  /// nil: nobody watches.
  var limitEvents: Int?
  /// The most of those since it was last looked.
  var mostEvents = 0
  private var lastMilliseconds: UInt64 = 0
  private var newestGeneration: UInt64 = 0
  private var ended: Set<UInt64> = []

  mutating func hear(_ event: TaskEvent, _ text: [UInt8], at now: UInt64) throws(Violation) {
    let isInTime = event.atMilliseconds >= lastMilliseconds && event.atMilliseconds <= now
    try require(isInTime, "told at no time: \(event)")
    try require(event.ageMilliseconds <= event.atMilliseconds, "older than time: \(event)")
    try require(max(event.key.upperBound, event.method.upperBound) <= text.count, "a text is cut: \(event)")
    lastMilliseconds = event.atMilliseconds
    try require(!ended.contains(event.generation), "told after the end: \(event)")
    switch event.kind {
    case .rejected: return try require(event.generation == 0, "it became no task: \(event)")
    case .admitted:
      try require(event.generation > newestGeneration, "admitted again, or too late: \(event)")
      newestGeneration = event.generation
      let method = text[event.method]
      try require(method.first == 0x22 && method.last == 0x22 && method.count >= 2, "no method: \(event)")
    case .answered, .ended: ended.insert(event.generation)
    case .joined, .followed, .sent, .firstPiece, .refused, .abandoned, .cancelSent: break
    }
    try require(event.generation > 0, "told of no task: \(event)")
  }
}

extension CoreHistory {
  private static let mostWatchedEvents = 6

  mutating func watch() {
    let limit = choices.number(below: Self.mostWatchedEvents + 2)
    watcher.limitEvents = limit > Self.mostWatchedEvents ? nil : limit
    watcher.mostEvents = max(watcher.mostEvents, watcher.limitEvents ?? 0)
    core.watch(limitEvents: watcher.limitEvents)
  }

  mutating func readJournal() throws(Violation) {
    var (events, text, leftOut): ([TaskEvent], [UInt8], UInt64) = ([], [], 0)
    core.takeJournal { (events, text, leftOut) = ($0.events, $0.text, $0.leftOutCount) }
    try require(events.count <= watcher.mostEvents, "\(events.count) events, at most \(watcher.mostEvents)")
    try require(leftOut == 0 || core.counters.admitted + core.counters.notifications > 0, "told of nothing")
    for event in events { try watcher.hear(event, text, at: core.nowMilliseconds) }
    core.takeJournal { (events, text, leftOut) = ($0.events, $0.text, $0.leftOutCount) }
    try require(events.isEmpty && text.isEmpty && leftOut == 0, "the journal is not empty once it was taken")
    watcher.mostEvents = watcher.limitEvents ?? 0
    try checkMeasures()
  }

  private func checkMeasures() throws(Violation) {
    let (counters, times) = (core.counters, core.times)
    try require(times.queueing.count == counters.sentUpstream, "not all that was sent was measured")
    try require(times.staleness.count == counters.droppedLate, "not all that came too late was measured")
    try require(times.total.count == times.upstream.count, "\(times.total.count) times of answers")
    try require(core.gauges.tasks.sum == core.taskCount, "\(core.gauges.tasks) of \(core.taskCount) tasks")
    try require(counters.bytesToClients == sink.bytesToClients, "\(counters.bytesToClients) bytes to clients")
    try require(counters.bytesToUpstreams == sink.bytesToUpstream, "\(counters.bytesToUpstreams) upstream")
  }
}
