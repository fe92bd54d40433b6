import Glibc

/// Owns a description of our own for the terminal or pipe that a descriptor leads to, which never waits.
///
/// Room for something is not room for a whole line, and may be gone by the time that it is written. The description
/// that was there already is not made to return at once: others have it, too, and would not expect that.
final class OwnDescription: Sendable {
  let descriptor: Int32

  /// Nil where there can be none, as for a socket, or should not, as for a file, where it would begin anew.
  init?(of shared: Int32) {
    guard Self.isTerminalOrPipe(shared) else { return nil }
    let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    descriptor = unsafe open("/proc/self/fd/\(shared)", flags)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  private static func isTerminalOrPipe(_ descriptor: Int32) -> Bool {
    if isatty(descriptor) == 1 { return true }
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }
}
