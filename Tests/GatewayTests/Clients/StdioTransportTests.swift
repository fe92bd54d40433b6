import GatewayCore
import LibUV
import TestSupport
import Testing

@testable import Gateway

@Suite struct StdioTransportTests {
  /// A client with both its streams, whoever is at their other ends, and whoever hears it.
  private final class Client {
    static let id = ClientID(slot: 7)

    let scene: LoopScene
    let transport: StdioTransport
    let writer: Peer
    let reader: Peer
    let heard = ClientRecorder(id)
    private(set) var timesClosed = 0

    /// - Parameter isRead: somebody reads what is written to it.
    init(isRead: Bool = true) throws {
      scene = try LoopScene()
      let (input, writer) = try scene.connection()
      let (output, reader) = try scene.connection(isHeard: isRead)
      var closed: () -> Void = {}
      transport = StdioTransport(input: input, output: output) { closed() }
      (self.writer, self.reader) = (writer, reader)
      closed = { [unowned self] in timesClosed += 1 }
      transport.start(as: Self.id, heard)
    }

    /// What was taken of more than there is room for.
    func fill() -> Int { ClientCarrier.transport(transport).write([UInt8](repeating: 120, count: 16 << 20)) }

    func untilClosed() { scene.until { [self] in timesClosed > 0 } }

    /// However it was closed, that is told once, and everything is closed by then.
    func end() {
      untilClosed()
      transport.drop()
      transport.hangUp()
      scene.end()
      #expect(timesClosed == 1)
    }
  }

  @Test func `what comes is heard, what is written arrives, and each side ends by itself`() throws {
    let client = try Client()
    client.writer.stream.write("question")
    client.writer.stream.shutdown()
    client.scene.until { client.heard.events == [.ended] }
    #expect(client.heard.text == "question")
    #expect(ClientCarrier.transport(client.transport).write(Array("answer".utf8)) == 6)
    client.transport.close()
    client.scene.until { client.reader.hasHeardAll }
    #expect(client.reader.text == "answer" && client.reader.hasEnded)
    #expect(client.transport.outputFailure == nil)
    client.end()
    #expect(client.heard.events == [.ended])
  }

  @Test(arguments: [true, false])
  func `its input can be ended, which is told once, and it still gets answers`(hasEnded: Bool) throws {
    let client = try Client()
    if hasEnded {
      client.writer.stream.shutdown()
      client.scene.until { client.heard.events == [.ended] }
    }
    for _ in 1...2 { client.transport.endInput() }
    #expect(client.heard.events == [.ended])
    // The core may say so at any time.
    client.transport.setReading(true)
    #expect(ClientCarrier.transport(client.transport).write(Array("answer".utf8)) == 6)
    client.transport.close()
    client.scene.until { client.reader.hasHeardAll }
    #expect(client.reader.text == "answer" && client.reader.hasEnded)
    client.end()
    #expect(client.heard.events == [.ended])
  }

  @Test func `what is written beyond what is taken waits until there is room`() throws {
    let client = try Client(isRead: false)
    let taken = client.fill()
    #expect(client.transport.inFlightByteCount > 0)
    #expect(client.scene.loop.inFlightBytes == client.transport.inFlightByteCount)
    #expect(client.fill() == 0)
    client.reader.stream.startReading()
    client.scene.until { client.heard.events == [.becameWritable] }
    #expect(client.transport.inFlightByteCount == 0 && client.scene.loop.inFlightBytes == 0)
    client.scene.until { client.reader.received.count == taken }
    client.transport.close()
    client.end()
  }

  @Test func `nothing comes while nothing is read`() throws {
    let client = try Client()
    client.transport.setReading(false)
    client.writer.stream.write("early")
    client.scene.turns(20)
    #expect(client.heard.received.isEmpty)
    client.transport.setReading(true)
    client.scene.until { client.heard.text == "early" }
    client.transport.close()
    client.end()
  }

  @Test func `what was taken is kept for a slow reader, and nothing is heard meanwhile`() throws {
    let client = try Client(isRead: false)
    let taken = client.fill()
    client.transport.close()
    client.writer.stream.write("nobody hears this")
    client.scene.until { client.writer.hasHeardAll }
    client.scene.turns(20)
    #expect(client.timesClosed == 0)
    client.reader.stream.startReading()
    client.scene.until { client.reader.hasHeardAll }
    #expect(client.reader.received.count == taken && client.reader.hasEnded)
    client.end()
    #expect(client.heard.received.isEmpty && client.heard.events.isEmpty)
  }

  @Test func `that nobody reads any more is told once, and why is kept`() throws {
    let client = try Client(isRead: false)
    _ = client.fill()
    client.reader.stream.reset()
    client.scene.until { client.heard.events == [.disconnected] }
    #expect(client.transport.outputFailure != nil)
    client.end()
    #expect(client.heard.events == [.disconnected])
  }

  @Test func `a reader that goes behind the close ends the wait for it`() throws {
    let client = try Client(isRead: false)
    _ = client.fill()
    client.transport.close()
    client.reader.stream.reset()
    client.untilClosed()
    #expect(client.transport.outputFailure != nil)
    client.end()
    #expect(client.heard.events.isEmpty)
  }

  @Test func `an input that fails is a client that is gone`() throws {
    let client = try Client()
    client.writer.stream.reset()
    client.scene.until { client.heard.events == [.disconnected] }
    #expect(client.transport.outputFailure == nil)
    client.end()
  }

  @Test func `hung up, it is gone, with what had not left`() throws {
    let client = try Client(isRead: false)
    let taken = client.fill()
    client.transport.hangUp()
    #expect(client.heard.events == [.disconnected])
    client.untilClosed()
    client.reader.stream.startReading()
    client.scene.until { client.reader.hasHeardAll }
    #expect(client.reader.received.count < taken)
    client.end()
    #expect(client.heard.events == [.disconnected])
  }
}
