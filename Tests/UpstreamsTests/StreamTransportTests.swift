import Addresses
import LibUV
import Testing
import Upstreams

@Suite struct StreamTransportTests {
  /// Notes how a connection ends, as the upstream sees it.
  private final class Peer: ByteStreamDelegate {
    let stream: ByteStream
    var onEnd: (String) -> Void = { _ in }

    init(_ stream: ByteStream) {
      self.stream = stream
      stream.delegate = self
      stream.startReading()
    }

    func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {}
    func streamEnded(_ stream: ByteStream) { onEnd("an end") }
    func stream(_ stream: ByteStream, failed error: UVError) { onEnd(error.name) }
    func streamBecameWritable(_ stream: ByteStream) {}
  }

  /// What the upstream sees when a transport does this.
  private func end(_ body: @escaping (StreamTransport) -> Void) throws -> String? {
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
    let transport = StreamTransport(TransportScene.id, to: listener.address, on: scene.loop)
    transport.delegate = scene
    transport.connect()
    scene.when({ peer != nil && scene.events == [.connected] }) { body(transport) }
    scene.run()
    return seen
  }

  @Test func `a connection that is closed ends, and one that is reset does not`() throws {
    #expect(try end { $0.disconnect() } == "an end")
    #expect(try end { $0.reset() } == "ECONNRESET")
  }
}
