import ArgumentParser
import Glibc

/// Writes reports to files, and reads them; "-" is standard output.
enum ReportFile {
  /// The longest report file.
  static let limitBytes = 256 * 1024 * 1024
  private static let chunkBytes = 64 * 1024

  static func write(_ bytes: [UInt8], to path: String) throws {
    // The path is copied for the call.
    let descriptor =
      unsafe path == "-" ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure("write", path) }
    defer { if path != "-" { close(descriptor) } }
    guard Console.write(bytes, to: descriptor) else { throw failure("write", path) }
  }

  static func read(_ path: String) throws -> [UInt8] {
    // The path is copied for the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("read", path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: chunkBytes)
    while bytes.count <= limitBytes {
      let count = unsafe chunk.withUnsafeMutableBytes {
        // The buffer outlives the call.
        unsafe Glibc.read(descriptor, $0.baseAddress!, $0.count)
      }
      if count == 0 { return bytes }
      guard count > 0 || errno == EINTR else { throw failure("read", path) }
      bytes += chunk[..<max(0, count)]
    }
    Console.error("\(path) is too large for a report")
    throw ExitCode(EX_DATAERR)
  }

  private static func failure(_ verb: String, _ path: String) -> ExitCode {
    let reason = unsafe String(cString: strerror(errno))
    Console.error("cannot \(verb) \(path): \(reason)")
    return ExitCode(verb == "read" ? EX_NOINPUT : EX_CANTCREAT)
  }
}
