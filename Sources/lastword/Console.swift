import Glibc
import Synchronization

/// Writes whole lines to standard output and standard error.
enum Console {
  static func print(_ line: String) { print(Array(line.utf8)) }
  static func print(_ line: [UInt8]) {
    if !write(line + [newline], to: STDOUT_FILENO) { lostOutput.store(true, ordering: .relaxed) }
  }

  static func error(_ line: String) { errorLine("lastword: \(line)") }
  /// Writes a message that begins with its own place, and not with the program's name.
  static func errorLine(_ line: String) { write(Array(line.utf8) + [newline], to: STDERR_FILENO) }

  /// Whether some output could not be written to standard output.
  static var hasLostOutput: Bool { lostOutput.load(ordering: .relaxed) }
  private static let lostOutput = Atomic(false)

  private static let newline = UInt8(ascii: "\n")

  /// Writes bytes, not necessarily whole lines. Returns false if some could not be written; `errno` then says why.
  @discardableResult
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var offset = 0
    while offset < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress! + offset, $0.count - offset)
      }
      if count < 0 && errno != EINTR { return false }
      offset += max(0, count)
    }
    return true
  }
}
