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

  /// As two, three or more digits.
  static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}
