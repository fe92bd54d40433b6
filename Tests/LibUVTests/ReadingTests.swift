import Glibc
import Testing

@testable import LibUV

@Suite struct ReadingTests {
  @Test(arguments: [EventLoop.turnBytesRange.lowerBound, EventLoop.defaultTurnBytes])
  func `one stream reads its share of a turn and no more`(share: Int) throws {
    let scene = try Scene()
    scene.loop.turnBytes = share
    let (raw, stream) = try Self.pair(on: scene.loop)
    let filled = Self.fill(raw)
    try #require(filled > share, "the socket's buffer is too small for this test")
    let recorder = scene.hear(stream)
    var turns: [Int] = []
    var before = 0
    scene.atTurnEnd { [unowned scene] in
      let now = recorder.received.count
      if now > before { turns.append(now - before) }
      before = now
      if now == filled { scene.end() }
    }
    scene.run()
    #expect(turns.dropLast().allSatisfy { $0 == share })
    #expect(turns.reduce(0, +) == filled)
    #expect(turns.count == (filled + share - 1) / share)
    #expect(recorder.received == numberedBytes(filled))
    Glibc.close(raw)
  }

  @Test func `reading that is stopped within a read stays stopped when the next turn comes`() throws {
    let scene = try Scene()
    let (raw, stream) = try Self.pair(on: scene.loop)
    let filled = Self.fill(raw)
    let recorder = scene.hear(stream)
    recorder.onReceived = { [unowned scene] in
      guard recorder.received.count >= EventLoop.defaultTurnBytes else { return }
      stream.stopReading()
      scene.after(milliseconds: 5) {
        #expect(recorder.received.count == EventLoop.defaultTurnBytes)
        recorder.onReceived = { if recorder.received.count == filled { scene.end() } }
        stream.startReading()
      }
    }
    scene.run()
    #expect(recorder.received.count == filled)
    Glibc.close(raw)
  }

  @Test func `reading that is stopped and started in one turn loses nothing`() throws {
    let scene = try Scene()
    let (raw, stream) = try Self.pair(on: scene.loop)
    let filled = Self.fill(raw)
    let recorder = scene.hear(stream)
    recorder.onReceived = { [unowned scene] in
      stream.stopReading()
      stream.startReading()
      if recorder.received.count == filled { scene.end() }
    }
    scene.run()
    #expect(recorder.received == numberedBytes(filled))
    Glibc.close(raw)
  }

  @Test func `no read is larger than the buffer`() throws {
    let scene = try Scene()
    let (raw, stream) = try Self.pair(on: scene.loop)
    let filled = Self.fill(raw)
    let recorder = scene.hear(stream)
    recorder.onReceived = { [unowned scene] in if recorder.received.count == filled { scene.end() } }
    scene.run()
    #expect(recorder.reads.max() == EventLoop.readBufferBytes)
    Glibc.close(raw)
  }

  /// A stream and the plain descriptor at its other end.
  private static func pair(on loop: EventLoop) throws -> (Int32, ByteStream) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw UVError(code: -errno) }
    var size: Int32 = 1024 * 1024
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    return (ends[0], try ByteStream(adopting: ends[1], .unix, on: loop))
  }

  /// Writes until the socket takes no more.
  private static func fill(_ descriptor: Int32) -> Int {
    let bytes = numberedBytes(2 * 1024 * 1024)
    var filled = 0
    while true {
      let count = bytes[filled...].withUnsafeBytes {
        send(descriptor, $0.baseAddress, min(4096, $0.count), 0)
      }
      guard count > 0 else { return filled }
      filled += count
    }
  }
}
