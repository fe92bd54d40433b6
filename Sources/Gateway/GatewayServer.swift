package import Addresses
package import GatewayCore
import HotData
import JSONRPC
package import LibUV
package import Logging
import Upstreams

/// The gateway on its loop: turns what happens to sockets into events of the core, and flushes it once a turn.
package final class GatewayServer {
  let loop: EventLoop
  let options: ServerOptions
  let log: Logger
  let connections: Connections
  let transports: Transports
  private let heldCore: InPlace<GatewayCore>
  var listeners: [Listener] = []
  /// A timer of the loop's would have the kernel set one for each wait, and take it back.
  var timer: PreciseTimer?
  var turnEnd: EventLoop.TurnEnd?
  var armedMilliseconds = UInt64.max
  /// Whether anything came from clients in this turn.
  var hasHeard = false
  private let heldTurnClock: InPlace<TurnClock>
  /// What is left over from this turn waits for the next.
  private var isPassingOver = false
  var drainState: Drain?
  private var failedAccepts = RepeatedWarning()
  private var refusedConnections = RepeatedWarning()
  private var closedForRoom = CountedWarning()
  private var refusedMessages = CountedWarning()
  private var refusedNotifications = RepeatedWarning()
  /// By the endpoint's name, of which there are as many as the configuration has.
  private var failedExchanges: [String: RepeatedWarning] = [:]
  /// So many of the core's routes without a key were told of.
  private var keylessRouteCount = 0
  var onStopped: (() -> Void)?
  var watching = Watching()
  /// What its log goes to, if that is known.
  package var logSink: LogSink?

  /// Starts to listen, and to connect upstream.
  package init(_ options: ServerOptions, on loop: EventLoop, log: Logger) throws(StartError) {
    self.loop = loop
    self.options = options
    self.log = log
    loop.turnBytes = options.core.server.turnBytes
    heldTurnClock = InPlace(TurnClock(limitMilliseconds: options.core.server.turnMilliseconds))
    connections = Connections(on: loop)
    transports = Transports(options, on: loop)
    heldCore = InPlace(
      GatewayCore(options.core, seed: options.seed, nowMilliseconds: loop.nowMilliseconds))
    precondition(
      options.upstreams.map(\.endpoints.count) == options.core.upstreams.map(\.endpoints),
      "each upstream has its options")
    try listen()
    connections.makeTransport = { [unowned self] in
      let transport = transports.transport($0, to: $1)
      transport.delegate = self
      return transport
    }
    do throws(UVError) {
      timer = try PreciseTimer(on: loop) { [unowned self] in self.timerFired() }
    } catch {
      closeListeners()
      throw StartError(cause: error)
    }
    turnEnd = loop.addTurnEnd { [unowned self] in self.turnEnded() }
    hear(ofEvents: 0)
  }

  private func listen() throws(StartError) {
    for (index, address) in options.listen.enumerated() {
      do throws(UVError) {
        let mode =
          options.socketModes.indices.contains(index)
          ? options.socketModes[index] : ServerOptions.usualSocketMode
        let listener = try Listener(on: loop, address: address, mode: mode) { [unowned self] in
          self.accept($0, index)
        }
        listener.onAcceptFailure = { [unowned self] in acceptFailed($0) }
        listeners.append(listener)
      } catch {
        closeListeners()
        throw StartError(address: address, cause: error)
      }
    }
  }

  private func acceptFailed(_ error: UVError) {
    failedAccepts.log("cannot accept: \(error)", to: log, atMilliseconds: loop.nowMilliseconds)
  }

  func closeListeners() {
    for listener in listeners { listener.close() }
  }

  /// The core calls nobody back but its sink, which knows nothing of it.
  var core: GatewayCore {
    @inline(__always) _read { yield heldCore.value }
    @inline(__always) _modify { yield &heldCore.value }
  }

  /// Its clock knows nothing of it either.
  var turnClock: TurnClock {
    @inline(__always) _read { yield heldTurnClock.value }
    @inline(__always) _modify { yield &heldTurnClock.value }
  }

  /// Where it listens, with the ports that the kernel gave.
  package var addresses: [SocketAddress] { listeners.map(\.address) }
  package var counters: GatewayCounters { core.counters }
  package var droppedLogLineCount: Int { logSink?.droppedLineCount ?? 0 }
  package var areUpstreamsConnected: Bool { core.isConnected }
  /// By its place in the options, each upstream that clients share and that no request can be sent to.
  package var unconnectedUpstreams: [Int] { core.unconnectedUpstreams }
  package var unconnectedUpstreamNames: [String] { unconnectedUpstreams.map { options.upstreams[$0].name } }
  package var isDraining: Bool { core.isDraining }
  /// How the last child ended that has ended; nil: none has.
  package var lastChildExit: ChildExit? { transports.departing.lastExit }

  // MARK: The turn of the loop

  /// Time is an event, too, and comes before the others of its turn.
  func now() {
    core.timeAdvanced(to: loop.nowMilliseconds)
  }

  private func timerFired() {
    armedMilliseconds = .max
    now()
  }

  private func turnEnded() {
    goOn()
    var sink = connections
    core.flush(into: &sink)
    if core.clientsClosedForRoom != closedForRoom.count { tellOfClosed() }
    if core.keylessRoutes.count != keylessRouteCount { tellOfKeylessRoutes() }
    if core.refusedMessageCount != refusedMessages.count { tellOfRefused() }
    if core.hasRefusedNotifications { tellOfRefusedNotifications() }
    if core.hasPagesToGiveBack { loop.turnAgain() }
    if watching.hearsOfTasks { tellWatchers() }
    checkDrain()
    hasHeard = false
    arm()
    if watching.measuresLag { watching.lag.record(loop.turnMilliseconds) }
  }

  /// What this turn had no time for goes on, in turns; what is left then comes behind what comes meanwhile.
  private func goOn() {
    // One long message is enough for a turn; but nobody is passed over twice for that.
    isPassingOver = core.isBehind && core.hasWorkedMuch && !isPassingOver
    if core.isBehind && !isPassingOver {
      turnClock.restart()
      repeat {
        core.goOnWithTimers()
        core.goOnWithAnswers()
        core.goOn()
        flushEarly()
      } while core.isBehind && !core.hasWorkedMuch && !turnClock.isPast
    }
    if core.isBehind { loop.turnAgain() }
    turnClock.renew()
  }

  func flushEarly() {
    var sink = connections
    core.flushEarly(into: &sink)
  }

  private func arm() {
    let due = min(core.nextDueMilliseconds ?? .max, drainState?.deadlineMilliseconds ?? .max)
    guard due < armedMilliseconds else { return }
    armedMilliseconds = due
    timer?.start(atMilliseconds: due)
  }

  // MARK: Clients

  private func accept(_ stream: ByteStream, _ listener: Int) {
    stream.countsInFlight = true
    guard let client = admit(.stream(stream), listener) else { return }
    stream.isClient = true
    stream.token = UInt32(truncatingIfNeeded: client.slot)
    stream.delegate = self
    stream.startReading()
  }

  /// Serves a client that comes some other way as if it had come to a listener.
  package func accept(_ transport: any ClientTransport, _ listener: Int) {
    guard let client = admit(.transport(transport), listener) else { return }
    transport.start(as: client, self)
  }

  /// Returns nil for one that is refused.
  private func admit(_ carrier: ClientCarrier, _ listener: Int) -> ClientID? {
    now()
    hasHeard = true
    guard let client = core.clientConnected(listener: listener) else {
      refuse(carrier)
      return nil
    }
    connections.add(carrier, as: client)
    return client
  }

  private func tellOfClosed() {
    closedForRoom.log(
      core.counters.clientsClosedForRoom, as: "connections",
      "closed the connections for which most was held: memoryBytes or payloadBytes is reached",
      to: log, atMilliseconds: loop.nowMilliseconds)
  }

  private func tellOfRefused() {
    refusedMessages.log(
      core.counters.refusedMessages, as: "messages",
      "refused messages of an upstream: answers that are no JSON, or what is beyond messageBytes or nestingLevels",
      to: log, atMilliseconds: loop.nowMilliseconds)
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
    refusedConnections.log(
      "refused a connection: the bound is reached", ["connections": .stringConvertible(core.clientCount)],
      to: log, atMilliseconds: loop.nowMilliseconds)
  }

  /// Said once of each route: where a key is missing now and then, nothing is wrong.
  private func tellOfKeylessRoutes() {
    for number in core.keylessRoutes[keylessRouteCount...] {
      let route = core.configuration.routes[number]
      log.warning(
        "the first request of a route has no key in its params; requests without one supersede nothing",
        metadata: [
          "method": "\(route.method)\(route.isPrefix ? "*" : "")", "key": "\(route.key?.text ?? "")",
        ])
    }
    keylessRouteCount = core.keylessRoutes.count
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
    keylessRouteCount = 0
    transports.keep(configuration)
    loop.turnBytes = configuration.server.turnBytes
    turnClock = TurnClock(limitMilliseconds: configuration.server.turnMilliseconds)
    // The log may now hear of more, or of less.
    hear(ofEvents: 0)
  }
}

@available(*, unavailable)
extension GatewayServer: Sendable {}
