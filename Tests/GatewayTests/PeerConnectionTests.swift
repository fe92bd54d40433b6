import JSONRPC
import LibUV
import TestSupport
import Testing

@testable import Gateway
@testable import GatewayCore

/// What carries frames from one member to another.
@Suite struct PeerConnectionTests {
  @Test func `of what has been written no more is kept than of what has not`() throws {
    let scene = try LoopScene()
    let (stream, peer) = try scene.connection()
    let connection = PeerConnection(stream)
    let frame = [UInt8](repeating: 1, count: 1_000_000)
    var sentByteCount = 0
    var isWithinBounds = true
    // As long as there is always more to be sent than the kernel takes.
    while sentByteCount < 45_000_000 {
      while connection.unsentByteCount < 12_000_000 {
        connection.send(.batch) { $0.write(frame) }
        sentByteCount += frame.count
      }
      scene.turns(1)
      let writtenByteCount = connection.keptByteCount - connection.unsentByteCount
      if writtenByteCount > max(64 * 1024, connection.unsentByteCount) { isWithinBounds = false }
    }
    #expect(isWithinBounds)
    #expect(connection.unsentByteCount > 0)
    scene.until { connection.unsentByteCount == 0 }
    let keptByteCount = connection.keptByteCount
    #expect(keptByteCount == 0)
    scene.until { peer.received.count >= sentByteCount }
    connection.close()
    scene.end()
  }

  @Test func `what is told at once goes in frames that each end once they are long`() throws {
    let scene = try LoopScene()
    let (stream, peer) = try scene.connection()
    let connection = PeerConnection(stream)
    var batch = PeerBatch()
    let answer = [UInt8](repeating: UInt8(ascii: "a"), count: 700_000)
    for slot in 0..<4 {
      let mirror = MirrorName(loop: 0, slot: slot, serial: 1, framing: .lines)
      unsafe answer.withUnsafeBytes { bytes in
        unsafe withUnsafePointer(to: bytes) { chunk in
          _ = unsafe batch.addAnswers(UnsafeBufferPointer(start: chunk, count: 1), to: mirror)
        }
      }
    }
    connection.send(batch)
    scene.until { connection.unsentByteCount == 0 }
    scene.until { peer.received.count >= 4 * answer.count + 4 * 10 + 2 * 5 }
    var lengths: [Int] = []
    var offset = 0
    while offset < peer.received.count {
      let length = (0..<4).reduce(0) { $0 | Int(peer.received[offset + $1]) << (8 * $1) }
      lengths.append(length)
      offset += 5 + length
    }
    #expect(lengths == [2, 2].map { $0 * (answer.count + 10) })
    connection.close()
    scene.end()
  }

  @Test func `of a long frame that was heard no memory is kept`() throws {
    let scene = try LoopScene()
    let (stream, peer) = try scene.connection(isHeard: false)
    let (connection, other) = (PeerConnection(stream), PeerConnection(peer.stream))
    connection.isTrusted = true
    var lengths: [Int] = []
    connection.onFrame = { lengths.append($1.count) }
    for length in [1_000, 3_000_000, 2_000] {
      let frame = [UInt8](repeating: 1, count: length)
      other.send(.batch) { $0.write(frame) }
      scene.until { lengths.last ?? 0 >= length }
      lengths = []
      let (count, capacity) = (connection.input.count, connection.input.capacity)
      #expect(count == 0 && capacity <= 256 * 1024)
    }
    connection.close()
    withExtendedLifetime(other) { scene.end() }
  }

  @Test func `each byte that comes counts, and not whole frames only`() throws {
    let scene = try LoopScene()
    let (stream, peer) = try scene.connection()
    let connection = PeerConnection(stream)
    peer.stream.write("abc")
    scene.until { connection.receivedByteCount == 3 }
    connection.close()
    scene.end()
  }
}

/// When nobody can be left who asks.
@Suite struct LinkSilenceTests {
  @Test func `it is over after ten looks without a byte, and not where one came between`() {
    var silence = LinkSilence()
    var received: UInt64 = 1
    let first = silence.isOver(receivedByteCount: received)
    #expect(!first)
    for _ in 1..<10 {
      let isOver = silence.isOver(receivedByteCount: received)
      #expect(!isOver)
    }
    received += 1
    for _ in 0..<10 {
      let isOver = silence.isOver(receivedByteCount: received)
      #expect(!isOver)
    }
    let last = silence.isOver(receivedByteCount: received)
    #expect(last)
  }
}
