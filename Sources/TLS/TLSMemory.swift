/// How much memory a server's session takes of the library's, in bytes: as OpenSSL 3 was measured, which
/// `Tests/TLSTests/MemoryTests` does again.
///
/// The library does not say how much it is: every session in the same state counts as the same.
package enum TLSMemory {
  /// One that is secured and waits for a record.
  package static let sessionBytes = 14 * 1024
  /// What it takes besides while it has a part of a record.
  package static let partBytes = 17 * 1024
  /// One whose handshake is not over, where that takes most: with a part of a hello.
  package static let handshakeBytes = 72 * 1024
}
