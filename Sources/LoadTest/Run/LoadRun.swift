package import Client
package import LibUV

/// One run, from the first connection to its measurement.
package final class LoadRun {
  enum Phase { case connecting, running, settling, reporting, done }

  /// One of the connections; it has none for the moment in which it is made anew.
  struct Lane {
    var connection: ClientConnection?
    /// Ends the attempt to have one.
    var cancelAttempt: (() -> Void)?
    /// What was to be sent in that moment.
    var held: [Arrival] = []
  }

  let options: LoadOptions
  /// Those of TLS; nil: it is spoken to without.
  let terms: TLSTerms?
  let loop: EventLoop
  let pool: ClientPool
  let writer: RequestWriter
  var phase = Phase.connecting
  var lanes: [Lane] = []
  var watch: UpstreamWatch?
  var awaited = 0
  var oracle: LoadOracle
  var recorder = LoadRecorder()
  var trace = LoadTrace()
  /// The last request's.
  var number: UInt64 = 0
  var heldCount = 0
  /// When as many requests as allowed were last open.
  var fullNanoseconds: UInt64 = 0
  var source: RequestSource
  /// nil in a closed loop.
  var arrivals: Arrivals?
  var nextArrival: Arrival?
  var cancels = PendingCancels()
  var chaos: LoadRandom
  var nextDisconnectNanoseconds = UInt64.max
  var startNanoseconds: UInt64 = 0
  /// When connections are not awaited any more; then, when nothing is sent; then, when nothing is awaited.
  var endNanoseconds: UInt64 = 0
  var timer: PreciseTimer?
  var turnEnd: EventLoop.TurnEnd?
  private let onInterval: (LoadInterval) -> Void
  let onDone: (LoadMeasurement) -> Void

  package init(
    _ options: LoadOptions, _ terms: TLSTerms? = nil, on loop: EventLoop,
    onInterval: @escaping (LoadInterval) -> Void = { _ in },
    onDone: @escaping (LoadMeasurement) -> Void
  ) throws(UVError) {
    self.options = options
    self.terms = terms
    self.loop = loop
    self.onInterval = onInterval
    self.onDone = onDone
    let workload = options.workload
    pool = ClientPool(on: loop)
    writer = RequestWriter(options)
    oracle = LoadOracle(
      connections: workload.connections, keys: workload.keys, sharesKeys: workload.sharesKeys)
    source = RequestSource(workload)
    chaos = LoadRandom(seed: workload.seed, stream: Streams.disconnects)
    lanes = Array(repeating: Lane(), count: workload.connections)
    timer = try PreciseTimer(on: loop) {}
    turnEnd = loop.addTurnEnd { [unowned self] in self.turn() }
    endNanoseconds = PreciseTimer.nowNanoseconds + Self.connectNanoseconds
    timer?.start(atNanoseconds: endNanoseconds)
    connect()
  }

  /// What all connections together may take to come about.
  private static let connectNanoseconds: UInt64 = 30_000_000_000

  /// Sends nothing more, waits for what is open and ends.
  package func stop() {
    switch phase {
    case .running: stopSending()
    case .connecting: fail("interrupted")
    case .settling, .reporting, .done: break
    }
  }

  // MARK: Turns

  /// Does what is due; the timer only makes the loop turn.
  private func turn() {
    let now = PreciseTimer.nowNanoseconds
    if phase == .running || phase == .settling {
      recorder.endInterval(at: now, open: oracle.open.count).map(onInterval)
    }
    switch phase {
    case .running:
      sendWhatIsDue(now)
      cancelWhatIsDue(now)
      disconnectIfDue(now)
      if phase == .running && now >= endNanoseconds { stopSending() }
    case .settling:
      cancelWhatIsDue(now)
      if oracle.open.count == 0 || now >= endNanoseconds { report() }
    case .connecting:
      if now >= endNanoseconds { fail("not every connection came about in time") }
      return
    case .reporting, .done: return
    }
    pool.flush()
    arm(now)
  }

  private func arm(_ now: UInt64) {
    guard phase == .running || phase == .settling else { return }
    var next = min(endNanoseconds, recorder.intervalEndNanoseconds, cancels.nextNanoseconds ?? .max)
    if phase == .running { next = min(next, nextSendNanoseconds, nextDisconnectNanoseconds) }
    timer?.start(atNanoseconds: max(next, now + Self.slackNanoseconds))
  }

  /// What comes due within so long is done together: a system call for each would be the client's own limit.
  private static let slackNanoseconds: UInt64 = 30_000
}

@available(*, unavailable)
extension LoadRun: Sendable {}
