/// A connection that is not closed, and so lives without being held: to hold it for each use would cost more than most
/// uses. Whoever closes it forgets this.
package struct OpenStream {
  private let reference: Unmanaged<ByteStream>

  package init(_ stream: ByteStream) { reference = Unmanaged.passUnretained(stream) }

  package var stream: ByteStream { reference.takeUnretainedValue() }

  /// As the connection's own.
  @inline(__always)
  package func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    reference._withUnsafeGuaranteedRef { $0.write(chunks) }
  }
}

@available(*, unavailable)
extension OpenStream: Sendable {}
