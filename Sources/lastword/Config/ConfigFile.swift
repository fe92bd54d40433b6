import Configuration
import Glibc

/// Reads a configuration file, up to a little more than its longest allowed length.
enum ConfigFile {
  struct Unreadable: Error {
    let path: String
    let reason: String
    let isDenied: Bool
  }

  /// - Parameter isAwaited: whether the file may be one whose reading has to wait, such as a pipe or a terminal.
  static func bytes(of path: String, isAwaited: Bool) throws(Unreadable) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (isAwaited ? 0 : O_NONBLOCK))
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    if !isAwaited { try requireRegularFile(descriptor, path) }
    var bytes = [UInt8](repeating: 0, count: FileConfiguration.limitBytes + 1)
    var count = 0
    while count < bytes.count {
      // The call writes only behind `count`, and within the array.
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

  private static func requireRegularFile(_ descriptor: Int32, _ path: String) throws(Unreadable) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw failure(path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw Unreadable(path: path, reason: "only a regular file can be read again", isDenied: false)
    }
  }

  private static func failure(_ path: String) -> Unreadable {
    let code = errno
    return Unreadable(
      path: path, reason: unsafe String(cString: strerror(code)), isDenied: [EACCES, EPERM].contains(code))
  }
}
