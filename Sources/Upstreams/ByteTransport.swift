/// Carries bytes to and from one upstream connection.
package protocol ByteTransport: UpstreamTransport {
  /// Writes bytes, and returns how many it took; if these are fewer than given, `transportBecameWritable` follows.
  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int
  /// Stops reading, or goes on. Bytes that come all the same still reach the delegate.
  func setReading(_ isReading: Bool)
  /// Ends writing. What the upstream still sends reaches the delegate.
  func end()
  /// Whether some of the bytes that it took have not been handed to the kernel.
  var isWriting: Bool { get }
  /// Whether it ended well: the upstream took all bytes, and then closed the connection or exited with status 0.
  var hasEndedWell: Bool { get }
  /// Whether the upstream has stopped working on its requests once this connection has ended.
  var endsWithItsWork: Bool { get }
}

extension ByteTransport {
  package func setReading(_ isReading: Bool) {}
  package func reset() {}
}
