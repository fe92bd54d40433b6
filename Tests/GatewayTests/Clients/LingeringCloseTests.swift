import GatewayCore
import LibUV
import TestSupport
import Testing

@testable import Gateway

@Suite struct LingeringCloseTests {
  private static let hour: UInt64 = 3_600_000

  /// Nothing is closed because of the time alone, unless a test says so.
  private static let longTimeouts = LingeringClose.Limits(openMilliseconds: hour, unsentMilliseconds: hour)

  /// What a test has of a connection that is to be closed.
  private final class Closing {
    let scene: LoopScene
    let closes: LingeringCloses
    let stream: ByteStream
    let peer: Peer
    private(set) var isClosed = false

    init(_ limits: LingeringClose.Limits, isHeard: Bool = true) throws {
      scene = try LoopScene()
      closes = LingeringCloses(on: scene.loop, limits)
      (stream, peer) = try scene.connection(isHeard: isHeard)
      stream.onClose = { [unowned self] in isClosed = true }
    }

    func untilClosed() { scene.until { [self] in isClosed } }
  }

  @Test func `a peer whose bytes lie unread reads what was said last, and no reset`() throws {
    let it = try Closing(Self.longTimeouts)
    defer { it.scene.end() }
    it.peer.stream.write("nobody reads this")
    it.stream.write("answer")
    it.closes.close(it.stream)
    it.scene.until { it.peer.hasHeardAll }
    #expect(it.peer.text == "answer" && it.peer.hasEnded)
    #expect(!it.isClosed)
    it.peer.stream.close()
    it.untilClosed()
  }

  @Test func `a peer that stays is closed all the same`() throws {
    let it = try Closing(.init(openMilliseconds: 1, unsentMilliseconds: Self.hour))
    defer { it.scene.end() }
    it.closes.close(it.stream)
    it.untilClosed()
  }

  @Test func `a peer that goes on sending is closed all the same`() throws {
    var limits = Self.longTimeouts
    limits.discardedBytes = 100_000
    let it = try Closing(limits)
    defer { it.scene.end() }
    it.closes.close(it.stream)
    #expect(it.peer.stream.fill() > limits.discardedBytes)
    it.untilClosed()
  }

  @Test func `a peer that has ended and misses nothing is closed at once`() throws {
    let it = try Closing(Self.longTimeouts)
    defer { it.scene.end() }
    let listening = Peer(it.stream)
    it.stream.startReading()
    it.peer.stream.shutdown()
    it.scene.until { listening.hasEnded }
    it.closes.close(it.stream)
    it.untilClosed()
  }

  @Test func `what a slow reader has not got counts until it has`() throws {
    let it = try Closing(Self.longTimeouts, isHeard: false)
    defer { it.scene.end() }
    let taken = it.stream.fill()
    it.closes.close(it.stream)
    #expect(it.closes.departing.map(\.byteCount) == [it.stream.inFlightByteCount])
    #expect(it.stream.inFlightByteCount > 0)
    it.peer.stream.startReading()
    it.scene.until { it.peer.hasHeardAll }
    #expect(it.peer.received.count == taken && it.peer.hasEnded)
    #expect(it.closes.departing.isEmpty)
  }

  @Test func `a slow reader that has ended is closed as soon as it has all`() throws {
    let it = try Closing(Self.longTimeouts, isHeard: false)
    defer { it.scene.end() }
    let taken = it.stream.fill()
    it.closes.close(it.stream)
    it.peer.stream.shutdown()
    it.scene.until { it.stream.hasEnded }
    #expect(!it.isClosed)
    it.peer.stream.startReading()
    it.untilClosed()
    it.scene.until { it.peer.hasHeardAll }
    #expect(it.peer.received.count == taken && it.peer.hasEnded)
  }

  @Test(arguments: [true, false])
  func `a peer that reads nothing is closed after a while, sooner at the end of all`(isLast: Bool) throws {
    let it = try Closing(
      .init(openMilliseconds: isLast ? 1 : Self.hour, unsentMilliseconds: isLast ? Self.hour : 1),
      isHeard: false)
    defer { it.scene.end() }
    _ = it.stream.fill()
    it.closes.areLast = isLast
    it.closes.close(it.stream)
    it.untilClosed()
    #expect(it.closes.departing.isEmpty)
  }

  @Test(arguments: [true, false])
  func `last words come behind all that was taken, and before the end`(isFull: Bool) throws {
    let it = try Closing(Self.longTimeouts, isHeard: false)
    defer { it.scene.end() }
    let taken = isFull ? it.stream.fill() : 0
    it.closes.close(it.stream, lastWords: Array("goodbye".utf8))
    #expect(it.closes.departing.map { $0.byteCount > 7 } == (isFull ? [true] : []))
    it.peer.stream.startReading()
    it.scene.until { it.peer.hasHeardAll }
    #expect(it.peer.received.count == taken + 7 && it.peer.hasEnded)
    #expect(it.peer.text.hasSuffix("goodbye"))
    #expect(it.closes.departing.isEmpty)
    it.peer.stream.close()
    it.untilClosed()
  }

  @Test func `a peer that resets the connection is closed`() throws {
    let it = try Closing(Self.longTimeouts, isHeard: false)
    defer { it.scene.end() }
    _ = it.stream.fill()
    it.closes.close(it.stream)
    it.peer.stream.reset()
    it.untilClosed()
    #expect(it.closes.departing.isEmpty)
  }

  @Test func `one of several is dropped, and the others go on`() throws {
    let it = try Closing(Self.longTimeouts, isHeard: false)
    defer { it.scene.end() }
    let (other, reader) = try it.scene.connection(isHeard: false)
    _ = it.stream.fill()
    let taken = other.fill()
    it.closes.close(it.stream)
    let first = try #require(it.closes.departing.first)
    it.closes.close(other)
    it.closes.drop(first)
    it.untilClosed()
    it.closes.drop(first)
    #expect(it.closes.departing.count == 1)
    reader.stream.startReading()
    it.scene.until { reader.hasHeardAll }
    #expect(reader.received.count == taken && reader.hasEnded)
  }
}
