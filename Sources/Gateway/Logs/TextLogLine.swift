import Glibc
import Logging

/// Makes a log line for people: process, local time, level, message, and its fields.
enum TextLogLine {
  /// - Parameter limitBytes: with its end; a longer line is cut, and says how much is missing.
  static func bytes(of entry: LogEntry, limitBytes: Int) -> [UInt8] {
    var line: [UInt8] = []
    line += "[\(entry.process)] \(timestamp(of: entry)) \(tag(entry.level)) ".utf8
    append(entry.message, to: &line)
    for (name, value) in entry.fields {
      line += " \(name)=".utf8
      append(value: "\(value)", to: &line)
    }
    if line.count >= limitBytes { cut(&line, limitBytes) }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  private static func append(_ text: String, to line: inout [UInt8]) {
    for scalar in text.unicodeScalars { LogText.append(scalar, to: &line) }
  }

  /// In quotes where it could be taken for several.
  private static func append(value: String, to line: inout [UInt8]) {
    guard value.isEmpty || value.unicodeScalars.contains(where: { " =\"".unicodeScalars.contains($0) }) else {
      return append(value, to: &line)
    }
    line.append(UInt8(ascii: "\""))
    for scalar in value.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { line.append(UInt8(ascii: "\\")) }
      LogText.append(scalar, to: &line)
    }
    line.append(UInt8(ascii: "\""))
  }

  private static func cut(_ line: inout [UInt8], _ limitBytes: Int) {
    let noteBytes = 32
    var end = limitBytes - noteBytes
    // Within a character that takes several bytes it would end in none.
    while line[end] & 0xc0 == 0x80 { end -= 1 }
    let note = " … \(line.count - end) bytes cut"
    line.removeSubrange(end...)
    line += note.utf8
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

  /// Local time.
  private static func timestamp(of entry: LogEntry) -> String {
    var (seconds, parts) = (entry.time.tv_sec, unsafe tm())
    unsafe localtime_r(&seconds, &parts)
    return unsafe entry.timestamp(parts, dateSeparator: "/", timeSeparator: " ")
  }
}
