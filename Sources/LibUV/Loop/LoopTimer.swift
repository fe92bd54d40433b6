import CLibUV

/// Calls back once at a time that can be moved as often as one likes, without allocating.
package final class LoopTimer {
  private var handle: Handle<uv_timer_t>
  private var onFire: (() -> Void)?

  package init(on loop: EventLoop, onFire: @escaping () -> Void) {
    do throws(UVError) {
      handle = try Handle { uv_timer_init(loop.raw, $0) }
    } catch {
      preconditionFailure("uv_timer_init only fills in fields: \(error)")
    }
    self.onFire = onFire
    handle.attach(self)
  }

  /// Fires once, that long after this turn began; an earlier start is forgotten.
  package func start(afterMilliseconds delay: UInt64) {
    guard handle.isOpen else { return }
    uv_timer_start(handle.raw, { owner(of: $0, as: LoopTimer.self).onFire?() }, delay, 0)
  }

  /// Fires once, when the loop's `nowMilliseconds` has reached `time`; soon, if it has already.
  package func start(atMilliseconds time: UInt64) {
    guard handle.isOpen else { return }
    let now = uv_now(handle.raw.pointee.loop)
    start(afterMilliseconds: time > now ? time - now : 0)
  }

  /// It goes on, but only as long as there are other reasons for the loop to run.
  package func letLoopEnd() {
    guard handle.isOpen else { return }
    handle.letLoopEnd()
  }

  package func stop() {
    guard handle.isOpen else { return }
    uv_timer_stop(handle.raw)
  }

  package func close() {
    onFire = nil
    handle.close()
  }
}

@available(*, unavailable)
extension LoopTimer: Sendable {}
