import CLibUV
import Glibc

/// Calls back at a time of the monotonic clock, precise to some microseconds, where `LoopTimer` has milliseconds only.
///
/// It costs a descriptor, and keeps the loop alive until `close()` or `letLoopEnd()`; but while no `LoopTimer` runs,
/// the kernel need not set a timer for each wait of the loop.
package final class PreciseTimer {
  private let descriptor: Int32
  private let poll: SocketPoll
  private var isOpen = true
  private var dueNanoseconds: UInt64?

  package init(on loop: EventLoop, onFire: @escaping () -> Void) throws(UVError) {
    let descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
    guard descriptor >= 0 else { throw .last }
    self.descriptor = descriptor
    let hook = Hook()
    do throws(UVError) {
      poll = try SocketPoll(descriptor, on: loop) { [hook] _ in hook.body?() }
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    hook.body = { [unowned self] in if takeExpiry() { onFire() } }
    poll.watch(.readable)
  }

  /// Holds the callback, which can only be made once the timer is there.
  private final class Hook {
    var body: (() -> Void)?
  }

  /// The current time of the clock that `start` uses.
  package static var nowNanoseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Fires once, at this time, or soon if it is past; an earlier start is replaced.
  package func start(atNanoseconds time: UInt64) {
    guard isOpen, dueNanoseconds != time else { return }
    dueNanoseconds = time
    // A time of 0 would stop it.
    set(max(1, time))
  }

  /// Fires once, when the loop's `nowMilliseconds` has reached `time`; soon, if it has already.
  package func start(atMilliseconds time: UInt64) {
    let (nanoseconds, isTooFar) = time.multipliedReportingOverflow(by: 1_000_000)
    start(atNanoseconds: isTooFar ? .max : nanoseconds)
  }

  package func stop() {
    guard isOpen, dueNanoseconds != nil else { return }
    dueNanoseconds = nil
    set(0)
  }

  /// Keeps the timer, but lets the loop end in spite of it.
  package func letLoopEnd() { poll.letLoopEnd() }

  package func close() {
    guard isOpen else { return }
    isOpen = false
    poll.close()
    Glibc.close(descriptor)
  }

  private func set(_ nanoseconds: UInt64) {
    var setting = itimerspec()
    setting.it_value.tv_sec = Int(clamping: nanoseconds / 1_000_000_000)
    setting.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
    timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &setting, nil)
  }

  /// Returns whether it has fired and was not set again since, and clears that.
  private func takeExpiry() -> Bool {
    var count: UInt64 = 0
    guard read(descriptor, &count, MemoryLayout<UInt64>.size) > 0 else { return false }
    dueNanoseconds = nil
    return true
  }
}

@available(*, unavailable)
extension PreciseTimer: Sendable {}
