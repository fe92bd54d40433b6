package import GatewayCore
package import LibUV

/// A client that is heard over one stream and written to over another, as on standard input and output.
///
/// As on a pipe, taken bytes are kept for their reader, however slow it is.
package final class StdioTransport: ClientTransport {
  private let input: ByteStream
  private let output: ByteStream
  private var client = ClientID(slot: 0)
  /// Nil before the start, and once it is closed.
  private var delegate: (any ClientTransportDelegate)?
  private var isInputOver = false
  /// Why nobody takes what is written any more.
  package private(set) var outputFailure: UVError?

  /// Takes both streams over.
  /// - Parameter onClosed: called once, when nothing more can be written: by then the delegate has heard all, too.
  package init(input: ByteStream, output: ByteStream, onClosed: @escaping () -> Void) {
    self.input = input
    self.output = output
    input.reader = .client
    output.countsInFlight = true
    // Never from within a call of the core's, which closes it.
    output.onClose = onClosed
    for stream in [input, output] { stream.delegate = self }
  }

  package func start(as client: ClientID, _ delegate: any ClientTransportDelegate) {
    self.client = client
    self.delegate = delegate
    input.startReading()
  }

  package func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    unsafe output.write(chunks)
  }

  package var peerAddress: String? { nil }
  package var way: ClientWay { ClientWay(.stdio) }

  package var inFlightByteCount: Int { output.inFlightByteCount }

  package func setReading(_ isReading: Bool) {
    if isReading { input.startReading() } else { input.stopReading() }
  }

  package func close() {
    delegate = nil
    input.close()
    if !output.isWriting { output.close() }
  }

  package func drop() {
    delegate = nil
    input.close()
    output.close()
  }

  /// Reads no further, as if the client had sent its last byte: it still gets what is left for it.
  package func endInput() {
    guard !isInputOver else { return }
    isInputOver = true
    input.close()
    delegate?.clientEnded(client)
  }

  /// Closes it as if nobody were there any more.
  package func hangUp() {
    let delegate = delegate
    drop()
    delegate?.clientDisconnected(client)
  }
}

extension StdioTransport: ByteStreamDelegate {
  package func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    delegate?.client(client, received: bytes, count: count)
  }

  /// The other stream is never read.
  package func streamEnded(_ stream: ByteStream) {
    isInputOver = true
    delegate?.clientEnded(client)
  }

  package func stream(_ stream: ByteStream, failed error: UVError) {
    if stream === output { outputFailure = error }
    hangUp()
  }

  package func streamBecameWritable(_ stream: ByteStream) {
    if let delegate { delegate.clientBecameWritable(client) } else { output.close() }
  }
}

@available(*, unavailable)
extension StdioTransport: Sendable {}
