import CLibUV

/// The handles through which libuv tells a loop that a turn ends; they keep no loop alive by themselves.
///
/// Their memory belongs to the loop, which frees it once `uv_loop_close` has succeeded.
struct TurnHooks {
  private let prepare = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
  private let idle = UnsafeMutablePointer<uv_idle_t>.allocate(capacity: 1)
  private let check = UnsafeMutablePointer<uv_check_t>.allocate(capacity: 1)

  /// `loop` is not retained: it outlives these handles because its `deinit` closes them.
  func start(for loop: EventLoop) {
    let context = Unmanaged.passUnretained(loop).toOpaque()
    uv_prepare_init(loop.raw, prepare)
    prepare.pointee.data = context
    uv_prepare_start(prepare) { withOwner(of: $0, as: EventLoop.self) { $0.turnEnded() } }
    uv_unref(base(prepare))

    uv_idle_init(loop.raw, idle)

    uv_check_init(loop.raw, check)
    check.pointee.data = context
    uv_unref(base(check))
  }

  /// Starts telling the loop when the I/O of a turn is over.
  func measureInput() {
    uv_check_start(check) { owner(of: $0, as: EventLoop.self).inputIsOver() }
  }

  /// An active idle handle keeps the loop alive and from blocking.
  func keepTurning() {
    uv_idle_start(idle) { _ in }
  }

  func mayBlock() {
    uv_idle_stop(idle)
  }

  func close() {
    for handle in [base(prepare), base(idle), base(check)] where uv_is_closing(handle) == 0 {
      uv_close(handle, nil)
    }
  }

  func deallocate() {
    prepare.deallocate()
    idle.deallocate()
    check.deallocate()
  }

  private func base<Raw>(_ handle: UnsafeMutablePointer<Raw>) -> UnsafeMutablePointer<uv_handle_t> {
    UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
  }
}
