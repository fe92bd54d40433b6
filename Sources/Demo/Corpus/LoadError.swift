import Glibc

/// Why a directory could not be loaded at all.
package struct LoadError: Error, Hashable, Sendable, CustomStringConvertible {
  package let directory: String
  package let code: Int32

  package var description: String {
    let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    return "\(directory): \(reason)"
  }
}
