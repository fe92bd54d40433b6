import Addresses
import LibUV
import Testing

/// A loop with connections on it, that a test runs until something is true; a watchdog ends one that hangs.
final class LoopScene {
  static let watchdogMilliseconds: UInt64 = 240_000

  let loop: EventLoop
  private var watchdog: LoopTimer?
  private var hasHung = false
  private var peers: [Peer] = []

  init() throws {
    EventLoop.ignoreSIGPIPE()
    loop = try EventLoop()
    watchdog = LoopTimer(on: loop) { [unowned self] in
      hasHung = true
      loop.stop()
    }
    watchdog?.start(afterMilliseconds: Self.watchdogMilliseconds)
    watchdog?.letLoopEnd()
  }

  /// Runs the loop until this is so at the end of a turn.
  func until(_ condition: @escaping () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    let turnEnd = loop.addTurnEnd { [unowned loop] in if condition() { loop.stop() } }
    if !hasHung { loop.run() }
    loop.removeTurnEnd(turnEnd)
    if !condition() { Issue.record("this never came to be", sourceLocation: sourceLocation) }
  }

  /// Runs as many turns, none of which waits for anything.
  func turns(_ count: Int) {
    var left = count
    until { [unowned loop] in
      loop.turnAgain()
      left -= 1
      return left < 0
    }
  }

  /// A TCP connection: one end, of which nothing is heard, and whoever is at the other.
  func connection(isHeard: Bool = true) throws -> (stream: ByteStream, peer: Peer) {
    var accepted: ByteStream?
    var connected: ByteStream?
    let address = SocketAddress.tcp(host: "127.0.0.1", port: 0)
    let listener = try Listener(on: loop, address: address) { accepted = $0 }
    let attempt = ByteStream.connect(to: listener.address, on: loop) { connected = try? $0.get() }
    until { accepted != nil && connected != nil }
    attempt.cancel()
    listener.close()
    let peer = Peer(try #require(connected))
    peers.append(peer)
    if isHeard { peer.stream.startReading() }
    return (try #require(accepted), peer)
  }

  /// Closes what peers are left, and runs until nothing is left on the loop.
  func end() {
    for peer in peers { peer.stream.close() }
    if !hasHung { loop.run() }
    // With handles on it, it must not be freed.
    if hasHung { _ = Unmanaged.passRetained(loop) }
    watchdog?.close()
    watchdog = nil
  }
}

/// Whoever is at the other end of a connection: writes down what comes.
final class Peer: ByteStreamDelegate {
  let stream: ByteStream
  private(set) var received: [UInt8] = []
  private(set) var hasEnded = false
  private(set) var failure: UVError?

  init(_ stream: ByteStream) {
    self.stream = stream
    stream.delegate = self
  }

  var text: String { String(decoding: received, as: UTF8.self) }
  /// Nothing more comes.
  var hasHeardAll: Bool { hasEnded || failure != nil }

  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    for index in 0..<count { received.append(bytes[index]) }
  }

  func streamEnded(_ stream: ByteStream) { hasEnded = true }
  func stream(_ stream: ByteStream, failed error: UVError) { failure = error }
  func streamBecameWritable(_ stream: ByteStream) {}
}

extension ByteStream {
  /// More than the kernel takes of a connection that nobody reads; returns how much was taken all the same.
  func fill() -> Int { write([UInt8](repeating: UInt8(ascii: "x"), count: 16 * 1024 * 1024)) }

  func write(_ text: String) { #expect(write(Array(text.utf8)) == text.utf8.count) }
}
