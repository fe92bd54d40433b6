import Histogram

/// Fills the measurement of a run, and cuts it into intervals.
struct LoadRecorder {
  /// The length of an interval.
  static let intervalNanoseconds: UInt64 = 1_000_000_000
  static let violationsKept = 20

  private(set) var measurement = LoadMeasurement()
  private var interval = LoadInterval()
  private var intervalLatency = LoadMeasurement.histogram()
  /// When the measured part begins and ends, on the monotonic clock.
  private var startNanoseconds: UInt64 = 0
  private var lastReplyNanoseconds: UInt64 = 0
  private var cancels = CancelLedger()

  /// Starts measuring: all requests that are scheduled from then on count.
  mutating func start(at nanoseconds: UInt64) { startNanoseconds = nanoseconds }

  func isMeasured(_ intendedNanoseconds: UInt64) -> Bool { intendedNanoseconds >= startNanoseconds }

  // MARK: Requests

  mutating func sent(_ request: OpenRequest) {
    guard isMeasured(request.intendedNanoseconds) else { return }
    measurement.intended += 1
    measurement.sent += 1
    interval.intended += 1
    interval.sent += 1
    let lag = request.sentNanoseconds - request.intendedNanoseconds
    _ = measurement.lag.record(lag)
    interval.lagNanoseconds = max(interval.lagNanoseconds, lag)
  }

  mutating func unsent(_ intendedNanoseconds: UInt64) {
    guard isMeasured(intendedNanoseconds) else { return }
    measurement.intended += 1
    measurement.unsent += 1
    interval.intended += 1
  }

  mutating func heldBack(_ intendedNanoseconds: UInt64) {
    if isMeasured(intendedNanoseconds) { measurement.heldBack += 1 }
  }

  // MARK: Replies

  mutating func result(of request: OpenRequest, isNewest: Bool, at now: UInt64) {
    guard isMeasured(request.intendedNanoseconds) else { return }
    lastReplyNanoseconds = now
    measurement.results += 1
    interval.results += 1
    let latency = now - request.intendedNanoseconds
    _ = measurement.latency.record(latency)
    _ = intervalLatency.record(latency)
    _ = measurement.service.record(now - request.sentNanoseconds)
    if isNewest { _ = measurement.staleness.record(now - request.sentNanoseconds) }
  }

  /// A piece of an answer came.
  /// - Parameter request: as it was before.
  mutating func piece(of request: OpenRequest, at now: UInt64) {
    guard isMeasured(request.intendedNanoseconds) else { return }
    measurement.pieces += 1
    if request.lastPieceNanoseconds == 0 {
      _ = measurement.firstPiece.record(now - request.intendedNanoseconds)
    } else {
      _ = measurement.pieceGap.record(now - request.lastPieceNanoseconds)
    }
  }

  mutating func superseded(_ request: OpenRequest, at now: UInt64) {
    guard isMeasured(request.intendedNanoseconds) else { return }
    lastReplyNanoseconds = now
    measurement.superseded += 1
    interval.superseded += 1
    _ = measurement.supersededAfter.record(now - request.intendedNanoseconds)
    record(cancels.superseded(request.number, at: request.supersededNanoseconds))
  }

  mutating func failed(_ request: OpenRequest, code: Int, at now: UInt64) {
    guard isMeasured(request.intendedNanoseconds) else { return }
    lastReplyNanoseconds = now
    measurement.errors[code, default: 0] += 1
    interval.errors += 1
  }

  /// The reply is to a request that the client had cancelled.
  mutating func cancelled(_ request: OpenRequest, at now: UInt64) {
    guard isMeasured(request.intendedNanoseconds) else { return }
    lastReplyNanoseconds = now
    measurement.cancelled += 1
    interval.cancelled += 1
    record(cancels.cancelled(request.number, at: request.cancelledNanoseconds))
  }

  /// Upstream heard the cancel of a request, and had perhaps given an answer before that supersedes it.
  mutating func heardCancel(_ heard: HeardCancel) {
    record(cancels.heard(heard.number, at: heard.nanoseconds, overtaken: heard.overtakenNanoseconds))
  }

  private mutating func record(_ cancelNanoseconds: UInt64?) {
    if let cancelNanoseconds { _ = measurement.cancelLatency.record(cancelNanoseconds) }
  }

  // MARK: Whatever else

  mutating func abandoned(_ count: Int) { measurement.abandoned += UInt64(count) }

  mutating func violated(_ violation: Violation, connection: Int, trace: () -> [String]) {
    measurement.violationCount += 1
    if violation.isStaleness {
      measurement.stale += 1
      interval.stale += 1
    }
    guard measurement.violations.count < Self.violationsKept else { return }
    measurement.violations.append(
      LoadViolation(connection: connection, description: violation.description, trace: trace()))
  }

  mutating func failed(_ reason: String) { if measurement.failure == nil { measurement.failure = reason } }

  mutating func overtaken() { measurement.directStale = (measurement.directStale ?? 0) + 1 }

  var intervalEndNanoseconds: UInt64 {
    startNanoseconds + interval.startNanoseconds + Self.intervalNanoseconds
  }

  /// Ends the interval if it is over.
  mutating func endInterval(at now: UInt64, open: Int) -> LoadInterval? {
    guard now >= intervalEndNanoseconds else { return nil }
    return closeInterval(at: now, open: open)
  }

  private mutating func closeInterval(at now: UInt64, open: Int) -> LoadInterval {
    var ended = interval
    ended.lengthNanoseconds = now - startNanoseconds - interval.startNanoseconds
    ended.open = UInt64(open)
    if intervalLatency.totalCount > 0 {
      ended.p50Nanoseconds = intervalLatency.valueAtPercentile(50)
      ended.p99Nanoseconds = intervalLatency.valueAtPercentile(99)
      ended.maxNanoseconds = intervalLatency.maxRecorded
      intervalLatency.reset()
    }
    measurement.intervals.append(ended)
    interval = LoadInterval()
    interval.startNanoseconds = now - startNanoseconds
    return ended
  }

  /// Ends the measurement.
  mutating func finish(at now: UInt64, open: Int, settings: [LoadMeasurement.Setting], seed: UInt64) {
    measurement.settings = settings
    measurement.seed = seed
    guard startNanoseconds != 0, now > startNanoseconds else { return }
    if now > startNanoseconds + interval.startNanoseconds { _ = closeInterval(at: now, open: open) }
    measurement.elapsedNanoseconds = max(lastReplyNanoseconds, startNanoseconds) - startNanoseconds
  }

  mutating func began(atSeconds seconds: UInt64, isDirect: Bool) {
    measurement.startedSeconds = seconds
    if isDirect { measurement.directStale = 0 }
  }

  mutating func add(_ work: LoadMeasurement.UpstreamWork) { measurement.upstream = work }
}
