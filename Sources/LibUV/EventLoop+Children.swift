import CLibUV
import Glibc

extension EventLoop {
  /// Ends every child that has not exited, with the group that it leads: the process is about to end.
  package func killChildren() {
    uv_walk(
      raw,
      { handle, _ in
        guard uv_handle_get_type(handle) == UV_PROCESS, uv_is_closing(handle) == 0 else { return }
        let process = UnsafeMutableRawPointer(handle!).assumingMemoryBound(to: uv_process_t.self)
        kill(-process.pointee.pid, SIGKILL)
      }, nil)
  }
}
