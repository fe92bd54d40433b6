import LibUV

/// Owns one client's connection to a handler, its session, and the answers that have not been sent yet.
final class HandlerConnection {
  /// Once so much is unsent, nothing more is read until the client has taken its answers.
  static let unsentLimitBytes = 1 << 20

  private let stream: ByteStream
  private let onEnd: (HandlerConnection) -> Void
  private var session: HandlerSession?
  private var unsent: [UInt8] = []

  /// - Parameter onEnd: called once, when the connection is gone without having been closed here.
  init(
    _ stream: ByteStream, _ handler: any RequestHandler, on loop: EventLoop,
    onEnd: @escaping (HandlerConnection) -> Void
  ) throws(UVError) {
    self.stream = stream
    self.onEnd = onEnd
    session = try HandlerSession(handler, on: loop) { [unowned self] in self.answer($0) }
    stream.delegate = self
    stream.startReading()
  }

  var isQuiet: Bool { session?.isQuiet ?? true }

  func close() {
    stream.close()
    session?.end()
    session = nil
    unsent = []
  }

  private func answer(_ line: [UInt8]) {
    unsent.append(contentsOf: line)
    flush()
    if unsent.count >= Self.unsentLimitBytes { stream.stopReading() }
  }

  private func flush() {
    if !unsent.isEmpty { unsent.removeFirst(stream.write(unsent)) }
    if stream.hasEnded && isQuiet && unsent.isEmpty && !stream.isWriting { end() }
  }

  private func end() {
    close()
    onEnd(self)
  }
}

extension HandlerConnection: ByteStreamDelegate {
  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    session?.received(bytes, count: count)
  }

  /// A client that sends no more still gets its answers.
  func streamEnded(_ stream: ByteStream) { flush() }

  func stream(_ stream: ByteStream, failed error: UVError) { end() }

  func streamBecameWritable(_ stream: ByteStream) {
    flush()
    if session != nil && !stream.hasEnded && unsent.count < Self.unsentLimitBytes { stream.startReading() }
  }
}

@available(*, unavailable)
extension HandlerConnection: Sendable {}
