package import GatewayCore
import HotData
package import LibUV
package import Logging
package import TaskStore
import Upstreams

/// The gateway on its loop: turns what happens to sockets into events of the core, and flushes it once a turn.
package final class GatewayServer {
  let loop: EventLoop
  let options: ServerOptions
  let log: Logger
  private let connections: Connections
  private let transports: Transports
  private let heldCore: InPlace<GatewayCore>
  private var listeners: [Listener] = []
  /// A timer of the loop's would have the kernel set one for each wait, and take it back.
  private var timer: PreciseTimer?
  private var turnEnd: EventLoop.TurnEnd?
  private var armedMilliseconds = UInt64.max
  /// Whether anything came from clients in this turn.
  private var hasHeard = false
  private var drainMilliseconds: UInt64
  private var drainState: Drain?
  private var failedAccepts = RepeatedWarning()
  private var refusedConnections = RepeatedWarning()
  private var onStopped: (() -> Void)?
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
    guard let unsaidCount = failedAccepts.isDue(atMilliseconds: loop.nowMilliseconds) else { return }
    log.warning("cannot accept: \(error)", metadata: ["unsaid": "\(unsaidCount)"])
  }

  private func closeListeners() {
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
  private func now() {
    core.timeAdvanced(to: loop.nowMilliseconds)
  }

  private func timerFired() {
    armedMilliseconds = .max
    now()
  }

  private func turnEnded() {
    var sink = connections
    core.flush(into: &sink)
    if watching.isOn { tellWatchers() }
    checkDrain()
    hasHeard = false
    arm()
  }

  private func flushEarly() {
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
    guard let unsaidCount = refusedConnections.isDue(atMilliseconds: loop.nowMilliseconds) else { return }
    log.warning(
      "refused a connection: the bound is reached",
      metadata: ["connections": "\(core.clientCount)", "unsaid": "\(unsaidCount)"])
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

  // MARK: Stopping

  /// Stops accepting and refuses new work; `onStopped` follows once everything that came has been answered, be it
  /// because the drain deadline passed.
  package func drain(onStopped: @escaping () -> Void) {
    guard self.onStopped == nil else { return }
    self.onStopped = onStopped
    // Who is connected as far as the kernel knows may have sent something.
    for listener in listeners { listener.acceptWaiting() }
    closeListeners()
    core.drain()
    log.notice("draining", metadata: ["requests": "\(core.liveRequestCount)"])
    drainState = Drain(deadlineMilliseconds: loop.nowMilliseconds + drainMilliseconds)
    turnSoon()
  }

  /// Has the turn that follows end without waiting for anything.
  private func turnSoon() {
    timer?.start(atMilliseconds: loop.nowMilliseconds)
    armedMilliseconds = loop.nowMilliseconds
  }

  /// Gives up before anything has begun: something else that was to start with it did not.
  package func abandon() {
    closeListeners()
    stop()
  }

  private func checkDrain() {
    guard let step = drainStep() else { return }
    switch step {
    case .wait: return
    case .look: turnSoon()
    case .giveUp:
      core.shutDown()
      var sink = connections
      core.flush(into: &sink)
      checkDrain()
    case .stop:
      drainState = nil
      stop()
      log.notice("stopped")
      let onStopped = onStopped
      self.onStopped = nil
      onStopped?()
    }
  }

  private func drainStep() -> Drain.Step? {
    guard let drain = drainState else { return nil }
    // What upstream does not take is of no use any more once all has been given up.
    let isQuiet = drain.hasGivenUp ? core.hasHandedOutReplies : core.isQuiet
    return drainState?.turnEnded(isQuiet: isQuiet, hasHeard: hasHeard, nowMilliseconds: loop.nowMilliseconds)
  }

  private func stop() {
    turnEnd.map(loop.removeTurnEnd)
    timer?.close()
    timer = nil
    connections.closeAll()
  }
}

extension GatewayServer: ByteStreamDelegate {
  package func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    now()
    hasHeard = true
    core.received(bytes, count: count, from: ClientID(slot: Int(stream.token)))
    flushEarly()
  }

  package func streamEnded(_ stream: ByteStream) {
    now()
    core.clientEnded(ClientID(slot: Int(stream.token)))
  }

  package func stream(_ stream: ByteStream, failed error: UVError) {
    now()
    let client = ClientID(slot: Int(stream.token))
    connections.forget(client)
    core.clientDisconnected(client)
  }

  package func streamBecameWritable(_ stream: ByteStream) {
    core.clientBecameWritable(ClientID(slot: Int(stream.token)))
  }
}

extension GatewayServer: UpstreamTransportDelegate {
  package func transportConnected(_ upstream: UpstreamID) {
    now()
    log.info("upstream connected", metadata: ["upstream": "\(connections.name(of: upstream))"])
    core.upstreamConnected(upstream)
  }

  package func transport(_ upstream: UpstreamID, received bytes: Span<UInt8>, count: Int) {
    now()
    core.upstreamReceived(bytes, count: count, from: upstream)
    flushEarly()
  }

  package func transportBecameWritable(_ upstream: UpstreamID) {
    core.upstreamBecameWritable(upstream)
  }

  package func transport(_ upstream: UpstreamID, disconnected reason: String) {
    now()
    log.warning(
      "upstream disconnected",
      metadata: ["upstream": "\(connections.name(of: upstream))", "reason": "\(reason)"])
    core.upstreamDisconnected(upstream)
  }

  package func transport(
    _ upstream: UpstreamID, answered task: TaskID, with bytes: Span<UInt8>, count: Int
  ) {
    now()
    core.exchangeAnswered(task, bytes, count: count, over: upstream)
  }

  package func transport(_ upstream: UpstreamID, failed task: TaskID, wasSent: Bool, reason: String) {
    now()
    log.info(
      "exchange failed", metadata: ["upstream": "\(connections.name(of: upstream))", "reason": "\(reason)"])
    core.exchangeFailed(task, wasSent: wasSent, over: upstream)
  }

  package func transport(_ upstream: UpstreamID, said line: String) {
    log.info(
      "upstream says", metadata: ["upstream": "\(connections.name(of: upstream))", "line": "\(line)"])
  }
}

@available(*, unavailable)
extension GatewayServer: Sendable {}

/// Why a gateway did not start.
package struct StartError: Error, CustomStringConvertible {
  /// What could not be listened on; nil: something else was missing.
  package let address: SocketAddress?
  package let cause: UVError

  package init(address: SocketAddress? = nil, cause: UVError) {
    self.address = address
    self.cause = cause
  }

  package var description: String {
    address.map { "cannot listen on \($0): \(cause)" } ?? "cannot start: \(cause)"
  }
}
