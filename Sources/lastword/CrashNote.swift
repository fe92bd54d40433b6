import Glibc

/// A line about the program's present work, written to standard error if it crashes or takes too long: a trap of a
/// release build prints nothing by itself.
enum CrashNote {
  private static let capacityBytes = 256
  // Written between seeds, and read by the signal handler, both on the only thread.
  nonisolated(unsafe) private static let text = UnsafeMutablePointer<UInt8>.allocate(capacity: capacityBytes)
  nonisolated(unsafe) private static var byteCount = 0

  /// The signals of a trap, and of the time limit.
  private static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGALRM]

  /// Sets the note, cut at the capacity. After the limit the program writes it and ends.
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

  /// The signal handler; it calls only functions that are allowed there.
  private static let write: @convention(c) (Int32) -> Void = { number in
    unsafe _ = Glibc.write(STDERR_FILENO, text, byteCount)
    signal(number, SIG_DFL)
    raise(number)
  }
}
