import CLibUV

/// A timer of one loop, with what it does given once; starting it again allocates nothing.
package final class LoopTimer {
  private let handle: Handle<uv_timer_t>
  private unowned let loop: EventLoop
  private var onFire: (() -> Void)?

  package init(on loop: EventLoop, onFire: @escaping () -> Void) throws(UVError) {
    self.loop = loop
    self.onFire = onFire
    handle = try Handle { uv_timer_init(loop.raw, $0) }
    handle.attach(self)
  }

  /// Fires once, so long after this turn's time.
  package func start(afterMilliseconds delay: UInt64) {
    guard !handle.isClosing else { return }
    uv_timer_start(handle.raw, { owner(of: $0, as: LoopTimer.self).onFire?() }, delay, 0)
  }

  /// Fires once, at that time of `EventLoop.nowMilliseconds`; at once if it is past.
  package func start(atMilliseconds due: UInt64) {
    let now = loop.nowMilliseconds
    start(afterMilliseconds: due > now ? due - now : 0)
  }

  package func stop() {
    guard !handle.isClosing else { return }
    uv_timer_stop(handle.raw)
  }

  package func close() {
    onFire = nil
    handle.close()
  }
}

@available(*, unavailable)
extension LoopTimer: Sendable {}
