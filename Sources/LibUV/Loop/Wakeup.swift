import CLibUV

/// Lets another thread wake the loop.
final class Wakeup {
  private var handle: Handle<uv_async_t>
  var onWake: (() -> Void)?

  init(on loop: EventLoop) throws(UVError) {
    handle = try Handle { uv_async_init(loop.raw, $0) { owner(of: $0, as: Wakeup.self).onWake?() } }
    handle.attach(self)
  }

  /// `uv_async_send` is the only call that any thread may make. The holder of a waker makes sure that there is none
  /// after `close()`.
  struct Waker: @unchecked Sendable {
    fileprivate let raw: UnsafeMutablePointer<uv_async_t>
    func wake() { uv_async_send(raw) }
  }

  var waker: Waker { Waker(raw: handle.raw) }

  /// Keeps waking the loop, but lets it end in spite of this.
  func letLoopEnd() {
    handle.letLoopEnd()
  }

  func close() {
    onWake = nil
    handle.close()
  }
}

@available(*, unavailable)
extension Wakeup: Sendable {}
