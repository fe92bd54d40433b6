/// Decides which characters appear in a log as they are.
///
/// A line may contain what a peer sent. That must neither look like another line nor control a terminal.
package enum LogText {
  static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return (0x20..<0x7f).contains(scalar.value) }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  /// So many digits or more, with zeros before them.
  static func digits(_ number: some BinaryInteger, _ count: Int, radix: Int = 10) -> String {
    let text = String(number, radix: radix)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }

  /// As it can be shown.
  static func append(_ scalar: Unicode.Scalar, to line: inout [UInt8]) {
    if isPlain(scalar) {
      line += UTF8.encode(scalar)!
    } else {
      line += "\\u{\(String(scalar.value, radix: 16))}".utf8
    }
  }

  /// A text of a peer, escaped to be shown; a longer one is cut at `limitBytes`.
  package static func shown(_ text: String, limitBytes: Int) -> String {
    var line: [UInt8] = []
    for scalar in text.unicodeScalars {
      let count = line.count
      append(scalar, to: &line)
      guard line.count > limitBytes else { continue }
      line.removeSubrange(count...)
      return String(decoding: line, as: UTF8.self) + "…"
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// The longest beginning of whole characters with at most `limitBytes`.
  static func prefix(of text: String, limitBytes: Int) -> Substring {
    guard text.utf8.count > limitBytes else { return text[...] }
    var end = text.utf8.index(text.startIndex, offsetBy: max(0, limitBytes))
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return text[..<end]
  }
}
