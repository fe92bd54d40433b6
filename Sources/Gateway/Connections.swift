import GatewayCore
import HotData
import JSONRPC
import LibUV
import TaskStore
import Upstreams

/// The sockets behind the core's numbers: the one place where its wishes become system calls.
final class Connections: GatewaySink {
  private let heldStreams = InPlace<[ByteStream?]>([])
  /// By the client's slot.
  private(set) var streams: [ByteStream?] {
    @inline(__always) _read { yield heldStreams.value }
    @inline(__always) _modify { yield &heldStreams.value }
  }

  /// What leads to an upstream, by what it carries.
  private enum Carrier {
    case none
    /// - Parameter hasEnded: it was told that nothing more comes.
    case bytes(any ByteTransport, hasEnded: Bool)
    case exchanges(any ExchangeTransport)

    var transport: (any UpstreamTransport)? {
      switch self {
      case .none: nil
      case .bytes(let transport, _): transport
      case .exchanges(let transport): transport
      }
    }
  }

  /// By the upstream connection's slot.
  private var carriers: [Carrier] = []
  /// Makes what leads to an endpoint.
  var makeTransport: ((UpstreamID, UpstreamEndpoint) -> any UpstreamTransport)?
  var reaching = ReachingLog()
  private let loop: EventLoop
  private let farewells = Farewells()

  init(on loop: EventLoop) { self.loop = loop }

  func add(_ stream: ByteStream, as client: ClientID) {
    while streams.count <= client.slot { streams.append(nil) }
    stream.countsInFlight = true
    stream.isClient = true
    stream.token = UInt32(truncatingIfNeeded: client.slot)
    streams[client.slot] = stream
  }

  /// Answers a connection over the bound with an error, and closes it.
  func refuse(_ stream: ByteStream) {
    var line: [UInt8] = []
    MessageWriter.error(
      RequestID(), .overloaded.with(message: "too many connections"), into: &line)
    stream.countsInFlight = true
    _ = stream.write(line)
    farewells.say(to: stream, on: loop)
  }

  /// The connection is gone already.
  func forget(_ client: ClientID) {
    streams[client.slot]?.close()
    streams[client.slot] = nil
  }

  func closeAll() {
    // The process is about to end: nobody is waited for longer than that.
    for slot in streams.indices { close(slot, slowReaderMilliseconds: Farewell.patienceMilliseconds) }
    for slot in carriers.indices { disconnect(UpstreamID(slot: slot)) }
    // It holds the server, which holds it.
    makeTransport = nil
  }

  // MARK: GatewaySink

  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to client: ClientID) -> Int {
    guard let stream = streams[client.slot] else { return 0 }
    return unsafe stream.write(chunks)
  }

  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to upstream: UpstreamID) -> Int {
    guard case .bytes(let transport, _) = carriers[upstream.slot] else { return 0 }
    return unsafe transport.write(chunks)
  }

  func setReading(_ isReading: Bool, from client: ClientID) {
    if isReading { streams[client.slot]?.startReading() } else { streams[client.slot]?.stopReading() }
  }

  func setReading(_ isReading: Bool, from upstream: UpstreamID) {
    if case .bytes(let transport, _) = carriers[upstream.slot] { transport.setReading(isReading) }
  }

  func close(_ client: ClientID) {
    close(client.slot, slowReaderMilliseconds: Farewell.slowReaderMilliseconds)
  }

  func drop(_ client: ClientID) {
    streams[client.slot]?.close()
    streams[client.slot] = nil
  }

  private func close(_ slot: Int, slowReaderMilliseconds: UInt64) {
    guard let stream = streams[slot] else { return }
    streams[slot] = nil
    farewells.say(to: stream, on: loop, slowReaderMilliseconds: slowReaderMilliseconds)
  }

  func connect(_ upstream: UpstreamID, to endpoint: UpstreamEndpoint) {
    while carriers.count <= upstream.slot { carriers.append(.none) }
    let transport = makeTransport?(upstream, endpoint)
    if let transport = transport as? any ByteTransport {
      carriers[upstream.slot] = .bytes(transport, hasEnded: false)
    } else if let transport = transport as? any ExchangeTransport {
      carriers[upstream.slot] = .exchanges(transport)
    }
    transport?.connect()
  }

  func disconnect(_ upstream: UpstreamID) {
    let transport = carriers[upstream.slot].transport
    carriers[upstream.slot] = .none
    reaching.closed(upstream)
    transport?.disconnect()
    transport?.delegate = nil
  }

  func end(_ upstream: UpstreamID) {
    guard case .bytes(let transport, _) = carriers[upstream.slot] else { return }
    carriers[upstream.slot] = .bytes(transport, hasEnded: true)
    transport.end()
  }

  func begin(_ exchange: Exchange, over upstream: UpstreamID, _ message: [UInt8]) {
    guard case .exchanges(let transport) = carriers[upstream.slot] else { return }
    transport.begin(exchange, message)
  }

  func abort(_ task: TaskID, over upstream: UpstreamID) {
    guard case .exchanges(let transport) = carriers[upstream.slot] else { return }
    transport.abort(task)
  }

  var heldByteCount: Int { loop.inFlightBytes }

  func heldByteCount(of client: ClientID) -> Int { streams[client.slot]?.inFlightByteCount ?? 0 }

  var departing: [DepartingConnection] { farewells.departing }

  func drop(_ connection: DepartingConnection) { farewells.drop(connection) }

  func giveBackMemory() { ProcessMemory.trim() }

  /// Whether its last connection ended as it should: also, however it did, when it was told that nothing more comes.
  func hasEndedWell(_ upstream: UpstreamID) -> Bool {
    guard case .bytes(let transport, let hasEnded) = carriers[upstream.slot] else { return false }
    return hasEnded || transport.hasEndedWell
  }

  func name(of upstream: UpstreamID) -> String { carriers[upstream.slot].transport?.name ?? "" }
}

@available(*, unavailable)
extension Connections: Sendable {}
