/// How much memory a server's session takes of the library's, in bytes: as OpenSSL 3 was measured, which
/// `Tests/TLSTests/MemoryTests` does again.
///
/// Every session counts as one of these, whatever it does: the library does not say how much it is.
package enum TLSMemory {
  /// One that is secured and waits for records.
  package static let sessionBytes = 14 * 1024
  /// One whose handshake is not over, where that takes most.
  package static let handshakeBytes = 45 * 1024
}
