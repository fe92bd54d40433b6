/// Reads what comes before the content: a start line, fields, and an empty line (RFC 9112 section 2.1).
struct HTTPHeadReader {
  enum Part {
    case startLine([UInt8])
    /// The head has ended.
    case fields(HTTPFields)
  }

  private let limitBytes: Int
  private(set) var byteCount = 0
  private var lines = HTTPLineReader()
  private var hasStartLine = false
  private var fields = HTTPFields()

  init(limitBytes: Int) { self.limitBytes = limitBytes }

  /// The start line as far as it has come; nil: it has ended.
  var startLine: [UInt8]? { hasStartLine ? nil : lines.line }

  /// Returns what ends with this byte.
  mutating func take(_ byte: UInt8) throws(HTTPFault) -> Part? {
    byteCount += 1
    guard byteCount <= limitBytes else {
      throw HTTPFault(.headTooLarge, "the head has more than \(limitBytes) bytes")
    }
    guard try lines.take(byte) else { return nil }
    defer { lines.beginLine() }
    guard hasStartLine else {
      hasStartLine = true
      return .startLine(lines.line)
    }
    if lines.line.isEmpty { return .fields(fields) }
    try fields.add(line: lines.line)
    return nil
  }
}
