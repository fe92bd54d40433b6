import Glibc
package import Logging

/// Writes a line for each event to standard error: process, time, level, what happened, and to what.
package struct TextLogHandler: LogHandler {
  package var logLevel = Logger.Level.info
  package var metadata: Logger.Metadata = [:]

  package init() {}

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    var line = "[\(getpid())] \(Self.timestamp()) \(Self.tag(event.level)) \(event.message)"
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    for (key, value) in all.sorted(by: { $0.key < $1.key }) { line += " \(key)=\(value)" }
    Self.write(line)
  }

  /// What a peer sent may end up in a line, and must not look like another one: characters that control how it is
  /// shown are escaped.
  private static func write(_ line: String) {
    var bytes: [UInt8] = []
    for character in line.unicodeScalars {
      switch character.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        bytes.append(contentsOf: "\\u{\(String(character.value, radix: 16))}".utf8)
      default:
        bytes.append(contentsOf: UTF8.encode(character)!)
      }
    }
    bytes.append(UInt8(ascii: "\n"))
    // A log that cannot be written is no reason to stop serving, and nobody may be reading it: its pipe would fill.
    guard Self.canWrite else { return }
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(2, $0.baseAddress, $0.count) }
  }

  /// Whether standard error takes a line without making the loop wait.
  private static var canWrite: Bool {
    var standardError = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&standardError, 1, 0) == 1 && standardError.revents & Int16(POLLOUT) != 0
  }

  private static func tag(_ level: Logger.Level) -> String {
    switch level {
    case .trace: "[TRC]"
    case .debug: "[DBG]"
    case .info, .notice: "[INF]"
    case .warning: "[WRN]"
    case .error: "[ERR]"
    case .critical: "[FTL]"
    }
  }

  /// Local time to the millisecond.
  private static func timestamp() -> String {
    var now = timespec()
    var parts = unsafe tm()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    unsafe localtime_r(&now.tv_sec, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let milliseconds = String(1000 + now.tv_nsec / 1_000_000).dropFirst()
    let date = unsafe "\(1900 + parts.tm_year)/\(two(parts.tm_mon + 1))/\(two(parts.tm_mday))"
    let time = unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    return "\(date) \(time).\(milliseconds)"
  }
}
