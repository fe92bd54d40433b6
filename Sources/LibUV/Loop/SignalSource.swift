import CLibUV

/// Turns one of the process's signals into calls on the loop.
package final class SignalSource {
  private var handle: Handle<uv_signal_t>
  private var onSignal: (() -> Void)?

  package init(on loop: EventLoop, signal: Int32, onSignal: @escaping () -> Void) throws(UVError) {
    handle = try Handle { uv_signal_init(loop.raw, $0) }
    self.onSignal = onSignal
    handle.attach(self)
    SignalMask.unblock(signal)
    let status = uv_signal_start(
      handle.raw, { handle, _ in owner(of: handle, as: SignalSource.self).onSignal?() }, signal)
    guard status == 0 else {
      close()
      throw UVError(code: status)
    }
  }

  /// Keeps handling the signal, but lets the loop end in spite of it.
  package func letLoopEnd() {
    handle.letLoopEnd()
  }

  package func close() {
    onSignal = nil
    handle.close()
  }
}

@available(*, unavailable)
extension SignalSource: Sendable {}
