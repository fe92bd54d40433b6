import LibUV
import TestSupport
import Testing

/// A loop with connections on it, each with a peer that writes down what comes.
final class LoopScene: WatchedLoop {
  private var peers: [Peer] = []

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
    let (accepted, connected) = try connectedPair()
    let peer = Peer(connected)
    peers.append(peer)
    if isHeard { peer.stream.startReading() }
    return (accepted, peer)
  }

  /// Closes what peers are left, and runs until nothing is left on the loop.
  override func end() {
    for peer in peers { peer.stream.close() }
    super.end()
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
