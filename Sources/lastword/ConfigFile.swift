import Configuration
import Glibc

/// Reads a configuration file, up to a little more than it may be long.
enum ConfigFile {
  struct Unreadable: Error {
    let path: String
    let reason: String
    let isDenied: Bool
  }

  static func bytes(of path: String) throws(Unreadable) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: FileConfiguration.limitBytes + 1)
    var count = 0
    while count < bytes.count {
      // Only what lies beyond `count` and within the array is written to.
      let read = unsafe bytes.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count)
      }
      if read < 0 && errno == EINTR { continue }
      guard read >= 0 else { throw failure(path) }
      if read == 0 { break }
      count += read
    }
    return Array(bytes[..<count])
  }

  private static func failure(_ path: String) -> Unreadable {
    let code = errno
    return Unreadable(
      path: path, reason: unsafe String(cString: strerror(code)), isDenied: [EACCES, EPERM].contains(code))
  }
}
