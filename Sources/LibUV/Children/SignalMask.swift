import Glibc

/// Which signals reach the loop's thread.
enum SignalMask {
  /// A process inherits what its parent's thread had blocked, and would then never hear it.
  static func unblock(_ signal: Int32) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, signal)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}
