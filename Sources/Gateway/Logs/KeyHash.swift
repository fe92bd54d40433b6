/// Stands for a key in logs: the same key has the same one as long as the process runs, and it tells nobody the key.
///
/// The standard library's hash is SipHash with a secret of the process.
package struct KeyHash: Hashable, Sendable, CustomStringConvertible {
  private let bits: UInt32

  /// - Parameter namespace: whose key it is: those of two owners are two.
  package init(_ key: Span<UInt8>, namespace: UInt64 = 0) {
    var hasher = Hasher()
    hasher.combine(namespace)
    // The span outlives the call, which reads it.
    unsafe key.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    bits = UInt32(truncatingIfNeeded: hasher.finalize())
  }

  package var description: String { "#" + LogText.digits(bits, 8, radix: 16) }
}
