import CLibUV

/// Calls back once, at a time that can be moved any number of times without allocating.
package final class LoopTimer {
  private var handle: Handle<uv_timer_t>
  private var onFire: (() -> Void)?
  private unowned let loop: EventLoop
  private var isFiring = false
  /// Whether its callback has started it again without a delay: libuv would call it in the same turn, before other
  /// work.
  private var firesNextTurn = false

  package init(on loop: EventLoop, onFire: @escaping () -> Void) {
    self.loop = loop
    do throws(UVError) {
      handle = try Handle { uv_timer_init(loop.raw, $0) }
    } catch {
      preconditionFailure("uv_timer_init only fills in fields: \(error)")
    }
    self.onFire = onFire
    handle.attach(self)
  }

  /// Fires once, this long after the beginning of the turn; an earlier start is replaced. If its own callback starts it
  /// again without a delay, it fires in the next turn, behind the input that has come meanwhile.
  package func start(afterMilliseconds delay: UInt64) {
    guard handle.isOpen else { return }
    firesNextTurn = isFiring && delay == 0
    if firesNextTurn {
      loop.atTurnEnd(self)
    } else {
      startNow(delay)
    }
  }

  private func startNow(_ delay: UInt64) {
    uv_timer_start(handle.raw, { owner(of: $0, as: LoopTimer.self).fire() }, delay, 0)
  }

  private func fire() {
    isFiring = true
    onFire?()
    isFiring = false
  }

  /// Fires once, when the loop's `nowMilliseconds` has reached `time`; soon, if it has already.
  package func start(atMilliseconds time: UInt64) {
    guard handle.isOpen else { return }
    let now = uv_now(handle.raw.pointee.loop)
    start(afterMilliseconds: time > now ? time - now : 0)
  }

  /// Keeps the timer, but lets the loop end in spite of it.
  package func letLoopEnd() {
    guard handle.isOpen else { return }
    handle.letLoopEnd()
  }

  package func stop() {
    guard handle.isOpen else { return }
    firesNextTurn = false
    uv_timer_stop(handle.raw)
  }

  package func close() {
    onFire = nil
    handle.close()
  }
}

extension LoopTimer: TurnEndWork {
  func turnEnded() {
    guard firesNextTurn, handle.isOpen else { return }
    firesNextTurn = false
    startNow(0)
  }
}

@available(*, unavailable)
extension LoopTimer: Sendable {}
