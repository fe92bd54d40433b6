import JSONRPC
import LibUV

/// Carries what comes from standard input to a stream, and what comes from there to standard output.
final class StandardBridge {
  private let input: ByteStream
  private let output: ByteStream
  private let peer: ByteStream
  private var toPeer: [UInt8] = []
  private var toOutput: [UInt8] = []
  private var onEnd: (() -> Void)?
  /// Why nobody takes what comes out any more.
  private(set) var outputFailure: UVError?

  /// - Parameter onEnd: called once, when nothing more can come out, or nobody takes it.
  init(input: ByteStream, output: ByteStream, peer: ByteStream, onEnd: @escaping () -> Void) {
    self.input = input
    self.output = output
    self.peer = peer
    self.onEnd = onEnd
    for stream in [input, output, peer] { stream.delegate = self }
    for stream in [input, peer] { stream.startReading() }
  }

  func close() {
    onEnd = nil
    for stream in [input, output, peer] { stream.close() }
  }

  func end() {
    let onEnd = onEnd
    close()
    onEnd?()
  }

  /// Passes on what has come; the side that it comes from is read from again once all has been taken.
  private func flush() {
    if !toPeer.isEmpty { toPeer.removeFirst(peer.write(toPeer)) }
    if !toOutput.isEmpty { toOutput.removeFirst(output.write(toOutput)) }
    if toPeer.isEmpty { input.hasEnded ? peer.shutdown() : input.startReading() }
    guard toOutput.isEmpty else { return }
    if peer.hasEnded {
      if !output.isWriting { end() }
    } else {
      peer.startReading()
    }
  }
}

extension StandardBridge: ByteStreamDelegate {
  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    if stream === input { toPeer.append(bytes, 0..<count) } else { toOutput.append(bytes, 0..<count) }
    stream.stopReading()
    flush()
  }

  func streamEnded(_ stream: ByteStream) { flush() }

  func stream(_ stream: ByteStream, failed error: UVError) {
    if stream === output { outputFailure = error }
    end()
  }

  func streamBecameWritable(_ stream: ByteStream) { flush() }
}

@available(*, unavailable)
extension StandardBridge: Sendable {}
