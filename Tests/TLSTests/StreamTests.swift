#if TLS
import LibUV
import TLS
import TLSStreams
import TestSupport
import Testing

/// What whoever owns a stream under TLS hears of it.
@Suite struct StreamTests {
  private final class Owner: TLSStreamDelegate {
    private(set) var byteCount = 0
    private(set) var hasEnded = false
    private(set) var faults: [String] = []
    /// Of each time that it became writable: how much was unsent.
    private(set) var unsent: [Int] = []

    func streamSecured(_ stream: TLSStream) {}
    func stream(_ stream: TLSStream, received bytes: Span<UInt8>, count: Int) { byteCount += count }
    func streamEnded(_ stream: TLSStream) { hasEnded = true }
    func stream(_ stream: TLSStream, failed reason: TLSStreamFault) { faults.append(reason.description) }
    func streamBecameWritable(_ stream: TLSStream) { unsent.append(stream.inFlightByteCount) }
  }

  private let scene: WatchedLoop
  private let server: TLSStream
  private let client: TLSStream
  private let serverOwner = Owner()
  private let clientOwner = Owner()

  /// Both are secured.
  init() throws {
    let papers = try Papers.all()
    let serverEngine = try TLSEngine(server: try papers.serverContext())
    let clientEngine = try TLSEngine(client: try papers.clientContext(), to: "localhost")
    let scene = try WatchedLoop()
    let (accepted, connected) = try scene.connectedPair()
    let server = TLSStream(accepted, serverEngine, TLSScratch(), on: scene.loop)
    let client = TLSStream(connected, clientEngine, TLSScratch(), on: scene.loop)
    server.delegate = serverOwner
    client.delegate = clientOwner
    for stream in [server, client] { stream.start() }
    scene.until { server.isSecured && client.isSecured }
    (self.scene, self.server, self.client) = (scene, server, client)
  }

  private func end() {
    for stream in [server, client] { stream.close() }
    scene.end()
  }

  @Test func `whoever ended it hears once that all it said has left`() {
    defer { end() }
    client.stream.stopReading()
    // More than the kernel takes of a connection that nobody reads.
    let taken = server.write([UInt8](repeating: 7, count: 16 * 1024 * 1024))
    server.end()
    #expect(server.isWriting && serverOwner.unsent.isEmpty)
    client.stream.startReading()
    scene.until { [server, clientOwner] in clientOwner.hasEnded && !server.isWriting }
    #expect(clientOwner.byteCount == taken)
    #expect(serverOwner.unsent == [0])
    #expect(serverOwner.faults == [] && clientOwner.faults == [])
  }
}
#endif
