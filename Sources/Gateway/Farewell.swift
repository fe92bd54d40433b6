import LibUV

/// Closes a connection so that the peer can read what was last sent to it.
///
/// Closing a socket while bytes of the peer lie unread makes the kernel send a reset, which may overtake our
/// last answer. So: FIN first, read and forget what still comes, close when the peer closes, or after a while.
final class Farewell: ByteStreamDelegate {
  static let patienceMilliseconds: UInt64 = 1_000

  private let stream: ByteStream
  private var timer: LoopTimer?
  private var peerHasEnded = false

  static func say(to stream: ByteStream, on loop: EventLoop) {
    let farewell = Farewell(stream)
    stream.delegate = farewell
    stream.startReading()
    stream.shutdown()
    farewell.timer = LoopTimer(on: loop) { farewell.end() }
    farewell.timer?.start(afterMilliseconds: patienceMilliseconds)
  }

  private init(_ stream: ByteStream) { self.stream = stream }

  private func end() {
    timer?.close()
    timer = nil
    stream.close()
  }

  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {}
  func streamEnded(_ stream: ByteStream) {
    peerHasEnded = true
    if !stream.isWriting { end() }
  }

  func stream(_ stream: ByteStream, failed error: UVError) { end() }

  func streamBecameWritable(_ stream: ByteStream) {
    if peerHasEnded { end() }
  }
}

@available(*, unavailable)
extension Farewell: Sendable {}
