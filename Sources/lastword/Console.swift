import Glibc

/// Whole lines to standard output and standard error.
enum Console {
  static func print(_ line: [UInt8]) { write(line, to: STDOUT_FILENO) }
  static func print(_ line: String) { write(Array(line.utf8), to: STDOUT_FILENO) }
  static func error(_ line: String) { errorLine("lastword: \(line)") }
  /// One that begins with the place it is about.
  static func errorLine(_ line: String) { write(Array(line.utf8), to: STDERR_FILENO) }

  private static func write(_ line: [UInt8], to descriptor: Int32) {
    let bytes = line + [UInt8(ascii: "\n")]
    var offset = 0
    while offset < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress! + offset, $0.count - offset)
      }
      if count < 0 && errno != EINTR { return }
      offset += max(0, count)
    }
  }
}
