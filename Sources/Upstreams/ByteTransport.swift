/// Carries bytes to and from one upstream connection.
package protocol ByteTransport: UpstreamTransport {
  /// Returns how many bytes were taken; if fewer than given, `transportBecameWritable` follows.
  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int
  /// Reads no further, or goes on. What comes all the same is still told.
  func setReading(_ isReading: Bool)
  /// Nothing more will be written; what the upstream still says is heard.
  func end()
  /// Some of what was taken is still to be handed to the kernel.
  var isWriting: Bool { get }
  /// It is gone as it should be: the upstream closed it, or exited without complaint, and had taken everything.
  var hasEndedWell: Bool { get }
  /// Its end is the end of the upstream's work on what it was sent.
  var endsWithItsWork: Bool { get }
}

extension ByteTransport {
  package func setReading(_ isReading: Bool) {}
  package func reset() {}
}
