/// Hears what happens to a connection under TLS, always on its loop.
package protocol TLSStreamDelegate: AnyObject {
  /// Something of the peer's was worked on, which costs much as long as the handshake lasts.
  func streamWentOn(_ stream: TLSStream)

  /// The handshake is over: from now on plaintext goes both ways.
  func streamSecured(_ stream: TLSStream)

  /// Plaintext of the peer's. Behind the first `count` bytes lie `EventLoop.slackByteCount` that are no input. Valid
  /// only during the call.
  func stream(_ stream: TLSStream, received bytes: Span<UInt8>, count: Int)

  /// The peer has said that it sends no more; writing still works.
  func streamEnded(_ stream: TLSStream)

  /// Its session takes more memory than before, or less: `sessionByteCount` says how much.
  func streamHoldsOther(_ stream: TLSStream)

  /// The connection is of no use any more, told once; `close()` is what is left.
  func stream(_ stream: TLSStream, failed reason: TLSStreamFault)

  /// All that `write` had accepted is with the kernel: it accepts again.
  func streamBecameWritable(_ stream: TLSStream)
}

extension TLSStreamDelegate {
  package func streamWentOn(_ stream: TLSStream) {}
  package func streamHoldsOther(_ stream: TLSStream) {}
}
