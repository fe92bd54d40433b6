package import GatewayCore
package import LibUV

/// A client's socket, for what stands between it and the core; those of clients with nothing in between are called
/// directly (`ClientCarrier`).
package final class SocketTransport: ClientTransport {
  private let stream: ByteStream
  private let closes: LingeringCloses
  private var client = ClientID(slot: 0)
  /// Nil before the start, and once it is closed.
  private var delegate: (any ClientTransportDelegate)?

  /// Takes the stream over.
  init(_ stream: ByteStream, closes: LingeringCloses) {
    self.stream = stream
    self.closes = closes
    stream.delegate = self
  }

  package func start(as client: ClientID, _ delegate: any ClientTransportDelegate) {
    self.client = client
    self.delegate = delegate
    stream.startReading()
  }

  package func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    unsafe stream.write(chunks)
  }

  package var peerAddress: String? { stream.peerAddress }
  package var way: ClientWay { ClientWay(.stream) }

  package var peerState: PeerState { stream.peerState }
  package var inFlightByteCount: Int { stream.inFlightByteCount }

  package func setReading(_ isReading: Bool) {
    if isReading { stream.startReading() } else { stream.stopReading() }
  }

  package func close() { close(lastWords: []) }

  package func close(lastWords: [UInt8]) {
    delegate = nil
    closes.close(stream, lastWords: lastWords)
  }

  package func drop() {
    delegate = nil
    stream.close()
  }
}

extension SocketTransport: ByteStreamDelegate {
  package func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    delegate?.client(client, received: bytes, count: count)
  }

  package func streamEnded(_ stream: ByteStream) { delegate?.clientEnded(client) }

  package func stream(_ stream: ByteStream, failed error: UVError) { delegate?.clientDisconnected(client) }

  package func streamBecameWritable(_ stream: ByteStream) { delegate?.clientBecameWritable(client) }
}

@available(*, unavailable)
extension SocketTransport: Sendable {}
