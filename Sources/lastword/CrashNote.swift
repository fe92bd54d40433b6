import Glibc

/// A line about what the program is doing, written to standard error if it crashes meanwhile or takes too long: a trap
/// of a release build says nothing by itself.
enum CrashNote {
  private static let capacityBytes = 256
  // Written between seeds, read by the signal handler of the same, only thread.
  nonisolated(unsafe) private static let text = UnsafeMutablePointer<UInt8>.allocate(capacity: capacityBytes)
  nonisolated(unsafe) private static var byteCount = 0

  /// The signals of a trap, and of the time limit.
  private static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGALRM]

  /// From now on this is the note, cut off at its capacity. After so many seconds the program ends with it.
  static func set(_ note: String, limitSeconds: UInt32) {
    let bytes = Array("lastword: \(note)\n".utf8.prefix(capacityBytes))
    for index in bytes.indices { unsafe text[index] = bytes[index] }
    unsafe byteCount = bytes.count
    for number in signals { signal(number, write) }
    alarm(limitSeconds)
  }

  static func clear() {
    alarm(0)
    for number in signals { signal(number, SIG_DFL) }
  }

  /// Only what may be called in a signal handler.
  private static let write: @convention(c) (Int32) -> Void = { number in
    unsafe _ = Glibc.write(STDERR_FILENO, text, byteCount)
    signal(number, SIG_DFL)
    raise(number)
  }
}
