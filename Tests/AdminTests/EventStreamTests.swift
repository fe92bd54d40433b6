import Foundation
import LibUV
import Testing

@testable import Admin

/// Answers that stay open.
@Suite struct EventStreamTests {
  private static let follow = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"

  /// A scene whose readers are kept in `streams`.
  private final class Readers { var streams: [EventStream] = [] }

  private func scene(
    _ change: (inout AdminOptions) -> Void = { _ in }
  ) throws -> (AdminScene, Readers) {
    let scene = try AdminScene(change)
    let readers = Readers()
    scene.server.addStream("/events") { readers.streams.append($1) }
    return (scene, readers)
  }

  private func follow(_ scene: AdminScene, readsAtOnce: Bool = true) -> AdminCaller {
    let before = scene.server.streamCount
    let caller = scene.call(readsAtOnce: readsAtOnce)
    caller.say(Self.follow)
    scene.run { scene.server.streamCount > before }
    return caller
  }

  @Test func `events come as they are sent, each line of their data apart`() throws {
    let (scene, readers) = try scene()
    let caller = follow(scene)
    #expect(readers.streams[0].send(event: "a\nb", data: "one\ntwo\rthree"))
    #expect(readers.streams[0].send(event: "c", data: [] as [UInt8]))
    scene.run { caller.text.hasSuffix("event: c\ndata: \n\n") }
    let parts = caller.text.components(separatedBy: "\r\n\r\n")
    #expect(parts[0].contains("Content-Type: text/event-stream") && !parts[0].contains("Content-Length"))
    #expect(
      parts[1]
        == "retry: 1000\n\nevent: ab\ndata: one\ndata: two\ndata: three\n\nevent: c\ndata: \n\n")
    scene.end()
  }

  @Test func `one who does not read loses events, which are counted, and is let go after a while`() throws {
    let (scene, readers) = try scene {
      $0.streamBytes = 100_000
      $0.stallMilliseconds = 50
    }
    _ = follow(scene, readsAtOnce: false)
    let stream = readers.streams[0]
    var isClosed = false
    stream.onClose = { isClosed = true }
    let data = [UInt8](repeating: 0x78, count: 50_000)
    var taken = 0
    // More than any socket's buffers hold.
    for _ in 0..<2000 { taken += stream.send(event: "e", data: data) ? 1 : 0 }
    #expect(taken < 2000 && stream.droppedCount == 2000 - taken)
    scene.run { isClosed }
    #expect(!stream.isOpen && !stream.send(event: "e", data: data))
    #expect(scene.server.connectionCount == 0)
    scene.end()
  }

  @Test func `beside what is unsent there is room for so much, and for anything when nothing is`() throws {
    let (scene, readers) = try scene { $0.streamBytes = 4_096 }
    let caller = follow(scene)
    let large = String(repeating: "x", count: 10_000)
    #expect(readers.streams[0].send(event: "e", data: large))
    scene.run { caller.text.hasSuffix("x\n\n") }
    caller.stream?.stopReading()
    // More than any socket's buffers hold.
    let filler = [UInt8](repeating: 0x78, count: 1 << 20)
    var taken = 0
    while taken < 64, readers.streams[0].send(event: "e", data: filler) { taken += 1 }
    #expect(taken < 64 && readers.streams[0].droppedCount == 1)
    scene.end()
  }

  @Test func `there are so many streams, and further ones when those have ended`() throws {
    let (scene, readers) = try scene { $0.streams = 2 }
    let callers = (0..<2).map { _ in follow(scene) }
    #expect(scene.server.streamCount == 2)
    let refused = scene.get("/events")
    #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.contains("\r\nRetry-After: "))
    var isClosed = false
    readers.streams[1].onClose = { isClosed = true }
    callers[1].close()
    scene.run { isClosed }
    _ = follow(scene)
    #expect(readers.streams.count == 3)
    scene.end()
  }

  @Test func `a stream that the server ends reaches its end`() throws {
    let (scene, readers) = try scene()
    let caller = follow(scene)
    readers.streams[0].send(event: "last", data: "word")
    readers.streams[0].close()
    #expect(!readers.streams[0].isOpen)
    scene.run { caller.hasEnded }
    #expect(caller.text.hasSuffix("event: last\ndata: word\n\n"))
    scene.end()
  }

  @Test func `what a follower says is forgotten, up to a bound`() throws {
    let (scene, readers) = try scene()
    let caller = follow(scene)
    caller.say("GET /events HTTP/1.1\r\n{")
    readers.streams[0].send(event: "e", data: "")
    scene.run { caller.text.hasSuffix("event: e\ndata: \n\n") }
    #expect(readers.streams.count == 1 && readers.streams[0].isOpen)
    let more = [UInt8](repeating: 0, count: AdminConnection.forgottenLimitBytes / 8)
    scene.run {
      if readers.streams[0].isOpen { _ = caller.stream?.write(more) }
      return !readers.streams[0].isOpen
    }
    scene.end()
  }

  @Test func `an open stream does not outlive the server`() throws {
    let (scene, readers) = try scene()
    _ = follow(scene)
    var closedCount = 0
    readers.streams[0].onClose = { closedCount += 1 }
    scene.end()
    #expect(closedCount == 1 && !readers.streams[0].isOpen)
  }

  @Test func `only who may see the pages may follow`() throws {
    let (scene, readers) = try scene()
    #expect(scene.get("/events", "Sec-Fetch-Site: cross-site\r\n").hasPrefix("HTTP/1.1 403 "))
    #expect(readers.streams.isEmpty)
    scene.end()
  }
}
