import Addresses
import Client
import Glibc
import LibUV

/// How connections come and go.
extension LoadRun {
  func connect() {
    awaited = links.count
    for link in links { connect(link) }
    guard let address = options.upstreamAddress else { return }
    awaited += 1
    watch = UpstreamWatch(
      address, run: options.run, pool, on: loop, onReady: { [unowned self] in self.arrived() },
      onCancel: { [unowned self] in self.recorder.heardCancel($0) },
      onLost: { [unowned self] in self.fail($0) })
  }

  func connect(_ link: LoadLink) {
    let address = address(of: link)
    if let terms {
      let attempt = pool.connect(to: address, terms) { [self] in tried($0, link) }
      link.cancelAttempt = { attempt.cancel() }
    } else {
      let attempt = pool.connect(to: address) { [self] in tried($0, link) }
      link.cancelAttempt = { attempt.cancel() }
    }
  }

  private func address(of link: LoadLink) -> SocketAddress {
    options.address(of: link.lane, move: link.moves)
  }

  private func tried<Failure>(_ result: Result<ClientConnection, Failure>, _ link: LoadLink) {
    link.cancelAttempt = nil
    switch result {
    case .success(let connection): connected(connection, link)
    case .failure(let error):
      guard options.isOfFleet, isUnderWay else {
        return fail("cannot connect to \(address(of: link)): \(error)")
      }
      connectSoon(link)
    }
  }

  /// Connects to the next member, after a pause, as this one may be gone.
  private func connectSoon(_ link: LoadLink) {
    link.moves += 1
    let timer = LoopTimer(on: loop) { [unowned self, unowned link] in
      link.cancelAttempt?()
      link.cancelAttempt = nil
      connect(link)
    }
    timer.start(afterMilliseconds: Self.moveMilliseconds)
    link.cancelAttempt = { timer.close() }
  }

  private static let moveMilliseconds: UInt64 = 50

  private func connected(_ connection: ClientConnection, _ link: LoadLink) {
    guard isUnderWay else { return connection.close() }
    connection.token = link.place
    connection.delegate = self
    link.cancelAttempt = { connection.close() }
    switch lanes[link.lane].transport {
    case .lines: greet(connection, link)
    case .ws:
      let framing = WebSocketFraming { [unowned self] connection in
        greet(connection, links[connection.token])
      }
      connection.framing = framing
      link.framing = .webSocket(framing)
      framing.ask(address(of: link), into: &connection.output)
      connection.sendSoon()
    case .http, .sse:
      let framing = PostFraming(head(of: link)) { [unowned self, unowned link] in ended(link, isKept: $0) }
      connection.framing = framing
      link.framing = .posts(framing)
      began(connection, link)
    }
  }

  private func head(of link: LoadLink) -> PostHead {
    PostHead(
      to: options.address, session: PostHead.session(run: options.run, client: link.lane),
      token: options.token, wantsEvents: lanes[link.lane].transport == .sse)
  }

  /// Authenticates before the first request, where the options say so.
  private func greet(_ connection: ClientConnection, _ link: LoadLink) {
    guard let login = options.login else { return began(connection, link) }
    if case .webSocket(let framing) = link.framing {
      framing.frame(login.span.extracting(droppingLast: 1), into: &connection.output)
    } else {
      connection.output.append(contentsOf: login)
    }
    connection.sendSoon()
  }

  /// Hears a reply over a connection that sends nothing before it has authenticated.
  func heardOfLogin(_ connection: ClientConnection, number: UInt64?, errorCode: Int?) {
    guard number == LoadOptions.loginNumber else {
      return fail("the gateway said something else than whether it knows the token")
    }
    if let errorCode { return failedToLogIn(errorCode) }
    guard isUnderWay else { return connection.close() }
    began(connection, links[connection.token])
  }

  func failedToLogIn(_ code: Int) { fail("the gateway does not take the token: error \(code)") }

  private var isUnderWay: Bool { phase == .connecting || phase == .running || phase == .settling }

  /// The connection may send requests from now on.
  private func began(_ connection: ClientConnection, _ link: LoadLink) {
    link.cancelAttempt = nil
    link.connection = connection
    let posts = lanes[link.lane].transport.posts
    if phase == .connecting {
      if posts && !link.isForCancels { lanes[link.lane].free.append(link) }
      arrived()
    } else if posts {
      becameFree(link)
    } else {
      resume(link.lane)
    }
  }

  /// One of the connections has opened; when all have, the run starts.
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
    guard lanes[index].isWhole else { return }
    for link in lanes[index].links {
      link.connection?.reset()
      link.forget()
    }
    forgetWhatIsOpen(of: index, at: now)
    for link in lanes[index].links { connect(link) }
  }

  /// A member of a fleet has ended a client's connection: its open requests get no reply.
  func moved(_ link: LoadLink) {
    link.connection?.close()
    link.forget()
    forgetWhatIsOpen(of: link.lane, at: PreciseTimer.nowNanoseconds)
    connectSoon(link)
  }

  private func forgetWhatIsOpen(of index: Int, at now: UInt64) {
    lanes[index].free.removeAll(keepingCapacity: true)
    _ = lanes[index].cancels.removeAll()
    recorder.abandoned(oracle.beganAnew(index))
    trace.note(.reset, 0, connection: index, key: -1, at: now)
  }

  private func planDisconnect(after now: UInt64) {
    nextDisconnectNanoseconds = now + UInt64(chaos.exponential() * 1e9 / options.disconnectsPerSecond)
  }
}
