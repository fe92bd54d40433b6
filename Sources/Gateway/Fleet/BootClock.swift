import Glibc

/// The clock that goes on while the machine sleeps: what a member may do depends on it, not on the time of its loop.
package enum BootClock {
  package static var nowMilliseconds: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
