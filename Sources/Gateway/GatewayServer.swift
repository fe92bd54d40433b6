package import Addresses
package import GatewayCore
import HotData
package import Identity
import JSONRPC
package import LibUV
package import Logging
import Upstreams

/// The gateway on its loop: turns what happens to sockets into events of the core, and flushes it once a turn.
package final class GatewayServer {
  let loop: EventLoop
  let options: ServerOptions
  let log: Logger
  private let heldConnections: InPlace<Connections>
  let transports: Transports
  private let heldCore: InPlace<GatewayCore>
  /// By their places in the options; nil: another loop listens there for all.
  var listeners: [Listener?] = []
  /// A timer of the loop's would have the kernel set one for each wait, and take it back.
  var timer: PreciseTimer?
  var turnEnd: EventLoop.TurnEnd?
  let heldTurn = InPlace(TurnState())
  private let heldTurnClock: InPlace<TurnClock>
  let secure: SecureClients
  /// Both know the server, and are there from its start to its end.
  private(set) var firstBytes: FirstBytes?
  private(set) var http: HTTPClients?
  private var failedAccepts = RepeatedWarning()
  var failedHandshakes = RepeatedWarning()
  private var refusedConnections = RepeatedWarning()
  private var refusedNotifications = RepeatedWarning()
  /// By the endpoint's name, of which there are as many as the configuration has.
  private var failedExchanges: [String: RepeatedWarning] = [:]
  var onStopped: (() -> Void)?
  /// The audit log of logins, refusals, cancels by key and ended connections; nil: none.
  package var audit: AuditLog? {
    didSet { core.audit(audit != nil) }
  }
  /// The sink of its log, if it is known.
  package var logSink: LogSink?

  /// What leads to the process' other loops; nil: there are none.
  let links: LoopLinks?
  /// Where several loops serve clients, and in no fleet.
  var coalescing: WriteCoalescing?
  /// In a fleet, what leads to other members: from a loop with clients, or to the one with the partitions.
  var asking: AskingLinks?
  var owning: OwningLinks?

  /// Starts to listen, and to connect upstream.
  package convenience init(_ options: ServerOptions, on loop: EventLoop, log: Logger) throws(StartError) {
    try self.init(options, on: loop, log: log, links: nil, besides: nil)
  }

  /// - Parameters:
  ///   - links: the links to the process' other loops, if there are any.
  ///   - first: the loop that already listens on this one's addresses.
  init(
    _ options: ServerOptions, on loop: EventLoop, log: Logger, links: LoopLinks?,
    besides first: GatewayServer?
  ) throws(StartError) {
    self.loop = loop
    self.options = options
    self.log = log
    self.links = links
    loop.turnBytes = options.core.server.turnBytes
    heldTurnClock = InPlace(TurnClock(limitMicroseconds: options.core.server.turnMicroseconds))
    heldConnections = InPlace(Connections(on: loop))
    secure = SecureClients(
      options.tls, options.core.server, heldConnections.value.lingeringCloses, on: loop)
    transports = Transports(options, on: loop)
    heldCore = InPlace(
      GatewayCore(
        options.core, seed: options.seed, nowMilliseconds: loop.nowMilliseconds, at: links?.place ?? .alone))
    precondition(
      options.upstreams.map(\.endpoints.count) == options.core.upstreams.map(\.endpoints),
      "each upstream has its options")
    tellWallClock()
    firstBytes = FirstBytes(of: self)
    let http = HTTPClients(of: self, on: loop)
    self.http = http
    connections.http = http
    hearOfSecureClients()
    try listen(besides: first)
    // The first listens everywhere.
    addresses = first?.addresses ?? listeners.compactMap { $0?.address }
    connections.makeTransport = { [unowned self] in
      let transport = transports.transport($0, to: $1)
      transport.delegate = self
      return transport
    }
    do throws(UVError) {
      timer = try PreciseTimer(on: loop) { [unowned self] in self.timerFired() }
      // In a fleet what has been decided must leave at once: another member may have the key a moment later.
      if let links, links.place.count > 1, !links.place.isInFleet {
        coalescing = try WriteCoalescing(on: loop, microseconds: options.core.server.coalesceMicroseconds)
      }
    } catch {
      closeListeners()
      throw StartError(cause: error)
    }
    // It is removed before the server goes; to check that would cost each turn.
    let server = unsafe Unmanaged.passUnretained(self)
    turnEnd =
      coalescing == nil
      ? loop.addTurnEnd { unsafe server._withUnsafeGuaranteedRef { $0.turnEnded() } }
      : loop.addTurnEnd { unsafe server._withUnsafeGuaranteedRef { $0.turnOfSeveralEnded() } }
    hear(ofEvents: 0)
  }

  private func listen(besides first: GatewayServer?) throws(StartError) {
    for (index, address) in options.listen.enumerated() {
      if first != nil, isOfOneLoop(index) {
        listeners.append(nil)
        continue
      }
      do throws(UVError) {
        let isSecure = secure.context(of: index) != nil
        let acceptsPerTurn = acceptsPerTurn(address, isSecure: isSecure)
        let onConnection: (ByteStream) -> Void = { [unowned self] in
          if isSecure { self.greet($0, index) } else { self.accept($0, index) }
        }
        let listener: Listener
        if let other = first?.listeners[index] {
          listener = try Listener(
            on: loop, besides: other, keepAlive: options.keepAlive(index),
            acceptsPerTurn: acceptsPerTurn, onConnection: onConnection)
        } else {
          listener = try Listener(
            on: loop, address: address, mode: options.socketMode(index), keepAlive: options.keepAlive(index),
            acceptsPerTurn: acceptsPerTurn, isShared: links != nil, onConnection: onConnection)
        }
        listener.onAcceptFailure = { [unowned self] in acceptFailed($0) }
        if isSecure { listener.onRoom = { [unowned self] in secure.acceptDelayMilliseconds } }
        listeners.append(listener)
      } catch {
        closeListeners()
        throw StartError(address: address, cause: error)
      }
    }
  }

  /// Whether only the first loop listens there: a session's requests come over several connections, and its loop is the
  /// one that knows it.
  private func isOfOneLoop(_ listener: Int) -> Bool {
    let clients = options.core.server.clients
    return clients.indices.contains(listener) && clients[listener].mcpPath != nil
  }

  /// Where all loops wait at one Unix socket, no one takes all that come.
  private func acceptsPerTurn(_ address: SocketAddress, isSecure: Bool) -> Int {
    if links != nil, case .unix = address { return 1 }
    return isSecure ? SecureClients.acceptsPerTurn : Listener.acceptsPerTurn
  }

  private func acceptFailed(_ error: UVError) {
    failedAccepts.log("cannot accept: \(error)", to: log, atMilliseconds: loop.nowMilliseconds)
  }

  func closeListeners() {
    for listener in listeners { listener?.close() }
  }

  /// The core calls nobody back but its sink, which knows nothing of it.
  var core: GatewayCore {
    @inline(__always) _read { yield heldCore.value }
    @inline(__always) _modify { yield &heldCore.value }
  }

  var connections: Connections {
    @inline(__always) _read { yield heldConnections.value }
    @inline(__always) _modify { yield &heldConnections.value }
  }

  var turn: TurnState {
    @inline(__always) _read { yield heldTurn.value }
    @inline(__always) _modify { yield &heldTurn.value }
  }

  /// Its clock knows nothing of it either.
  var turnClock: TurnClock {
    @inline(__always) _read { yield heldTurnClock.value }
    @inline(__always) _modify { yield &heldTurnClock.value }
  }

  /// Where the process listens, with the ports that the kernel gave, by their places in the options: also where another
  /// loop listens for this one.
  package private(set) var addresses: [SocketAddress] = []
  package var counters: GatewayCounters { core.counters }
  package var droppedLogLineCount: Int { logSink?.droppedLineCount ?? 0 }
  package var areUpstreamsConnected: Bool { core.isConnected }
  /// By its place in the options, each upstream that clients share and that no request can be sent to.
  package var unconnectedUpstreams: [Int] { core.unconnectedUpstreams }
  package var unconnectedUpstreamNames: [String] { unconnectedUpstreams.map { options.upstreams[$0].name } }
  package var isDraining: Bool { core.isDraining }
  /// How the last child ended that has ended; nil: none has.
  package var lastChildExit: ChildExit? { transports.departing.lastExit }
  /// Why no child could be started so far; nil: one could, or none was to be.
  package var childStartFailure: UVError? { transports.departing.startFailure }
  /// Hears of each child that could not be started.
  package var onChildStartFailure: ((UVError) -> Void)? {
    get { transports.departing.onStartFailure }
    set { transports.departing.onStartFailure = newValue }
  }

  // MARK: The turn of the loop

  /// Time is an event, too, and comes before the others of its turn.
  func now() {
    if links != nil { waitForPermit() }
    core.timeAdvanced(to: loop.nowMilliseconds)
  }

  /// It may have been set, or the machine may have slept: how far the two clocks are apart is found out again and again.
  private func tellWallClock() {
    guard core.needsWallClock else { return }
    core.wallClock(says: WallClock.unixMilliseconds, atMilliseconds: loop.nowMilliseconds)
  }

  private func timerFired() {
    turn.armedMilliseconds = .max
    tellWallClock()
    now()
  }

  private func turnEnded() {
    if core.isBehind || heldTurn.value.isHTTPBehind {
      goOnBehind()
    } else {
      heldTurn.value.isPassingOver = false
    }
    turnClock.renew()
    flush()
    if heldCore.value.hasNews(since: heldTurn.value.toldCount) { tellNews() }
    if heldTurn.value.drain != nil { endDrainingTurn() } else { endTurn() }
  }

  /// Where several loops have much to do, output of this turn leaves together with that of the next: one write for both
  /// costs hardly more than one for either, at both ends.
  private func turnOfSeveralEnded() {
    let hasMore = core.isBehind || turn.isHTTPBehind || turn.drain != nil
    if turnClock.looksAgain(unless: hasMore) { loop.turnAgain() } else { turnEnded() }
  }

  @inline(__always)
  private func flush() {
    if heldTurn.value.isLookedAt {
      flushLookedAt()
    } else {
      heldCore.value.flush(into: &connections)
    }
  }

  /// The origins of noted requests are asked for first: after a flush, the client of an answered POST is gone.
  @inline(never)
  private func flushLookedAt() {
    let isWatched = turn.watching.hearsOfTasks
    if isWatched { nameOrigins() }
    owning?.waitForPermit()
    holdBack()
    heldCore.value.flush(into: &connections)
    if isWatched { tellWatchers() }
    sendToLoops()
    if let owning {
      owning.saySpent(core.takeSpent())
      owning.sayDrained(core.takeDrained())
    }
  }

  /// What several loops answer to one client leaves together.
  private func holdBack() {
    guard let coalescing else { return }
    if coalescing.takeIsOver() {
      core.releaseHeldBack()
    } else {
      core.holdBack()
      if core.holdsBack { coalescing.begin() }
    }
  }

  @inline(never)
  private func goOnWithHTTP() {
    turn.isHTTPBehind = false
    turnClock.beginLeftOver()
    http?.goOn()
  }

  /// The server is retained: whoever hears that it has stopped may release it.
  @inline(never)
  private func endDrainingTurn() {
    let server = unsafe Unmanaged.passRetained(self)
    checkDrain()
    // Once the deadline is past it waits for the fleet alone, and is told.
    if let drain = turn.drain, drain.deadlineMilliseconds > loop.nowMilliseconds {
      arm(atMilliseconds: drain.deadlineMilliseconds)
    }
    endTurn()
    unsafe server.release()
  }

  @inline(__always)
  private func endTurn() {
    heldTurn.value.hasHeard = false
    arm()
    if heldTurn.value.watching.measuresLag { heldTurn.value.watching.lag.record(loop.turnMilliseconds) }
  }

  @inline(never)
  private func tellNews() {
    if core.clientsClosedForRoom != turn.closedForRoom.count { tellOfClosed() }
    if core.keylessRoutes.count != turn.keylessRouteCount { tellOfKeylessRoutes() }
    if core.refusedMessageCount != turn.refusedMessages.count { tellOfRefused() }
    if core.failedAuthenticationCount != turn.failedAuthentications.count { tellOfFailedAuthentications() }
    if core.hasRefusedNotifications { tellOfRefusedNotifications() }
    if core.hasAuditEvents { writeAudit() }
    if core.hasPagesToGiveBack { loop.turnAgain() }
  }

  /// Goes on with leftover work, in turns, once new input is answered. Work that is left after that goes behind the
  /// input that has come meanwhile.
  @inline(never)
  private func goOnBehind() {
    // One long message is enough for a turn; but nobody is passed over twice for that.
    turn.isPassingOver = core.hasWorkedMuch && !turn.isPassingOver
    flush()
    if heldTurn.value.isHTTPBehind { goOnWithHTTP() }
    if core.isBehind && !turn.isPassingOver {
      turnClock.beginLeftOver()
      repeat {
        core.goOnWithTimers()
        core.goOnWithAnswers()
        core.goOn()
        flushEarly()
      } while core.isBehind && !core.hasWorkedMuch && !turnClock.isPast
    }
    if core.isBehind { loop.turnAgain() }
  }

  func flushEarly() {
    if links != nil, !mayFlushEarly { return }
    core.flushEarly(into: &connections)
  }

  @inline(__always)
  private func arm() {
    let due = core.dueMilliseconds
    if due < heldTurn.value.armedMilliseconds { arm(atMilliseconds: due) }
  }

  @inline(never)
  func arm(atMilliseconds due: UInt64) {
    guard due < turn.armedMilliseconds else { return }
    turn.armedMilliseconds = due
    timer?.start(atMilliseconds: due)
  }

  // MARK: Clients

  private func accept(_ stream: ByteStream, _ listener: Int) {
    stream.countsInFlight = true
    let credential = stream.peerUser.map { Credential.user($0) }
    guard let client = admit(.stream(stream), listener, credential) else { return }
    stream.reader = .client
    stream.token = UInt32(truncatingIfNeeded: client.slot)
    stream.delegate = firstBytes
    stream.startReading()
  }

  /// The same for one that has come under TLS.
  func accept(_ transport: TLSTransport) {
    let credential = transport.peer.map { Credential($0) }
    guard let client = admit(.transport(transport), transport.listener, credential) else { return }
    core.transportHolds(transport.ownByteCount, for: client)
    if let firstBytes { transport.start(as: client, firstBytes) }
  }

  /// Serves a client that comes some other way as if it had come to a listener.
  /// - Parameter credential: what is known of it before it has said anything.
  package func accept(
    _ transport: any ClientTransport, _ listener: Int, _ credential: Credential? = nil
  ) {
    guard let client = admit(.transport(transport), listener, credential) else { return }
    core.transportHolds(transport.ownByteCount, for: client)
    transport.start(as: client, self)
  }

  /// Returns nil for one that is refused.
  func admit(
    _ carrier: ClientCarrier, _ listener: Int, _ credential: Credential? = nil, as kind: ClientKind = .stream
  ) -> ClientID? {
    now()
    tellWallClock()
    turn.hasHeard = true
    http?.tellCounts()
    if let links { core.connectionsElsewhere(links.connections(core.connectionCount)) }
    if core.lacksPlace(for: listener, credential, as: kind) { http?.makePlace(for: kind) }
    guard let client = core.clientConnected(listener: listener, credential, as: kind) else {
      refuse(carrier)
      return nil
    }
    firstBytes?.admitted(client)
    connections.add(carrier, as: client)
    audit?.note(carrier.peerAddress, of: client, number: core.number(of: client))
    return client
  }

  private func tellOfClosed() {
    turn.closedForRoom.log(
      core.counters.clientsClosedForRoom, as: "connections",
      "closed the connections for which most was held: memoryBytes or payloadBytes is reached",
      to: log, atMilliseconds: loop.nowMilliseconds)
  }

  private func tellOfRefused() {
    turn.refusedMessages.log(
      core.counters.refusedMessages, as: "messages",
      "refused messages of an upstream: they are no JSON-RPC, or beyond messageBytes or nestingLevels",
      ["upstream": .string(options.upstreams[core.refusedMessagePlace].name)],
      to: log, atMilliseconds: loop.nowMilliseconds)
  }

  private func tellOfFailedAuthentications() {
    turn.failedAuthentications.log(
      core.counters.failedAuthentications, as: "attempts",
      "log-ins with an unknown token", to: log, atMilliseconds: loop.nowMilliseconds
    )
  }

  /// Said once of each connection: nobody hears of it otherwise.
  private func tellOfRefusedNotifications() {
    for refused in core.takeRefusedNotifications() {
      refusedNotifications.log(
        "a notification was refused and is lost; others of its connection may be, too",
        ["method": "\(refused.method)", "reason": "\(refused.reason)"],
        to: log, atMilliseconds: loop.nowMilliseconds)
    }
  }

  private func refuse(_ carrier: ClientCarrier) {
    connections.refuse(carrier)
    let isOfSystem = core.configuration.server.hasFewDescriptors
    refusedConnections.log(
      isOfSystem
        ? "refused a connection: the limit of open files leaves no room for more"
        : "refused a connection: the bound is reached", ["connections": .stringConvertible(core.clientCount)],
      to: log, atMilliseconds: loop.nowMilliseconds)
  }

  /// Said once of each route: where a key is missing now and then, nothing is wrong.
  private func tellOfKeylessRoutes() {
    for number in core.keylessRoutes[turn.keylessRouteCount...] {
      let route = core.configuration.routes[number]
      log.warning(
        "the first request of a route has no key in its params; requests without one supersede nothing",
        metadata: [
          "method": "\(route.method)\(route.isPrefix ? "*" : "")", "key": "\(route.key?.text ?? "")",
        ])
    }
    turn.keylessRouteCount = core.keylessRoutes.count
  }

  // MARK: Upstreams

  /// An endpoint that is down fails each request that is sent there.
  func exchangeFailed(_ endpoint: String, _ reason: String) {
    let metadata: Logger.Metadata = ["upstream": "\(endpoint)", "reason": "\(reason)"]
    let isTold = failedExchanges[endpoint, default: RepeatedWarning()].log(
      "exchange failed", metadata, to: log, atMilliseconds: loop.nowMilliseconds)
    if !isTold { log.debug("exchange failed", metadata: metadata) }
  }

  // MARK: Reloading

  /// New bounds, times, routes and listener options for what comes from now on.
  package func reconfigure(_ configuration: GatewayConfiguration) {
    now()
    core.reconfigure(configuration)
    noteDigest(of: configuration)
    // It may have had no need of it before.
    tellWallClock()
    turn.keylessRouteCount = 0
    transports.keep(configuration)
    secure.keep(configuration.server)
    http?.reconfigure()
    loop.turnBytes = configuration.server.turnBytes
    turnClock = TurnClock(limitMicroseconds: configuration.server.turnMicroseconds)
    coalescing?.microseconds = configuration.server.coalesceMicroseconds
    // The log may now hear of more, or of less.
    hear(ofEvents: 0)
  }
}

@available(*, unavailable)
extension GatewayServer: Sendable {}
