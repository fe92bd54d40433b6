/// One end of a TLS connection, whatever carries it. It decides when plaintext is taken, what is handed on, when the
/// peer has ended, and how the connection is closed.
///
/// It holds no socket and waits for nothing: `TLSStream` drives it over a real connection, the simulator over others.
package final class TLSSession {
  /// So much plaintext at once becomes no more ciphertext than a stream takes whole.
  package static let writeBytes = 3 * TLSEngine.recordBytes

  package let engine: TLSEngine
  private let writeBytes: Int
  @safe @exclusivity(unchecked) private var hasToldEnd = false
  /// Something was to be handed on.
  @safe @exclusivity(unchecked) package private(set) var hasSpoken = false

  /// - Parameter writeBytes: how much plaintext is made ciphertext at once.
  package init(_ engine: TLSEngine, writeBytes: Int = TLSSession.writeBytes) {
    self.engine = engine
    self.writeBytes = writeBytes
  }

  /// Why it cannot go on; nil: it can.
  package var fault: TLSFault? { engine.fault }

  // MARK: Writing

  /// Some of what was taken is still to be handed on: nothing more is taken until that is done.
  package func isWriting(over carrier: some TLSCarrier) -> Bool {
    carrier.isWriting || !engine.output.isEmpty
  }

  /// Returns how many bytes were taken. When it is not all, the carrier's becoming writable or a fault follows.
  package func write(
    _ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, over carrier: some TLSCarrier
  ) -> Int {
    guard engine.isSecured, !engine.hasEnded else { return 0 }
    var taken = 0
    while !isWriting(over: carrier) {
      let count = unsafe engine.write(chunks, from: taken, limit: writeBytes)
      taken += count
      flush(over: carrier)
      if count < writeBytes { break }
    }
    return taken
  }

  /// Hands ciphertext on, as much as the carrier takes.
  package func flush(over carrier: some TLSCarrier) {
    guard !engine.output.isEmpty else { return }
    hasSpoken = true
    guard !carrier.isWriting else { return }
    let taken = carrier.write(engine.output)
    if taken == engine.output.count {
      engine.output.removeAll(keepingCapacity: true)
    } else {
      engine.output.removeFirst(taken)
    }
  }

  /// The carrier takes more. Returns whether plaintext is taken again.
  package func becameWritable(over carrier: some TLSCarrier) -> Bool {
    flush(over: carrier)
    guard !isWriting(over: carrier) else { return false }
    guard engine.hasEnded else { return engine.isSecured }
    carrier.shutdown()
    return false
  }

  /// Whether it was ended, and the carrier has taken all that was said before.
  package func hasLeft(over carrier: some TLSCarrier) -> Bool {
    engine.hasEnded && !isWriting(over: carrier)
  }

  // MARK: Reading

  /// What came of some ciphertext.
  package struct Progress {
    /// How many bytes of plaintext there are.
    package let plaintextBytes: Int
    /// It was work on the handshake, which costs much.
    package let wasHandshake: Bool
    /// The handshake is over since just now.
    package let isSecured: Bool
  }

  /// Takes the first `count` of some bytes of the peer's, as the engine does, and says what it has to say to them.
  package func receive(
    _ ciphertext: Span<UInt8>, count: Int, into plaintext: inout [UInt8], slackBytes: Int,
    over carrier: some TLSCarrier
  ) -> Progress {
    let wasSecured = engine.isSecured
    let taken = engine.receive(ciphertext, count: count, into: &plaintext, slackBytes: slackBytes)
    flush(over: carrier)
    return Progress(
      plaintextBytes: taken, wasHandshake: !wasSecured, isSecured: engine.isSecured && !wasSecured)
  }

  /// The carrier has brought its last byte.
  package func inputEnded() { engine.inputEnded() }

  /// Whether the peer has said that it sends no more: told once, behind all that it has said before.
  package func takeEnd() -> Bool {
    guard engine.peerHasEnded, !hasToldEnd else { return false }
    hasToldEnd = true
    return true
  }

  // MARK: Its end

  /// Says that nothing more will be written; what the peer still says is heard.
  package func end(over carrier: some TLSCarrier) {
    engine.end()
    flush(over: carrier)
    if engine.output.isEmpty { carrier.shutdown() }
  }

  /// The same for good. Returns what is to be said last, behind all that the carrier has taken.
  package func release(over carrier: some TLSCarrier) -> [UInt8] {
    engine.end()
    flush(over: carrier)
    return engine.output
  }
}

@available(*, unavailable)
extension TLSSession: Sendable {}
