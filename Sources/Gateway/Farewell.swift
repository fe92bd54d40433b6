import LibUV

/// Closes a connection so that the peer can read what was last sent to it.
///
/// Closing a socket while bytes of the peer lie unread makes the kernel send a reset, which may overtake our
/// last answer. So: FIN first, read and forget what still comes, close when the peer closes, or after a while.
final class Farewell: ByteStreamDelegate {
  static let patienceMilliseconds: UInt64 = 1_000
  /// How long the last bytes are kept for a peer that reads slowly: the kernel has not taken them all.
  static let slowReaderMilliseconds: UInt64 = 10_000
  /// How much is read and forgotten of a peer that goes on sending.
  static let forgottenBytes = 16 * 1024 * 1024

  private let stream: ByteStream
  private var timer: LoopTimer?
  private var forgottenByteCount = 0

  static func say(
    to stream: ByteStream, on loop: EventLoop, slowReaderMilliseconds: UInt64 = slowReaderMilliseconds
  ) {
    // A peer that has ended has nothing unread here.
    if stream.hasEnded && !stream.isWriting { return stream.close() }
    let farewell = Farewell(stream)
    stream.delegate = farewell
    stream.startReading()
    stream.shutdown()
    farewell.timer = LoopTimer(on: loop) { farewell.end() }
    farewell.timer?.start(
      afterMilliseconds: stream.isWriting ? slowReaderMilliseconds : patienceMilliseconds)
  }

  private init(_ stream: ByteStream) { self.stream = stream }

  private func end() {
    timer?.close()
    timer = nil
    stream.close()
  }

  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    forgottenByteCount += count
    if forgottenByteCount > Self.forgottenBytes { end() }
  }

  func streamEnded(_ stream: ByteStream) {
    if !stream.isWriting { end() }
  }

  func stream(_ stream: ByteStream, failed error: UVError) { end() }

  func streamBecameWritable(_ stream: ByteStream) {
    if stream.hasEnded { return end() }
    timer?.start(afterMilliseconds: Self.patienceMilliseconds)
  }
}

@available(*, unavailable)
extension Farewell: Sendable {}
