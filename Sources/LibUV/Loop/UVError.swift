import CLibUV
import Glibc

/// An error code reported by libuv, or by the system in libuv's numbering.
package struct UVError: Error, Hashable, Sendable, CustomStringConvertible {
  package let code: Int32

  package init(code: Int32) { self.code = code }

  /// This process may open no more files.
  package static let noDescriptor = UVError(code: -EMFILE)
  /// The peer has ended its side.
  package static let endOfFile = UVError(code: UV_EOF.rawValue)
  /// The peer has not answered for too long.
  package static let timedOut = UVError(code: UV_ETIMEDOUT.rawValue)
  package static let addressInUse = UVError(code: -EADDRINUSE)
  /// There is another file where a socket is to be made.
  package static let fileExists = UVError(code: -EEXIST)

  /// The error that the last failed system call of this thread left in `errno`.
  static var last: UVError { UVError(code: uv_translate_sys_error(errno)) }

  static func check(_ status: Int32) throws(UVError) {
    if status < 0 { throw UVError(code: status) }
  }

  /// The symbolic name, such as `ECONNREFUSED`.
  package var name: String { String(cString: uv_err_name(code)) }

  /// Whether another try may succeed.
  package var isTemporary: Bool { code == UV_EAGAIN.rawValue }

  /// What went wrong, in a sentence.
  package var text: String { String(cString: uv_strerror(code)) }

  package var description: String { "\(name): \(text)" }
}
