import Glibc
import LibUV

/// Tells when standard input has ended: whoever held its other end is gone, in whatever way.
final class InputEnd: ByteStreamDelegate {
  private let stream: ByteStream
  private let onEnd: () -> Void

  init(on loop: EventLoop, onEnd: @escaping () -> Void) throws(UVError) {
    stream = try ByteStream.standard(STDIN_FILENO, on: loop)
    self.onEnd = onEnd
    stream.delegate = self
    stream.startReading()
  }

  func close() { stream.close() }

  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {}
  func streamEnded(_ stream: ByteStream) { onEnd() }
  func stream(_ stream: ByteStream, failed error: UVError) { onEnd() }
  func streamBecameWritable(_ stream: ByteStream) {}
}

@available(*, unavailable)
extension InputEnd: Sendable {}
