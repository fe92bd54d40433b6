import Glibc

/// Measures the processor time that one stretch of work spent on its thread.
struct WorkClock {
  private let startNanoseconds = Self.now()

  var elapsedNanoseconds: UInt64 { Self.now() - startNanoseconds }

  private static func now() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
