import Glibc
import LibUV

/// Tells when standard input has ended, for example because the process at its other end has exited.
final class InputEnd: ByteStreamDelegate {
  /// A file, or /dev/null, has an end, too.
  private let input: StandardStream
  private let onEnd: () -> Void

  init(on loop: EventLoop, onEnd: @escaping () -> Void) throws(UVError) {
    input = try StandardStream(STDIN_FILENO, on: loop)
    self.onEnd = onEnd
    input.stream.delegate = self
    input.stream.startReading()
  }

  func close() { input.stream.close() }

  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {}
  func streamEnded(_ stream: ByteStream) { onEnd() }
  func stream(_ stream: ByteStream, failed error: UVError) { onEnd() }
  func streamBecameWritable(_ stream: ByteStream) {}
}

@available(*, unavailable)
extension InputEnd: Sendable {}
