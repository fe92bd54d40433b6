import CLibUV
import Glibc

/// The resources that this process uses, at one moment.
package struct ProcessUsage: Sendable {
  package var residentBytes: UInt64 = 0
  /// The processor time of all threads, in user and kernel mode.
  package var cpuMilliseconds: UInt64 = 0
  package var openDescriptors = 0
  package var descriptorLimit = 0
  /// When the process started, in milliseconds since 1970.
  package var startMilliseconds: UInt64 = 0

  /// - Parameter startMilliseconds: when the process started, in milliseconds since 1970.
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

  /// How many cores the process's affinity allows, at least 1.
  package static var usableCores: Int { max(1, Int(uv_available_parallelism())) }

  /// The wall clock's time, in milliseconds since 1970.
  package static var wallMilliseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
  }

  private static func milliseconds(_ time: uv_timeval_t) -> UInt64 {
    UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_usec) / 1_000
  }

  private static func countDescriptors() -> Int {
    // Since Linux 6.2 the directory's size is the number; reading the directory takes milliseconds per ten thousand
    // descriptors.
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
