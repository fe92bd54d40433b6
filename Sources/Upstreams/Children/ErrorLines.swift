/// Cuts a child's standard error into lines, and decides which of them are logged.
struct ErrorLines {
  /// Of a longer line only so many bytes are logged.
  static let lineLimitBytes = 1024

  private let budget: LineBudget
  private var line: [UInt8] = []
  private var skippedCount = 0

  /// When the number of skipped lines is to be logged; nil: none were skipped.
  private(set) var skipsDueMilliseconds: UInt64?

  init(_ budget: LineBudget) { self.budget = budget }

  /// Takes bytes, and returns the lines to log.
  mutating func take(_ bytes: Span<UInt8>, count: Int, atMilliseconds now: UInt64) -> [String] {
    var said: [String] = []
    for index in 0..<count {
      if bytes[index] == UInt8(ascii: "\n") {
        endLine(atMilliseconds: now, &said)
      } else if line.count < Self.lineLimitBytes {
        line.append(bytes[index])
      }
    }
    return said
  }

  /// Returns the last lines to log: one without its line end, and one with the number of skipped lines.
  mutating func end(atMilliseconds now: UInt64) -> [String] {
    var said: [String] = []
    endLine(atMilliseconds: now, &said)
    return said + takeSkips()
  }

  mutating func takeSkips() -> [String] {
    guard skippedCount > 0 else { return [] }
    defer {
      skippedCount = 0
      skipsDueMilliseconds = nil
    }
    return [skippedCount == 1 ? "… 1 line skipped" : "… \(skippedCount) lines skipped"]
  }

  private mutating func endLine(atMilliseconds now: UInt64, _ said: inout [String]) {
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else { return }
    if let due = skipsDueMilliseconds, due <= now { said += takeSkips() }
    guard budget.spend(atMilliseconds: now) else {
      skippedCount += 1
      skipsDueMilliseconds = skipsDueMilliseconds ?? budget.secondEndMilliseconds
      return
    }
    said.append(String(decoding: line, as: UTF8.self))
  }
}
