import Glibc

/// Keeps memory, which may hold clients' data, out of crash reports.
enum CrashReport {
  /// The environment variable for Swift's crash report, and its setting that leaves memory out.
  private static let (variable, withoutMemory) = ("SWIFT_BACKTRACE", "registers=none")
  private static let signals = [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

  /// Swift's own report shows the memory behind registers, and its settings were read before the program began: a
  /// report without the setting that leaves memory out is suppressed.
  static func leaveOutMemory() {
    let settings = unsafe getenv(variable).map { unsafe String(cString: $0) } ?? ""
    guard !settings.split(separator: ",").contains(Substring(withoutMemory)) else { return }
    for number in signals { leaveToSystem(number) }
  }

  private static func leaveToSystem(_ number: Int32) {
    let earlier = signal(number, SIG_DFL)
    // The parent process may have set the signal to be ignored on purpose.
    if unsafe unsafeBitCast(earlier, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
      signal(number, SIG_IGN)
    }
  }
}
