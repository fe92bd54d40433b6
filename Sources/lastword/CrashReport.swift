import Glibc

/// Keeps memory, and with it what clients said, out of what is written about a crash.
enum CrashReport {
  /// What Swift listens to, and the part of it that leaves memory out.
  private static let (variable, withoutMemory) = ("SWIFT_BACKTRACE", "registers=none")
  private static let signals = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

  /// Swift's own report shows what registers point to, and how it is to look was settled before the program began: one
  /// that was not told to leave that out is not made at all.
  static func leaveOutMemory() {
    let settings = unsafe getenv(variable).map { unsafe String(cString: $0) } ?? ""
    guard !settings.split(separator: ",").contains(Substring(withoutMemory)) else { return }
    for number in signals { leaveToSystem(number) }
  }

  private static func leaveToSystem(_ number: Int32) {
    let earlier = signal(number, SIG_DFL)
    // Whoever started the program may have wanted that.
    if unsafe unsafeBitCast(earlier, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
      signal(number, SIG_IGN)
    }
  }
}
