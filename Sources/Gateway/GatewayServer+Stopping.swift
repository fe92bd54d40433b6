import GatewayCore
import LibUV
import Logging

extension GatewayServer {
  /// Stops accepting and refuses new work; `onStopped` follows once everything that came has been answered, be it
  /// because the drain deadline passed.
  package func drain(onStopped: @escaping () -> Void) {
    guard self.onStopped == nil else { return }
    self.onStopped = onStopped
    // A client that the kernel has connected may have sent something.
    for listener in listeners { listener?.acceptWaiting() }
    closeListeners()
    core.drain()
    http?.drain()
    if links == nil { Self.tellDraining(core.gauges.requests, to: log) }
    turn.drain = Drain(
      deadlineMilliseconds: loop.nowMilliseconds + core.configuration.server.drainMilliseconds)
    turnSoon()
  }

  /// Has the turn that follows end without waiting for anything.
  private func turnSoon() {
    timer?.start(atMilliseconds: loop.nowMilliseconds)
    turn.armedMilliseconds = loop.nowMilliseconds
  }

  /// Another loop has become quiet, or the member has left its fleet, which may have been what this one waits for.
  func lookAgain() { if turn.drain != nil { turnSoon() } }

  /// Answers all open and all later requests with an error: the gateway shuts down. Connections stay.
  package func endRequests() {
    now()
    core.shutDown()
  }

  /// Gives up before anything has begun: something else that was to start with it did not.
  package func abandon() {
    closeListeners()
    stop()
  }

  /// Of several loops that is told once.
  static func tellDraining(_ requests: Int, to log: Logger) {
    log.notice("draining", metadata: ["requests": .stringConvertible(requests)])
  }

  static func tellStopped(to log: Logger) { log.notice("stopped") }

  func checkDrain() {
    guard let step = drainStep() else { return }
    switch step {
    case .wait: links?.isBusy()
    case .look:
      links?.isBusy()
      turnSoon()
    // The others may still ask something: then there will be another turn.
    case .stop where links.map { !$0.mayStop(isLate: hasGivenUpWaiting) } ?? false: return
    case .giveUp:
      core.shutDown()
      core.flush(into: &connections)
      checkDrain()
    case .stop:
      turn.drain = nil
      stop()
      if links == nil { Self.tellStopped(to: log) }
      let onStopped = onStopped
      self.onStopped = nil
      onStopped?()
    }
  }

  /// Whether it stops whatever the others do. A member that leaves its fleet beats only while all its loops answer, so
  /// these stay until it has left.
  private var hasGivenUpWaiting: Bool {
    if let asking, !asking.hasLeft { return false }
    return turn.drain.map { $0.hasGivenUp && $0.deadlineMilliseconds <= loop.nowMilliseconds } ?? true
  }

  private func drainStep() -> Drain.Step? {
    guard let drain = turn.drain else { return nil }
    // What upstream does not take is of no use any more once all has been given up.
    let isQuiet = drain.hasGivenUp ? core.hasHandedOutReplies : core.isQuiet
    // Bytes that have come by HTTP may wait for a turn in which there is time for them.
    return turn.drain?.turnEnded(
      isQuiet: isQuiet && http?.owesAnswers != true, hasHeard: turn.hasHeard || turn.isHTTPBehind,
      nowMilliseconds: loop.nowMilliseconds)
  }

  private func stop() {
    asking?.close()
    owning?.close()
    (asking, owning) = (nil, nil)
    links?.remote = nil
    links?.letLoopEnd()
    turnEnd.map(loop.removeTurnEnd)
    timer?.close()
    timer = nil
    coalescing?.close()
    coalescing = nil
    secure.close()
    connections.lingeringCloses.areLast = true
    http?.close()
    connections.closeAll()
    transports.close()
  }
}
