import Glibc
import Logging

/// Makes the line that programs read: a JSON object with time, level, message and process, then what it happened to.
enum JSONLogLine {
  /// What a value may not be called, too.
  private static let ownNames: Set<String> = ["time", "level", "message", "pid", "cut"]

  /// - Parameter limitBytes: its end included; to keep to it, long values are cut, and the line says so.
  static func bytes(of entry: LogEntry, limitBytes: Int) -> [UInt8] {
    var line = object(entry, valueLimitBytes: nil)
    var valueLimitBytes = limitBytes
    // With nothing of any value it is as short as it gets: names are the gateway's own.
    while line.count > limitBytes && valueLimitBytes > 0 {
      valueLimitBytes /= 2
      line = object(entry, valueLimitBytes: valueLimitBytes)
    }
    return line
  }

  private static func object(_ entry: LogEntry, valueLimitBytes: Int?) -> [UInt8] {
    var line: [UInt8] = []
    line += #"{"time":"\#(timestamp(of: entry))","level":"\#(entry.level)","message":"#.utf8
    append(entry.message, valueLimitBytes, to: &line)
    line += #","pid":\#(entry.process)"#.utf8
    for (name, value) in entry.fields {
      line.append(UInt8(ascii: ","))
      append(ownNames.contains(name) ? "metadata.\(name)" : name, nil, to: &line)
      line.append(UInt8(ascii: ":"))
      append(value, valueLimitBytes, to: &line)
    }
    if valueLimitBytes != nil { line += #","cut":true"#.utf8 }
    line += "}\n".utf8
    return line
  }

  private static func append(
    _ value: Logger.MetadataValue, _ limitBytes: Int?, to line: inout [UInt8]
  ) {
    if case .stringConvertible(let number as any BinaryInteger) = value {
      line += "\(number)".utf8
    } else {
      append("\(value)", limitBytes, to: &line)
    }
  }

  /// A string, all of whose characters can be shown.
  private static func append(_ text: String, _ limitBytes: Int?, to line: inout [UInt8]) {
    line.append(UInt8(ascii: "\""))
    for scalar in LogText.prefix(of: text, limitBytes: limitBytes ?? .max).unicodeScalars {
      switch scalar {
      case "\"": line += "\\\"".utf8
      case "\\": line += "\\\\".utf8
      case _ where LogText.isPlain(scalar): line += UTF8.encode(scalar)!
      default:
        for unit in UTF16.encode(scalar)! { line += "\\u\(LogText.digits(unit, 4, radix: 16))".utf8 }
      }
    }
    line.append(UInt8(ascii: "\""))
  }

  /// RFC 3339, in UTC.
  private static func timestamp(of entry: LogEntry) -> String {
    var (seconds, parts) = (entry.time.tv_sec, unsafe tm())
    unsafe gmtime_r(&seconds, &parts)
    return unsafe entry.timestamp(parts, dateSeparator: "-", timeSeparator: "T") + "Z"
  }
}
