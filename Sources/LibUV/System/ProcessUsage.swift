import CLibUV
import Glibc

/// What this process takes of the machine, at one moment.
package struct ProcessUsage: Sendable {
  package var residentBytes: UInt64 = 0
  /// Of all threads, in the program and in the system for it.
  package var cpuMilliseconds: UInt64 = 0
  package var openDescriptors = 0
  package var descriptorLimit = 0
  /// When it started, since 1970.
  package var startMilliseconds: UInt64 = 0

  /// - Parameter startMilliseconds: as `startMilliseconds` was found when the program began.
  package static func now(startMilliseconds: UInt64) -> ProcessUsage {
    var usage = ProcessUsage()
    var resident = 0
    if uv_resident_set_memory(&resident) == 0 { usage.residentBytes = UInt64(resident) }
    var times = uv_rusage_t()
    if uv_getrusage(&times) == 0 {
      usage.cpuMilliseconds = milliseconds(times.ru_utime) + milliseconds(times.ru_stime)
    }
    usage.openDescriptors = countDescriptors()
    usage.descriptorLimit = DescriptorLimit.current
    usage.startMilliseconds = startMilliseconds
    return usage
  }

  /// Cores that the process may use, as far as its affinity says; 1 at least.
  package static var usableCores: Int { max(1, Int(uv_available_parallelism())) }

  /// The time by the wall clock, since 1970.
  package static var wallMilliseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
  }

  private static func milliseconds(_ time: uv_timeval_t) -> UInt64 {
    UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_usec) / 1_000
  }

  private static func countDescriptors() -> Int {
    // Kernels since 6.2 say it at once; reading the directory takes milliseconds for each ten thousand.
    var status = stat()
    if stat("/proc/self/fd", &status) == 0, status.st_size > 0 { return Int(status.st_size) }
    guard let directory = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    // Without the directory itself, "." and "..".
    return max(0, count - 3)
  }
}
