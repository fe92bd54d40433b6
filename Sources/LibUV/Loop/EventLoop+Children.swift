import CLibUV
import Glibc

extension EventLoop {
  /// Whether a child may be started now, which is then counted on: to start one takes as long as hundreds of requests, so
  /// there is one in a millisecond of the loop's time.
  package func takesChild() -> Bool {
    guard childStartMilliseconds != nowMilliseconds else { return false }
    childStartMilliseconds = nowMilliseconds
    return true
  }

  /// Ends every child that has not exited, with the group that it leads: the process is about to end.
  package func killChildren() { signalChildren(SIGKILL) }

  /// Asks every child that has not exited to end, with the group that it leads.
  package func terminateChildren() {
    signalChildren(SIGTERM)
    // A stopped process hears nothing until it goes on.
    signalChildren(SIGCONT)
  }

  private func signalChildren(_ signal: Int32) {
    uv_walk(
      raw,
      { handle, signal in
        guard uv_handle_get_type(handle) == UV_PROCESS, uv_is_closing(handle) == 0 else { return }
        let process = UnsafeMutableRawPointer(handle!).assumingMemoryBound(to: uv_process_t.self)
        kill(-process.pointee.pid, Int32(Int(bitPattern: signal)))
      }, UnsafeMutableRawPointer(bitPattern: Int(signal)))
  }
}
