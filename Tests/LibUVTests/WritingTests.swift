import LibUV
import Testing

@Suite struct WritingTests {
  @Test(arguments: Transport.allCases, [1000, 70_000])
  func `more than a socket holds arrives complete and in order`(
    over transport: Transport, in chunkBytes: Int
  ) throws {
    let bytes = numberedBytes(8 * 1024 * 1024 + 77)
    try ByteStreamTests.connected(over: transport) { scene, client, server in
      let pump = Pump(bytes, to: client.stream, chunkBytes: chunkBytes)
      scene.atTurnEnd { pump.pump() }
      server.onReceived = {
        guard server.received.count >= bytes.count else { return }
        #expect(server.received == bytes)
        #expect(client.timesWritable > 0)
        scene.end()
      }
    }
  }

  @Test func `many small chunks leave with one call`() throws {
    try ByteStreamTests.connected(over: .tcp) { scene, client, server in
      let chunks = (0..<ByteStream.chunksPerCall * 3 + 5).map { Array("<\($0)>".utf8) }
      let all = chunks.flatMap { $0 }
      server.onReceived = {
        guard server.received.count == all.count else { return }
        #expect(server.received == all)
        scene.end()
      }
      #expect(client.stream.write(chunks) == all.count)
      #expect(!client.stream.isWriting)
    }
  }

  @Test func `empty chunks are nothing`() throws {
    try ByteStreamTests.connected(over: .tcp) { scene, client, server in
      server.onReceived = {
        #expect(server.text == "ab")
        scene.end()
      }
      #expect(client.stream.write([] as [[UInt8]]) == 0)
      #expect(client.stream.write([[], []]) == 0)
      #expect(client.stream.write([[], [97], [], [], [98], []]) == 2)
    }
  }

  @Test(arguments: Transport.allCases)
  func `nothing is accepted while a copy is in flight`(over transport: Transport) throws {
    let bytes = numberedBytes(16 * 1024 * 1024)
    try ByteStreamTests.connected(over: transport, reading: false) { scene, client, server in
      let accepted = client.stream.write([bytes])
      #expect(accepted < bytes.count)
      #expect(accepted >= ByteStream.inFlightLimitBytes)
      #expect(client.stream.isWriting)
      #expect(client.stream.write("more") == 0)
      client.onWritable = {
        #expect(!client.stream.isWriting)
        #expect(client.stream.write("|") == 1)
      }
      server.onReceived = {
        guard server.received.count > accepted else { return }
        // Exactly what was accepted, and then what was written afterwards.
        #expect(server.received.elementsEqual(bytes[..<accepted] + Array("|".utf8)))
        scene.end()
      }
      server.stream.startReading()
    }
  }

  @Test(arguments: Transport.allCases)
  func `a shutdown waits for what was accepted`(over transport: Transport) throws {
    let bytes = numberedBytes(16 * 1024 * 1024)
    try ByteStreamTests.connected(over: transport, reading: false) { scene, client, server in
      let accepted = client.stream.write([bytes])
      client.stream.shutdown()
      #expect(client.stream.isWriting)
      server.onEnded = {
        #expect(server.received.elementsEqual(bytes[..<accepted]))
        scene.end()
      }
      server.stream.startReading()
    }
  }

  @Test(arguments: Transport.allCases)
  func `a close with a copy in flight forgets it`(over transport: Transport) throws {
    try ByteStreamTests.connected(over: transport, reading: false) { scene, client, _ in
      client.stream.write([numberedBytes(16 * 1024 * 1024)])
      #expect(client.stream.isWriting)
      client.stream.onClose = {
        #expect(!client.stream.isWriting)
        #expect(client.timesWritable == 0 && client.failures.isEmpty)
        scene.end()
      }
      client.stream.shutdown()
      client.stream.close()
    }
  }

  @Test func `a peer that goes while a copy is in flight is a failure`() throws {
    try ByteStreamTests.connected(over: .tcp, reading: false) { scene, client, server in
      client.stream.write([numberedBytes(16 * 1024 * 1024)])
      client.onFailed = {
        #expect(client.failures.count == 1)
        #expect(client.timesWritable == 0)
        scene.end()
      }
      server.stream.reset()
    }
  }
}
