import CLibUV
import Glibc

extension EventLoop {
  /// Returns whether a child may be started now, and notes that it is. Starting one takes as long as hundreds of
  /// requests, so there is at most one per millisecond of the loop's time.
  package func takesChild() -> Bool {
    guard childStartMilliseconds != nowMilliseconds else { return false }
    childStartMilliseconds = nowMilliseconds
    return true
  }

  /// Sends SIGKILL to the group of every child that has not exited: this process is about to end.
  package func killChildren() { signalChildren(SIGKILL) }

  /// Sends SIGTERM to the group of every child that has not exited.
  package func terminateChildren() {
    signalChildren(SIGTERM)
    // A stopped process gets no SIGTERM until it is continued.
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
