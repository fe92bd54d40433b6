import Addresses
import GatewayCore
import JSONRPC
import LibUV
import TaskStore
import Testing
import Upstreams

@Suite struct StreamTransportTests {
  /// Notes how a connection ends, as the upstream sees it.
  private final class Peer: ByteStreamDelegate {
    let stream: ByteStream
    var onEnd: (String) -> Void = { _ in }
    private(set) var hasHeard = false

    init(_ stream: ByteStream) {
      self.stream = stream
      stream.delegate = self
      stream.startReading()
    }

    func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) { hasHeard = true }
    func streamEnded(_ stream: ByteStream) { onEnd("an end") }
    func stream(_ stream: ByteStream, failed error: UVError) { onEnd(error.name) }
    func streamBecameWritable(_ stream: ByteStream) {}
  }

  /// What the upstream sees when something is done to a transport that has written to it.
  private func end<Transport: UpstreamTransport>(
    _ make: (SocketAddress, TransportScene) -> Transport, asking ask: @escaping (Transport) -> Void,
    _ body: @escaping (Transport) -> Void
  ) throws -> String? {
    let scene = try TransportScene()
    var peer: Peer?
    var seen: String?
    let listener = try Listener(on: scene.loop, address: .tcp(host: "127.0.0.1", port: 0)) {
      [unowned scene] stream in
      peer = Peer(stream)
      peer?.onEnd = {
        seen = $0
        scene.end()
      }
      scene.atEnd { stream.close() }
    }
    scene.atEnd { listener.close() }
    let transport = make(listener.address, scene)
    scene.atEnd { transport.disconnect() }
    transport.delegate = scene
    transport.connect()
    scene.when({ scene.events == [.connected] }) { ask(transport) }
    scene.when({ peer?.hasHeard == true }) { body(transport) }
    scene.run()
    #expect(scene.events == [.connected], "nothing is heard of what was asked")
    return seen
  }

  private func end(_ body: @escaping (StreamTransport) -> Void) throws -> String? {
    try end(
      { StreamTransport(TransportScene.id, to: $0, on: $1.loop) }, asking: { $0.write("{}\n") }, body)
  }

  @Test func `a connection that is closed ends, and one that is reset does not`() throws {
    #expect(try end { (transport: StreamTransport) in transport.disconnect() } == "an end")
    #expect(try end { (transport: StreamTransport) in transport.reset() } == "ECONNRESET")
  }

  @Test(arguments: [(60_000, 60), (1_500, 2), (0, nil)] as [(Int, Int32?)])
  func `an upstream that says nothing is asked whether it is still there`(milliseconds: Int, seconds: Int32?)
    throws
  {
    let scene = try TransportScene()
    let listener = try Listener(on: scene.loop, address: .tcp(host: "127.0.0.1", port: 0)) {
      [unowned scene] stream in scene.atEnd { stream.close() }
    }
    scene.atEnd { listener.close() }
    guard case .tcp(_, let port) = listener.address else { return }
    let transport = StreamTransport(
      TransportScene.id, to: listener.address, keepAlive: KeepAlive(milliseconds: milliseconds),
      on: scene.loop)
    scene.atEnd { transport.disconnect() }
    transport.delegate = scene
    transport.connect()
    var found: Int32?
    scene.when({ scene.events == [.connected] }) {
      found = TestSocket.probeSeconds(connectedTo: port)
      scene.end()
    }
    scene.run()
    #expect(found == seconds)
  }

  // MARK: Exchanges

  private static let task = TaskID(rawValue: 5)

  private func ask(_ transport: some ExchangeTransport) {
    let exchange = Exchange(task: Self.task, remainingMilliseconds: 60_000, traceparent: [])
    transport.begin(exchange, Array("{}".utf8))
  }

  private var bounds: TransportBounds {
    TransportBounds(messageLimitBytes: 1 << 20, connectMilliseconds: 60_000, connectingLimit: 3)
  }

  private func end(_ body: @escaping (DedicatedTransport) -> Void) throws -> String? {
    try end(
      { address, scene in
        let wire = DedicatedTransport.Wire(framing: .lines, toleratesNoise: true)
        return DedicatedTransport(
          TransportScene.id, name: "\(address)", wire, bounds, on: scene.loop
        ) {
          StreamTransport($0, to: address, on: scene.loop)
        }
      }, asking: ask, body)
  }

  @Test func `an exchange that is aborted ends, and one that is reset does not`() throws {
    #expect(try end { (transport: DedicatedTransport) in transport.abort(Self.task) } == "an end")
    #expect(try end { (transport: DedicatedTransport) in transport.reset() } == "ECONNRESET")
  }

  #if HTTPUpstreams
  private func end(_ body: @escaping (HTTPTransport) -> Void) throws -> String? {
    try end(
      {
        let endpoint = HTTPEndpoint(url: "http://\($0)/", connections: 2)
        return HTTPTransport(TransportScene.id, to: endpoint, bounds, on: $1.loop)
      }, asking: ask, body)
  }

  @Test func `the same by HTTP`() throws {
    #expect(try end { (transport: HTTPTransport) in transport.abort(Self.task) } == "an end")
    #expect(try end { (transport: HTTPTransport) in transport.reset() } == "ECONNRESET")
  }
  #endif
}
