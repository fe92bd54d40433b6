import Glibc

/// Bytes that nobody can guess, from the kernel (`getentropy`).
package enum RandomBytes {
  /// So many come whole from one call, once the kernel has gathered enough since its start.
  package static let mostAtOnce = 256

  /// `count` bytes, 256 at most; nil if the kernel gives none.
  package static func make(_ count: Int) -> [UInt8]? {
    guard (0...mostAtOnce).contains(count) else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    return unsafe getentropy(&bytes, count) == 0 ? bytes : nil
  }
}
