import Glibc

/// Line feeds end messages as the core reads and writes them, so that they are looked for in all that passes.
enum LineFeeds {
  private static let byte = UInt8(ascii: "\n")

  /// Where the first one is; nil: there is none.
  static func first(in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress else { return nil }
    // What is found lies within the buffer.
    guard let found = unsafe memchr(start, Int32(byte), bytes.count) else { return nil }
    return unsafe UnsafeRawPointer(found) - start
  }

  /// Makes carriage returns of them: a line feed stands between tokens, where a carriage return does as well, or within a
  /// string, where neither may.
  static func replace(in bytes: inout [UInt8], from start: Int) {
    var start = start
    while true {
      let found = unsafe bytes.withUnsafeBytes { bytes in
        // What begins at the end is empty.
        unsafe first(in: UnsafeRawBufferPointer(rebasing: bytes[start...]))
      }
      guard let found else { return }
      bytes[start + found] = UInt8(ascii: "\r")
      start += found + 1
    }
  }
}
