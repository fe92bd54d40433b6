import CLibUV

/// An error code reported by libuv.
package struct UVError: Error, Hashable, Sendable, CustomStringConvertible {
  package let code: Int32

  /// The symbolic name, such as `ECONNREFUSED`.
  package var name: String { String(cString: uv_err_name(code)) }

  package var description: String { "\(name): \(String(cString: uv_strerror(code)))" }
}
