import Glibc
import Logging

/// One event as a line of the log tells it.
struct LogEntry {
  let level: Logger.Level
  let message: String
  /// In the order in which they are shown.
  let fields: [(name: String, value: Logger.MetadataValue)]
  let time: timespec
  let process = getpid()

  /// What happens now.
  init(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata = [:]) {
    self.level = level
    self.message = message
    fields = metadata.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    time = now
  }

  /// The time as a calendar has it, to the millisecond.
  func timestamp(_ parts: tm, dateSeparator: String, timeSeparator: String) -> String {
    let date = unsafe [1900 + parts.tm_year, parts.tm_mon + 1, parts.tm_mday].map { LogText.digits($0, 2) }
    let clock = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map { LogText.digits($0, 2) }
    return date.joined(separator: dateSeparator) + timeSeparator + clock.joined(separator: ":")
      + "." + LogText.digits(time.tv_nsec / 1_000_000, 3)
  }
}
