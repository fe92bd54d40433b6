import Glibc

/// The signals that are blocked in the loop's thread.
enum SignalMask {
  /// Unblocks a signal: a process inherits the blocked signals of its parent's thread, and would never get them.
  static func unblock(_ signal: Int32) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, signal)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}
