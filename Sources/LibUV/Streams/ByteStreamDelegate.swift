/// Hears what happens to a connection, always on its loop.
package protocol ByteStreamDelegate: AnyObject {
  /// Bytes from the peer. `bytes` lies in the loop's shared buffer and is valid only during the call. It ends
  /// with `EventLoop.slackByteCount` readable bytes that are no input: only the first `count` are.
  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int)

  /// The peer has sent its last byte; writing still works.
  func streamEnded(_ stream: ByteStream)

  /// A reset or a failed write, told once; nothing more is read or written, and `close()` is what is left.
  func stream(_ stream: ByteStream, failed error: UVError)

  /// All that `write` had accepted is with the kernel: it accepts again.
  func streamBecameWritable(_ stream: ByteStream)
}
