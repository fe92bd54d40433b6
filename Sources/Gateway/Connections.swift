import GatewayCore
import HotData
import JSONRPC
import LibUV
import TaskStore
import Upstreams

/// The carriers of the core's clients and upstreams, by number: the one place where the core's wishes become system
/// calls.
final class Connections: GatewaySink {
  private let heldClients = InPlace(SlotArray(empty: ClientCarrier.none, count: 0))
  /// By the client's slot.
  private var clients: SlotArray<ClientCarrier> {
    @inline(__always) _read { yield heldClients.value }
    @inline(__always) _modify { yield &heldClients.value }
  }

  /// An upstream's carrier, by kind.
  private enum UpstreamCarrier {
    case none
    /// - Parameter hasEnded: it was told that nothing more comes.
    case bytes(any ByteTransport, hasEnded: Bool)
    case exchanges(any ExchangeTransport)

    func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
      switch self {
      case .bytes(let transport, _): unsafe transport.write(chunks)
      case .none, .exchanges: 0
      }
    }

    var transport: (any UpstreamTransport)? {
      switch self {
      case .none: nil
      case .bytes(let transport, _): transport
      case .exchanges(let transport): transport
      }
    }
  }

  /// By the upstream connection's slot.
  private let heldUpstreams = InPlace(SlotArray(empty: UpstreamCarrier.none, count: 0))
  private var upstreams: SlotArray<UpstreamCarrier> {
    @inline(__always) _read { yield heldUpstreams.value }
    @inline(__always) _modify { yield &heldUpstreams.value }
  }
  /// Makes what leads to an endpoint.
  var makeTransport: ((UpstreamID, UpstreamEndpoint) -> any UpstreamTransport)?
  var reaching = ReachingLog()
  private let loop: EventLoop
  let lingeringCloses: LingeringCloses
  /// Peers that are no clients yet, but hold memory: handshakes and HTTP connections.
  weak var handshakes: (any ArrivingConnections)?
  weak var http: (any ArrivingConnections)?

  init(on loop: EventLoop, _ limits: LingeringClose.Limits = LingeringClose.Limits()) {
    self.loop = loop
    lingeringCloses = LingeringCloses(on: loop, limits)
  }

  func add(_ carrier: ClientCarrier, as client: ClientID) {
    clients.reach(client.slot)
    clients[client.slot] = carrier
  }

  /// Answers a connection over the bound with an error, and closes it.
  func refuse(_ carrier: ClientCarrier) {
    var line: [UInt8] = []
    MessageWriter.error(
      RequestID(), .overloaded.with(message: "too many connections"), into: &line)
    _ = carrier.write(line)
    close(carrier)
  }

  private func close(_ carrier: ClientCarrier) {
    switch carrier {
    case .none: break
    case .open(let open): lingeringCloses.close(open.stream)
    case .transport(let transport): transport.close()
    }
  }

  /// The process is about to end.
  func closeAll() {
    lingeringCloses.areLast = true
    for slot in clients.indices { close(take(slot)) }
    for slot in upstreams.indices { disconnect(UpstreamID(slot: slot)) }
    // It holds the server, which holds it.
    makeTransport = nil
  }

  /// Gives up what leads to a client, which is none of the core's any more.
  func release(_ client: ClientID) -> ClientCarrier { take(client.slot) }

  /// The client's transport, unless it is a socket.
  func transport(of client: ClientID) -> (any ClientTransport)? {
    if case .transport(let transport) = clients[client.slot] { transport } else { nil }
  }

  func isThere(_ client: ClientID) -> Bool {
    if case .none = clients[client.slot] { false } else { true }
  }

  // MARK: GatewaySink

  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to client: ClientID) -> Int {
    unsafe heldClients.value[client.slot].write(chunks)
  }

  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to upstream: UpstreamID) -> Int {
    unsafe heldUpstreams.value[upstream.slot].write(chunks)
  }

  func setReading(_ isReading: Bool, from client: ClientID) {
    clients[client.slot].setReading(isReading)
  }

  func setReading(_ isReading: Bool, from upstream: UpstreamID) {
    if case .bytes(let transport, _) = upstreams[upstream.slot] { transport.setReading(isReading) }
  }

  func close(_ client: ClientID) { close(take(client.slot)) }

  func drop(_ client: ClientID) { take(client.slot).drop() }

  /// The slot is free from now on.
  private func take(_ slot: Int) -> ClientCarrier {
    let carrier = clients[slot]
    clients[slot] = .none
    return carrier
  }

  func connect(_ upstream: UpstreamID, to endpoint: UpstreamEndpoint) {
    upstreams.reach(upstream.slot)
    let transport = makeTransport?(upstream, endpoint)
    if let transport = transport as? any ByteTransport {
      upstreams[upstream.slot] = .bytes(transport, hasEnded: false)
    } else if let transport = transport as? any ExchangeTransport {
      upstreams[upstream.slot] = .exchanges(transport)
    }
    transport?.connect()
  }

  func disconnect(_ upstream: UpstreamID) {
    let transport = upstreams[upstream.slot].transport
    upstreams[upstream.slot] = .none
    reaching.closed(upstream)
    transport?.disconnect()
    transport?.delegate = nil
  }

  /// Nothing of what was written to upstreams, or is to be, shall arrive any more, if it has not.
  func resetUpstreams() {
    for slot in upstreams.indices { upstreams[slot].transport?.reset() }
  }

  func end(_ upstream: UpstreamID) {
    guard case .bytes(let transport, _) = upstreams[upstream.slot] else { return }
    upstreams[upstream.slot] = .bytes(transport, hasEnded: true)
    transport.end()
  }

  func begin(_ exchange: Exchange, over upstream: UpstreamID, _ message: [UInt8]) {
    guard case .exchanges(let transport) = upstreams[upstream.slot] else { return }
    transport.begin(exchange, message)
  }

  func abort(_ task: TaskID, over upstream: UpstreamID) {
    guard case .exchanges(let transport) = upstreams[upstream.slot] else { return }
    transport.abort(task)
  }

  var heldByteCount: Int { loop.inFlightBytes }

  func heldByteCount(of client: ClientID) -> Int { clients[client.slot].inFlightByteCount }

  var departing: [DepartingConnection] { lingeringCloses.departing }

  func drop(_ connection: DepartingConnection) { lingeringCloses.drop(connection) }

  var arrivingByteCount: Int { (handshakes?.byteCount ?? 0) + (http?.byteCount ?? 0) }

  /// Either kind has half of it, if both want that.
  func makeRoom(arrivingBytes: Int) {
    http?.makeRoom(byteCount: max(arrivingBytes / 2, arrivingBytes - (handshakes?.byteCount ?? 0)))
    handshakes?.makeRoom(byteCount: arrivingBytes - min(arrivingBytes, http?.byteCount ?? 0))
  }

  func giveBackMemory() { ProcessMemory.trim() }

  /// Whether its last connection ended as it should: also, however it did, when it was told that nothing more comes.
  func hasEndedWell(_ upstream: UpstreamID) -> Bool {
    guard case .bytes(let transport, let hasEnded) = upstreams[upstream.slot] else { return false }
    return hasEnded || transport.hasEndedWell
  }

  func address(of client: ClientID) -> String? { clients[client.slot].peerAddress }
  func way(of client: ClientID) -> ClientWay? { clients[client.slot].way }

  func name(of upstream: UpstreamID) -> String { upstreams[upstream.slot].transport?.name ?? "" }

  func connectsAsNeeded(_ upstream: UpstreamID) -> Bool {
    upstreams[upstream.slot].transport?.connectsAsNeeded ?? false
  }
}

@available(*, unavailable)
extension Connections: Sendable {}
