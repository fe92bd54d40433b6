import Glibc
import Synchronization

/// Whole lines to standard output and standard error.
enum Console {
  static func print(_ line: String) { print(Array(line.utf8)) }
  static func print(_ line: [UInt8]) {
    if !write(line + [newline], to: STDOUT_FILENO) { lostOutput.store(true, ordering: .relaxed) }
  }

  static func error(_ line: String) { errorLine("lastword: \(line)") }
  /// One that begins with the place it is about.
  static func errorLine(_ line: String) { write(Array(line.utf8) + [newline], to: STDERR_FILENO) }

  /// Whether something that was printed has not reached standard output.
  static var hasLostOutput: Bool { lostOutput.load(ordering: .relaxed) }
  private static let lostOutput = Atomic(false)

  private static let newline = UInt8(ascii: "\n")

  /// What may be a part of a line, or several; false when not all of it could be written, and `errno` says why.
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
