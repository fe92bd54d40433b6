package import Client
package import LibUV

/// One run, from the first connection to its measurement.
package final class LoadRun {
  enum Phase { case connecting, running, settling, reporting, done }

  /// A client.
  struct Lane {
    let transport: LoadTransport
    /// Its connections: one, or, if it sends POSTs, several, each for one POST at a time.
    let links: [LoadLink]
    /// Connections among these that can take a request.
    var free: [LoadLink] = []
    /// Requests whose cancels wait for their link.
    var cancels = WaitingLine<UInt64>()
    /// Requests that became due while no link was free.
    var held = WaitingLine<Arrival>()

    /// Whether it has all its connections.
    var isWhole: Bool { links.allSatisfy { $0.connection != nil } }
  }

  let options: LoadOptions
  /// The client's TLS terms; nil: it connects without TLS.
  let terms: TLSTerms?
  let loop: EventLoop
  let pool: ClientPool
  let writer: RequestWriter
  var phase = Phase.connecting
  var lanes: [Lane] = []
  /// Those of all clients, by their places.
  var links: [LoadLink] = []
  /// Room for a message that is going to be framed.
  var scratch: [UInt8] = []
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
  /// When the present phase ends: that of connecting, then that of sending, then that of waiting for answers.
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
    let transports = options.transport.transports(clients: workload.connections, seed: workload.seed)
    oracle = LoadOracle(
      connections: workload.connections, keys: workload.keys, sharesKeys: workload.sharesKeys,
      keepsOrder: transports.map(\.keepsOrder), ordersKeys: workload.ordersKeys)
    source = RequestSource(workload)
    chaos = LoadRandom(seed: workload.seed, stream: Streams.disconnects)
    makeLanes(transports)
    timer = try PreciseTimer(on: loop) {}
    turnEnd = loop.addTurnEnd { [unowned self] in self.turn() }
    endNanoseconds = PreciseTimer.nowNanoseconds + Self.connectNanoseconds
    timer?.start(atNanoseconds: endNanoseconds)
    connect()
  }

  private func makeLanes(_ transports: [LoadTransport]) {
    for (lane, transport) in transports.enumerated() {
      let first = links.count
      for _ in 0..<(transport.posts ? options.connectionsOfPosts : 1) {
        let isForCancels = transport.posts && options.takesBack && links.count == first
        links.append(LoadLink(lane: lane, place: links.count, isForCancels: isForCancels))
      }
      lanes.append(Lane(transport: transport, links: Array(links[first...])))
    }
  }

  /// How long it may take to open all connections.
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
