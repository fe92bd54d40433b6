import CLibUV
import Glibc

extension ByteStream {
  /// A stream and a descriptor that are connected to each other; calls on the descriptor block.
  static func half(on loop: EventLoop) throws(UVError) -> (ByteStream, Int32) {
    var ends: (Int32, Int32) = (-1, -1)
    let status = withUnsafeMutablePointer(to: &ends) {
      $0.withMemoryRebound(to: Int32.self, capacity: 2) {
        uv_socketpair(Int32(SOCK_STREAM.rawValue), 0, $0, 0, 0)
      }
    }
    try UVError.check(status)
    do throws(UVError) {
      return (try ByteStream(adopting: ends.0, .unix, on: loop), ends.1)
    } catch {
      Glibc.close(ends.1)
      throw error
    }
  }

  /// A stream over one of the descriptors that this process was started with, which stays open.
  /// - Throws: `EINVAL` for a file or a device: a loop cannot wait for these.
  package static func standard(_ descriptor: Int32, on loop: EventLoop) throws(UVError) -> ByteStream {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw UVError(code: uv_translate_sys_error(errno)) }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFIFO || kind == S_IFSOCK || isatty(descriptor) == 1 else {
      throw UVError(code: UV_EINVAL.rawValue)
    }
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw UVError(code: uv_translate_sys_error(errno)) }
    return try ByteStream(adopting: copy, .unix, on: loop)
  }

  /// Has the kernel ask a TCP peer that says nothing whether it is still there; of other sockets nobody is asked.
  func apply(_ keepAlive: KeepAlive) {
    var descriptor: Int32 = -1
    guard kind == .tcp, handle.isOpen, uv_fileno(handle.cast(), &descriptor) == 0 else { return }
    // Without it the connection serves as well.
    try? keepAlive.apply(to: descriptor)
  }

  /// How long ago a TCP peer last acknowledged something, where something was sent to it again since; 0: it was not.
  var unacknowledgedMilliseconds: UInt64 {
    var descriptor: Int32 = -1
    guard kind == .tcp, handle.isOpen, uv_fileno(handle.cast(), &descriptor) == 0 else { return 0 }
    return UInt64(clibuv_unacknowledged_milliseconds(descriptor))
  }
}
