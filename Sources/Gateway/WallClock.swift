import Glibc

/// What time it is for everybody, which may be set, and stand still or leap with that.
enum WallClock {
  /// Milliseconds since 1970.
  static var unixMilliseconds: Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
  }
}
