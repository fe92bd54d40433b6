package import GatewayCore
import HotData
package import LibUV
package import Logging
import Upstreams

/// The gateway on its loop: turns what happens to sockets into events of the core, and flushes it once a turn.
package final class GatewayServer {
  let loop: EventLoop
  let options: ServerOptions
  let log: Logger
  let connections: Connections
  private let transports: Transports
  private let heldCore: InPlace<GatewayCore>
  var listeners: [Listener] = []
  /// A timer of the loop's would have the kernel set one for each wait, and take it back.
  var timer: PreciseTimer?
  var turnEnd: EventLoop.TurnEnd?
  var armedMilliseconds = UInt64.max
  /// Whether anything came from clients in this turn.
  var hasHeard = false
  var drainMilliseconds: UInt64
  var drainState: Drain?
  private var failedAccepts = RepeatedWarning()
  private var refusedConnections = RepeatedWarning()
  /// By the endpoint's name, of which there are as many as the configuration has.
  private var failedExchanges: [String: RepeatedWarning] = [:]
  var onStopped: (() -> Void)?
  var watching = Watching()
  /// What its log goes to, if that is known.
  package var logSink: LogSink?

  /// Starts to listen, and to connect upstream.
  package init(_ options: ServerOptions, on loop: EventLoop, log: Logger) throws(StartError) {
    self.loop = loop
    self.options = options
    self.log = log
    drainMilliseconds = options.drainMilliseconds
    loop.turnBytes = options.turnBytes
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
        let listener = try Listener(on: loop, address: address) { [unowned self] in self.accept($0, index) }
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

  /// Where it listens, with the ports that the kernel gave.
  package var addresses: [SocketAddress] { listeners.map(\.address) }
  package var counters: GatewayCounters { core.counters }
  package var droppedLogLineCount: Int { logSink?.droppedLineCount ?? 0 }
  package var areUpstreamsConnected: Bool { core.isConnected }
  /// By its place in the options, each upstream that clients share and that no request can be sent to.
  package var unconnectedUpstreams: [Int] { core.unconnectedUpstreams }
  package var isDraining: Bool { core.isDraining }

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
    var sink = connections
    core.flush(into: &sink)
    if watching.hearsOfTasks { tellWatchers() }
    checkDrain()
    hasHeard = false
    arm()
    if watching.measuresLag { watching.lag.record(loop.turnMilliseconds) }
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

  /// Serves a connection as if it had come to a listener.
  package func accept(_ stream: ByteStream, _ listener: Int) {
    now()
    hasHeard = true
    guard let client = core.clientConnected(listener: listener) else { return refuse(stream) }
    connections.add(stream, as: client)
    stream.delegate = self
    stream.startReading()
  }

  private func refuse(_ stream: ByteStream) {
    connections.refuse(stream)
    refusedConnections.log(
      "refused a connection: the bound is reached", ["connections": .stringConvertible(core.clientCount)],
      to: log, atMilliseconds: loop.nowMilliseconds)
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
  package func reconfigure(
    _ configuration: GatewayConfiguration, drainMilliseconds: UInt64, turnBytes: Int
  ) {
    now()
    core.reconfigure(configuration)
    self.drainMilliseconds = drainMilliseconds
    loop.turnBytes = turnBytes
    // The log may now hear of more, or of less.
    hear(ofEvents: 0)
  }
}

@available(*, unavailable)
extension GatewayServer: Sendable {}
