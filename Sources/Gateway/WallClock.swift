import Glibc

/// The time of day. It may be set, and so stand still or leap.
enum WallClock {
  /// Milliseconds since 1970.
  static var unixMilliseconds: Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
  }
}
