package import GatewayCore
package import LibUV
package import TLS
package import TLSStreams

/// A client under TLS. The core hears of it once its handshake is over.
package final class TLSTransport: ClientTransport {
  /// What its server hears of it meanwhile, on the loop.
  protocol Owner: AnyObject {
    /// It has done work that costs much more than reading.
    func handshakeWentOn(_ transport: TLSTransport)
    func handshakeEnded(_ transport: TLSTransport)
    func handshake(_ transport: TLSTransport, failed reason: TLSStreamFault)
    /// Nobody is there any more, or it was closed.
    func transportLeft(_ transport: TLSTransport)
  }

  /// Its owner's own number for it, and the listener that it came to.
  let number: UInt64
  let listener: Int
  /// What it was greeted with.
  let context: TLSContext
  private let stream: TLSStream
  private let closes: LingeringCloses
  private weak var owner: (any Owner)?
  @safe @exclusivity(unchecked) private var client = ClientID(slot: 0)
  /// Nil before the start, and once it is closed.
  @safe @exclusivity(unchecked) private var delegate: (any ClientTransportDelegate)?

  init(
    _ stream: TLSStream, _ context: TLSContext, number: UInt64, listener: Int, closes: LingeringCloses,
    owner: any Owner
  ) {
    self.stream = stream
    self.context = context
    self.number = number
    self.listener = listener
    self.closes = closes
    self.owner = owner
    stream.delegate = self
  }

  func greet() { stream.start() }

  /// We have said something, and wait for its answer.
  var hasSpoken: Bool { stream.hasSpoken }

  package var peerState: PeerState { stream.stream.peerState }

  /// The client's identity, by the certificate that it showed.
  package var peer: TLSPeer? { stream.peer }

  package var isHTTPOnly: Bool { stream.applicationProtocol == ClientProtocols.httpName }

  /// Whether it would be let in by another context, too.
  func isTrusted(by context: TLSContext) -> Bool { stream.isTrusted(by: context) }

  package func start(as client: ClientID, _ delegate: any ClientTransportDelegate) {
    self.client = client
    self.delegate = delegate
  }

  package func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    unsafe stream.write(chunks)
  }

  package var peerAddress: String? { stream.stream.peerAddress }
  package var way: ClientWay { ClientWay(.stream, isSecure: true) }

  package var inFlightByteCount: Int { stream.inFlightByteCount }

  package var ownByteCount: Int { stream.sessionByteCount }

  package func setReading(_ isReading: Bool) {
    if isReading { stream.stream.startReading() } else { stream.stream.stopReading() }
  }

  package func close() {
    leave()
    let (stream, lastWords) = stream.release()
    closes.close(stream, lastWords: lastWords)
  }

  package func drop() {
    leave()
    stream.close()
  }

  /// Closes it as if nobody were there any more.
  func hangUp() {
    let delegate = delegate
    drop()
    delegate?.clientDisconnected(client)
  }

  private func leave() {
    delegate = nil
    owner?.transportLeft(self)
    owner = nil
  }
}

extension TLSTransport: TLSStreamDelegate {
  package func streamWentOn(_ stream: TLSStream) { owner?.handshakeWentOn(self) }

  package func streamSecured(_ stream: TLSStream) { owner?.handshakeEnded(self) }

  package func streamHoldsOther(_ stream: TLSStream) {
    delegate?.client(client, transportHolds: stream.sessionByteCount)
  }

  package func stream(_ stream: TLSStream, received bytes: Span<UInt8>, count: Int) {
    delegate?.client(client, received: bytes, count: count)
  }

  package func streamEnded(_ stream: TLSStream) { delegate?.clientEnded(client) }

  package func stream(_ stream: TLSStream, failed reason: TLSStreamFault) {
    if delegate != nil { hangUp() } else { owner?.handshake(self, failed: reason) }
  }

  package func streamBecameWritable(_ stream: TLSStream) { delegate?.clientBecameWritable(client) }
}

@available(*, unavailable)
extension TLSTransport: Sendable {}
