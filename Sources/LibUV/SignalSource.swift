import CLibUV
import Glibc

/// Turns one of the process's signals into calls on the loop.
package final class SignalSource {
  private var handle: Handle<uv_signal_t>
  private var onSignal: (() -> Void)?

  package init(on loop: EventLoop, signal: Int32, onSignal: @escaping () -> Void) throws(UVError) {
    handle = try Handle { uv_signal_init(loop.raw, $0) }
    self.onSignal = onSignal
    handle.attach(self)
    unblock(signal)
    let status = uv_signal_start(
      handle.raw, { handle, _ in owner(of: handle, as: SignalSource.self).onSignal?() }, signal)
    guard status == 0 else {
      close()
      throw UVError(code: status)
    }
  }

  /// A process inherits what its parent's thread had blocked, and would then never hear it.
  private func unblock(_ signal: Int32) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, signal)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  package func close() {
    onSignal = nil
    handle.close()
  }
}

@available(*, unavailable)
extension SignalSource: Sendable {}
