import GatewayCore
import LibUV
import Logging

extension GatewayServer {
  /// Stops accepting and refuses new work; `onStopped` follows once everything that came has been answered, be it
  /// because the drain deadline passed.
  package func drain(onStopped: @escaping () -> Void) {
    guard self.onStopped == nil else { return }
    self.onStopped = onStopped
    // Who is connected as far as the kernel knows may have sent something.
    for listener in listeners { listener.acceptWaiting() }
    closeListeners()
    core.drain()
    http?.drain()
    log.notice("draining", metadata: ["requests": .stringConvertible(core.liveRequestCount)])
    turn.drain = Drain(
      deadlineMilliseconds: loop.nowMilliseconds + core.configuration.server.drainMilliseconds)
    turnSoon()
  }

  /// Has the turn that follows end without waiting for anything.
  private func turnSoon() {
    timer?.start(atMilliseconds: loop.nowMilliseconds)
    turn.armedMilliseconds = loop.nowMilliseconds
  }

  /// Gives up before anything has begun: something else that was to start with it did not.
  package func abandon() {
    closeListeners()
    stop()
  }

  func checkDrain() {
    guard let step = drainStep() else { return }
    switch step {
    case .wait: return
    case .look: turnSoon()
    case .giveUp:
      core.shutDown()
      core.flush(into: &connections)
      checkDrain()
    case .stop:
      turn.drain = nil
      stop()
      log.notice("stopped")
      let onStopped = onStopped
      self.onStopped = nil
      onStopped?()
    }
  }

  private func drainStep() -> Drain.Step? {
    guard let drain = turn.drain else { return nil }
    // What upstream does not take is of no use any more once all has been given up.
    let isQuiet = drain.hasGivenUp ? core.hasHandedOutReplies : core.isQuiet
    return turn.drain?.turnEnded(
      isQuiet: isQuiet, hasHeard: turn.hasHeard, nowMilliseconds: loop.nowMilliseconds)
  }

  private func stop() {
    turnEnd.map(loop.removeTurnEnd)
    timer?.close()
    timer = nil
    secure.close()
    connections.lingeringCloses.areLast = true
    http?.close()
    connections.closeAll()
  }
}
