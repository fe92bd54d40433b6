import Glibc

/// Says what was being done when the program traps or hangs: by itself a release says nothing.
enum DyingNote {
  private static let capacityBytes = 256
  // Written between seeds, read by the signal handler of the same, only thread.
  nonisolated(unsafe) private static let text = UnsafeMutablePointer<UInt8>.allocate(capacity: capacityBytes)
  nonisolated(unsafe) private static var byteCount = 0

  /// Every way in which a trap or a time limit shows.
  private static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGALRM]

  /// From now on this is what is said, also if it takes longer than so many seconds.
  static func leave(_ note: String, limitSeconds: UInt32) {
    let bytes = Array("lastword: \(note)\n".utf8.prefix(capacityBytes))
    for index in bytes.indices { unsafe text[index] = bytes[index] }
    unsafe byteCount = bytes.count
    for number in signals { signal(number, speak) }
    alarm(limitSeconds)
  }

  static func takeBack() {
    alarm(0)
    for number in signals { signal(number, SIG_DFL) }
  }

  /// Only what may be called in a signal handler.
  private static let speak: @convention(c) (Int32) -> Void = { number in
    unsafe _ = write(STDERR_FILENO, text, byteCount)
    signal(number, SIG_DFL)
    raise(number)
  }
}
