import LibUV
import Testing

/// Where a pair of connected streams is made.
enum Transport: CaseIterable { case tcp, unix }

@Suite struct ByteStreamTests {
  /// Runs a scene with both ends of one connection.
  static func connected(
    over transport: Transport, reading: Bool = true,
    _ body: @escaping (Scene, _ client: Recorder, _ server: Recorder) -> Void
  ) throws {
    let directory = try TemporaryDirectory()
    let scene = try Scene()
    var client: Recorder?
    var server: Recorder?
    let begin = { [unowned scene] in
      if let client, let server { body(scene, client, server) }
    }
    let address = transport == .tcp ? .anyLoopbackPort : directory.socket()
    let listener = try scene.listen(at: address) { [unowned scene] in
      server = scene.hear($0, reading: reading)
      begin()
    }
    scene.connect(to: listener.address) { [unowned scene] in
      client = scene.hear($0, reading: reading)
      begin()
    }
    scene.run()
  }

  @Test(arguments: Transport.allCases)
  func `what is sent comes back`(over transport: Transport) throws {
    try Self.connected(over: transport) { scene, client, server in
      server.onReceived = { server.stream.write([server.received]) }
      client.onReceived = {
        guard client.received.count == 5 else { return }
        #expect(client.text == "hello")
        scene.end()
      }
      #expect(client.stream.write("hello") == 5)
    }
  }

  @Test(arguments: Transport.allCases)
  func `after a half-close the other side can still answer`(over transport: Transport) throws {
    try Self.connected(over: transport) { scene, client, server in
      server.onEnded = {
        #expect(server.text == "question")
        server.stream.write("answer")
        server.stream.shutdown()
      }
      client.onEnded = {
        #expect(client.text == "answer")
        #expect(client.failures.isEmpty && server.failures.isEmpty)
        scene.end()
      }
      client.stream.write("question")
      client.stream.shutdown()
      #expect(client.stream.write("too late") == 0)
    }
  }

  @Test func `a reset is seen as a failure`() throws {
    try Self.connected(over: .tcp) { scene, client, server in
      server.onFailed = {
        #expect(server.failures.map(\.name) == ["ECONNRESET"])
        #expect(server.ends == 0)
        scene.end()
      }
      client.stream.reset()
    }
  }

  @Test func `a reset right behind bytes is seen as a failure too`() throws {
    try Self.connected(over: .tcp) { scene, client, server in
      server.onEnded = {
        Issue.record("a reset is no end")
        scene.end()
      }
      server.onFailed = {
        #expect(server.text == "last words")
        scene.end()
      }
      client.stream.write("last words")
      client.stream.reset()
    }
  }

  @Test func `a reset while a shutdown waits for a write is seen as a failure`() throws {
    try Self.connected(over: .tcp, reading: false) { scene, client, server in
      server.keepsBytes = false
      server.onEnded = {
        Issue.record("a reset is no end")
        scene.end()
      }
      server.onFailed = { scene.end() }
      client.stream.write([numberedBytes(16 * 1024 * 1024)])
      #expect(client.stream.isWriting)
      client.stream.shutdown()
      client.stream.reset()
      server.stream.startReading()
    }
  }

  @Test(arguments: Transport.allCases)
  func `a close is seen as an end`(over transport: Transport) throws {
    try Self.connected(over: transport) { scene, client, server in
      server.onEnded = {
        #expect(server.failures.isEmpty)
        scene.end()
      }
      client.stream.close()
    }
  }

  @Test func `a write to a closed peer fails later and once, and never from within the write`() throws {
    try Self.connected(over: .unix, reading: false) { scene, client, server in
      var isInsideWrite = false
      client.onFailed = {
        #expect(!isInsideWrite)
        #expect(client.failures.map(\.name) == ["EPIPE"])
        #expect(client.stream.write("again") == 0)
        // One more turn, in which a second failure would come.
        scene.after(milliseconds: 1) {
          #expect(client.failures.count == 1)
          scene.end()
        }
      }
      server.stream.onClose = {
        isInsideWrite = true
        #expect(client.stream.write("anybody there?") == 0)
        #expect(client.stream.write("hello?") == 0)
        isInsideWrite = false
        #expect(client.failures.isEmpty)
      }
      server.stream.close()
    }
  }

  @Test func `a closed stream can be told anything and says nothing`() throws {
    try Self.connected(over: .tcp) { scene, client, server in
      client.stream.onClose = {
        client.stream.close()
        client.stream.reset()
        client.stream.startReading()
        client.stream.stopReading()
        client.stream.shutdown()
        #expect(client.stream.write("x") == 0)
        #expect(!client.stream.isWriting)
        #expect(client.reads.isEmpty && client.ends == 0 && client.failures.isEmpty)
        scene.end()
      }
      server.stream.write("unheard")
      client.stream.close()
      client.stream.close()
    }
  }

  @Test func `a stream can be closed from within its own read`() throws {
    try Self.connected(over: .tcp) { scene, client, server in
      server.onReceived = { server.stream.close() }
      server.stream.onClose = {
        #expect(server.reads == [1])
        scene.end()
      }
      client.stream.write("x")
    }
  }
}
