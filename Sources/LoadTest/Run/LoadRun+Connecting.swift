import Client
import Glibc
import LibUV

/// How connections come and go.
extension LoadRun {
  func connect() {
    awaited = lanes.count
    for index in lanes.indices { connect(index) }
    guard let address = options.upstreamAddress else { return }
    awaited += 1
    watch = UpstreamWatch(
      address, run: options.run, pool, on: loop, onReady: { [unowned self] in self.arrived() },
      onCancel: { [unowned self] in self.recorder.heardCancel($0) },
      onLost: { [unowned self] in self.fail($0) })
  }

  private func connect(_ index: Int) {
    if let terms {
      let attempt = pool.connect(to: options.address, terms) { [self] in tried($0, index) }
      lanes[index].cancelAttempt = { attempt.cancel() }
    } else {
      let attempt = pool.connect(to: options.address) { [self] in tried($0, index) }
      lanes[index].cancelAttempt = { attempt.cancel() }
    }
  }

  private func tried<Failure>(_ result: Result<ClientConnection, Failure>, _ index: Int) {
    lanes[index].cancelAttempt = nil
    switch result {
    case .success(let connection): connected(connection, index)
    case .failure(let error): fail("cannot connect to \(options.address): \(error)")
    }
  }

  private func connected(_ connection: ClientConnection, _ index: Int) {
    guard phase == .connecting || phase == .running else { return connection.close() }
    connection.token = index
    connection.delegate = self
    guard let login = options.login else { return began(connection, index) }
    lanes[index].cancelAttempt = { connection.close() }
    connection.output.append(contentsOf: login)
    connection.sendSoon()
  }

  /// What came over a connection that asks nothing before the gateway knows who it is.
  func heardOfLogin(_ connection: ClientConnection, number: UInt64?, errorCode: Int?) {
    guard number == LoadOptions.loginNumber else {
      return fail("the gateway said something else than whether it knows the token")
    }
    if let errorCode { return fail("the gateway does not take the token: error \(errorCode)") }
    let index = connection.token
    lanes[index].cancelAttempt = nil
    guard phase == .connecting || phase == .running else { return connection.close() }
    began(connection, index)
  }

  /// From now on it asks.
  private func began(_ connection: ClientConnection, _ index: Int) {
    lanes[index].connection = connection
    if phase == .connecting { arrived() } else { resume(index) }
  }

  /// One of those that have to be there before anything is sent.
  private func arrived() {
    awaited -= 1
    if awaited == 0 && phase == .connecting { start() }
  }

  private func start() {
    phase = .running
    recorder.began(atSeconds: UInt64(clamping: time(nil)), isDirect: options.isDirect)
    startNanoseconds = PreciseTimer.nowNanoseconds
    let measuredNanoseconds = startNanoseconds + options.warmUpMilliseconds * 1_000_000
    recorder.start(at: measuredNanoseconds)
    endNanoseconds = measuredNanoseconds + options.milliseconds * 1_000_000
    if options.disconnectsPerSecond > 0 { planDisconnect(after: startNanoseconds) }
    startSending()
  }

  // MARK: Chaos

  func disconnectIfDue(_ now: UInt64) {
    guard now >= nextDisconnectNanoseconds else { return }
    planDisconnect(after: now)
    let index = chaos.below(lanes.count)
    guard let connection = lanes[index].connection else { return }
    connection.reset()
    lanes[index].connection = nil
    recorder.abandoned(oracle.beganAnew(index))
    trace.note(.reset, 0, connection: index, key: -1, at: now)
    connect(index)
  }

  private func planDisconnect(after now: UInt64) {
    nextDisconnectNanoseconds = now + UInt64(chaos.exponential() * 1e9 / options.disconnectsPerSecond)
  }
}
