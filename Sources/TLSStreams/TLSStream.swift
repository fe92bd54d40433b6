package import LibUV
package import TLS

/// One connection under TLS: a stream that carries ciphertext, and the session that makes plaintext of it.
///
/// As the stream's own, it lives until `close()`, whether or not anybody else holds it.
package final class TLSStream {
  package let stream: ByteStream
  private let session: TLSSession
  private let scratch: TLSScratch
  private let loop: EventLoop
  @safe @exclusivity(unchecked) package var delegate: (any TLSStreamDelegate)?
  /// Whether a part of a record was kept when that was last told.
  @safe @exclusivity(unchecked) private var holdsPart = false
  /// Tells of a failure that came within a call of the delegate's own.
  @safe @exclusivity(unchecked) private var failing: LoopTimer?

  /// Takes a stream over; `start()` begins.
  package init(_ stream: ByteStream, _ engine: TLSEngine, _ scratch: TLSScratch, on loop: EventLoop) {
    self.stream = stream
    session = TLSSession(engine)
    self.scratch = scratch
    self.loop = loop
    stream.delegate = self
  }

  /// Reads, and says what is to be said first.
  package func start() {
    stream.startReading()
    session.flush(over: stream)
  }

  private var engine: TLSEngine { session.engine }

  /// Both know whom they speak to, and plaintext can go either way.
  package var isSecured: Bool { engine.isSecured }
  package var peer: TLSPeer? { engine.peer }
  package var version: String { engine.version }
  package var applicationProtocol: String? { engine.applicationProtocol }
  /// Something of ours was to be sent: of a server's, what its key has signed.
  package var hasSpoken: Bool { session.hasSpoken }
  /// Whether its peer would be let in by another context, too.
  package func isTrusted(by context: TLSContext) -> Bool { context.wouldTrust(engine) }

  // MARK: Writing

  /// Some of what was taken is still to be handed to the kernel: nothing more is taken until that is done.
  package var isWriting: Bool { session.isWriting(over: stream) }
  /// How many bytes of ciphertext that is.
  package var inFlightByteCount: Int { stream.inFlightByteCount + engine.output.count }

  /// How much memory the session takes, once it is secured.
  package var sessionByteCount: Int { TLSMemory.sessionBytes + (holdsPart ? TLSMemory.partBytes : 0) }

  /// Returns how many bytes were taken. When it is not all, `streamBecameWritable` or a failure follows, never from
  /// within this call.
  package func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    scratch.lendOutput(to: engine)
    defer { scratch.takeOutput(of: engine) }
    let taken = unsafe session.write(chunks, over: stream)
    if engine.fault != nil { failSoon() }
    return taken
  }

  /// The same for bytes that lie in one place.
  package func write(_ bytes: [UInt8]) -> Int {
    // Both pointers are valid during the call, and nothing of them is kept.
    unsafe bytes.withUnsafeBytes { chunk in
      unsafe withUnsafePointer(to: chunk) { unsafe write(UnsafeBufferPointer(start: $0, count: 1)) }
    }
  }

  // MARK: Its end

  /// Says that nothing more will be written; what the peer still says is heard.
  package func end() { session.end(over: stream) }

  /// Closes it at once, with what was taken and has not left. The delegate hears nothing afterwards.
  package func close() {
    letGo()
    stream.close()
  }

  /// Ends it with a reset, as a crash would.
  package func reset() {
    letGo()
    stream.reset()
  }

  /// Gives the stream away to be closed, with the last bytes to be written behind what is unsent.
  package func release() -> (stream: ByteStream, lastWords: [UInt8]) {
    let lastWords = session.release(over: stream)
    letGo()
    stream.delegate = nil
    return (stream, lastWords)
  }

  private func letGo() {
    delegate = nil
    failing?.close()
    failing = nil
  }

  private func fail(_ fault: TLSStreamFault) {
    let delegate = delegate
    self.delegate = nil
    stream.stopReading()
    delegate?.stream(self, failed: fault)
  }

  private func failSoon() {
    guard failing == nil, delegate != nil else { return }
    failing = LoopTimer(on: loop) { [unowned self] in
      self.failing?.close()
      self.failing = nil
      if let fault = self.engine.fault { self.fail(.tls(fault)) }
    }
    failing?.start(afterMilliseconds: 0)
  }
}

extension TLSStream: ByteStreamDelegate {
  package func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    guard engine.isSecured || !isLeft else { return fail(.connection(.endOfFile)) }
    scratch.lendOutput(to: engine)
    defer { scratch.takeOutput(of: engine) }
    scratch.lendPlaintext { plaintext in
      let slackBytes = EventLoop.slackByteCount
      let progress = session.receive(
        bytes, count: count, into: &plaintext, slackBytes: slackBytes, over: stream)
      if progress.wasHandshake { delegate?.streamWentOn(self) }
      if progress.isSecured { delegate?.streamSecured(self) }
      let taken = progress.plaintextBytes
      if taken > 0 {
        delegate?.stream(
          self, received: plaintext.span.extracting(first: taken + slackBytes), count: taken)
      }
    }
    if engine.isSecured && engine.holdsPart != holdsPart {
      holdsPart.toggle()
      delegate?.streamHoldsOther(self)
    }
    tellState()
  }

  /// Whether a peer in a handshake has gone: a costly answer would help nobody. A peer that ended its input before our
  /// first message cannot answer that.
  private var isLeft: Bool {
    let peer = stream.peerState
    return peer.isGone || peer.hasEnded && !hasSpoken
  }

  /// Told once what was read is told; the delegate may have let go meanwhile, and then hears nothing.
  private func tellState() {
    if session.takeEnd() { delegate?.streamEnded(self) }
    if let fault = session.fault { fail(.tls(fault)) }
  }

  package func streamEnded(_ stream: ByteStream) {
    session.inputEnded()
    tellState()
  }

  package func stream(_ stream: ByteStream, failed error: UVError) { fail(.connection(error)) }

  package func streamBecameWritable(_ stream: ByteStream) {
    // Of one that has been ended it is told that all has left.
    if session.becameWritable(over: stream) || session.hasLeft(over: stream) {
      delegate?.streamBecameWritable(self)
    }
  }
}

extension ByteStream: TLSCarrier {}

@available(*, unavailable)
extension TLSStream: Sendable {}
