import GatewayCore

/// One POST as a client of the core's: what it asks, and the way back for what it is answered.
///
/// A connection has one at a time, and uses it again for the next.
final class HTTPExchange: ClientTransport {
  /// The connection that it came over.
  protocol Owner: AnyObject {
    /// Returns how many bytes were taken.
    func exchangeAnswers(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int
    /// The core has said all.
    func exchangeEnded()
    /// The core has given it up: what was not sent is lost.
    func exchangeDropped()
    func setReadingContent(_ isReading: Bool)
    var peerAddress: String? { get }
    var way: ClientWay { get }
    var inFlightByteCount: Int { get }
  }

  private unowned let owner: any Owner
  private(set) var client = ClientID(slot: 0)
  /// Nil before the core has it, and once that lets go.
  private var delegate: (any ClientTransportDelegate)?

  init(over owner: any Owner) { self.owner = owner }

  /// Whether the core still has it.
  var isOpen: Bool { delegate != nil }

  // MARK: What the connection says

  /// More of what it asks.
  func received(_ bytes: Span<UInt8>, count: Int) {
    delegate?.client(client, received: bytes, count: count)
  }

  func ended() { delegate?.clientEnded(client) }

  func becameWritable() { delegate?.clientBecameWritable(client) }

  /// Nobody waits for its answer any more.
  func abandon() {
    let delegate = delegate
    self.delegate = nil
    delegate?.clientDisconnected(client)
  }

  // MARK: What the core says

  func start(as client: ClientID, _ delegate: any ClientTransportDelegate) {
    self.client = client
    self.delegate = delegate
  }

  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    unsafe owner.exchangeAnswers(chunks)
  }

  var peerAddress: String? { owner.peerAddress }
  var way: ClientWay { owner.way }
  var inFlightByteCount: Int { owner.inFlightByteCount }
  func setReading(_ isReading: Bool) { owner.setReadingContent(isReading) }

  func close() {
    delegate = nil
    owner.exchangeEnded()
  }

  func drop() {
    guard delegate != nil else { return }
    delegate = nil
    owner.exchangeDropped()
  }
}

@available(*, unavailable)
extension HTTPExchange: Sendable {}
