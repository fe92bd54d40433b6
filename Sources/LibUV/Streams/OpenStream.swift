/// An open connection, without retaining it: it lives until it is closed anyway, and a retain for each use would cost
/// more than most uses. Must not be used after the connection was closed.
package struct OpenStream {
  private let reference: Unmanaged<ByteStream>

  package init(_ stream: ByteStream) { reference = Unmanaged.passUnretained(stream) }

  package var stream: ByteStream { reference.takeUnretainedValue() }

  /// The connection's `write`.
  @inline(__always)
  package func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    reference._withUnsafeGuaranteedRef { $0.write(chunks) }
  }
}

@available(*, unavailable)
extension OpenStream: Sendable {}
