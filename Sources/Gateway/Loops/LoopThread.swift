import Glibc
package import LibUV

/// A thread of its own for a loop, which blocks it.
package struct LoopThread: Sendable {
  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private let handle: pthread_t

  package init(_ run: @escaping @Sendable () -> Void) throws(UVError) {
    // Released by the thread, or below when there is none.
    let body = unsafe Unmanaged.passRetained(Body(run))
    var handle = pthread_t()
    let status = unsafe pthread_create(
      &handle, nil,
      { argument in
        let body = unsafe Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
        LoopThread.blockSIGPIPE()
        body.run()
        return nil
      }, body.toOpaque())
    guard status == 0 else {
      unsafe body.release()
      throw UVError(code: -status)
    }
    self.handle = handle
  }

  /// Waits for its end.
  package func join() { pthread_join(handle, nil) }

  /// A peer that is gone must not end the process; the rest of the program keeps its own way with that signal.
  private static func blockSIGPIPE() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
