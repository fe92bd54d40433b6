import JSONRPC
package import LibUV
package import TLSStreams

/// Finds messages in what comes over a connection where they are no lines.
package protocol ClientFraming: AnyObject {
  /// Bytes came. Each message in them goes to `deliver`, and what is none ends the connection with `fail`.
  /// - Parameter count: so many of the bytes; slack follows them.
  func connection(_ connection: ClientConnection, receivedBytes bytes: Span<UInt8>, count: Int)
}

/// One JSON-RPC conversation as its client: lines out, coalesced to one write a loop turn, and lines in.
package final class ClientConnection {
  /// A peer that leaves more than this unread is given up.
  package static let outputLimitBytes = 512 * 1024 * 1024

  /// The owner's own number for it.
  package var token = 0
  package var delegate: (any ClientConnectionDelegate)?
  /// What is still to be sent; append to it, then call `sendSoon`.
  package var output: [UInt8] = []
  /// nil: each line is a message.
  package var framing: (any ClientFraming)?
  private let carrier: Carrier
  private unowned let pool: ClientPool
  private var framer = LineFramer(limitBytes: 64 * 1024 * 1024)
  private var isDirty = false
  package private(set) var isClosed = false

  /// What leads to the gateway.
  private enum Carrier {
    case plain(ByteStream)
    case secure(TLSStream)
  }

  init(_ stream: ByteStream, _ pool: ClientPool) {
    carrier = .plain(stream)
    self.pool = pool
    stream.delegate = self
    stream.startReading()
  }

  /// Over a stream whose handshake is over.
  init(_ stream: TLSStream, _ pool: ClientPool) {
    carrier = .secure(stream)
    self.pool = pool
    stream.delegate = self
  }

  /// To be called after appending to `output`: it leaves at the end of this turn.
  package func sendSoon() {
    guard !isDirty, !isClosed else { return }
    isDirty = true
    pool.dirty.append(self)
  }

  func flush() {
    isDirty = false
    guard !isClosed, !output.isEmpty else { return }
    let accepted = write(output)
    if accepted == output.count {
      output.removeAll(keepingCapacity: true)
    } else {
      output.removeFirst(accepted)
      if output.count > Self.outputLimitBytes { lost("the peer does not read") }
    }
  }

  private func write(_ bytes: [UInt8]) -> Int {
    switch carrier {
    case .plain(let stream): stream.write(bytes)
    case .secure(let stream): stream.write(bytes)
    }
  }

  /// No more will be sent; answers still come.
  package func end() {
    flush()
    switch carrier {
    case .plain(let stream): stream.shutdown()
    case .secure(let stream): stream.end()
    }
  }

  package func close() {
    guard !isClosed else { return }
    isClosed = true
    delegate = nil
    switch carrier {
    case .plain(let stream): stream.close()
    case .secure(let stream): stream.close()
    }
    output = []
  }

  /// Ends it with a reset, as a crash would.
  package func reset() {
    guard !isClosed else { return }
    isClosed = true
    delegate = nil
    switch carrier {
    case .plain(let stream): stream.reset()
    case .secure(let stream): stream.reset()
    }
    output = []
  }

  private func lost(_ reason: String) {
    let delegate = delegate
    close()
    delegate?.connection(self, closed: reason)
  }

  /// Ends it, and tells the delegate why.
  package func fail(_ reason: String) {
    if !isClosed { lost(reason) }
  }

  /// Hands a message on that a framing has found.
  /// - Parameter message: its range in `bytes`; `JSONText.slackByteCount` bytes follow it there.
  package func deliver(_ bytes: Span<UInt8>, _ message: Range<Int>) {
    guard !isClosed else { return }
    var envelope = Envelope()
    guard EnvelopeScanner.scan(bytes, message, into: &envelope) == .message else {
      return lost("the peer sent no JSON-RPC")
    }
    delegate?.connection(self, received: envelope, in: bytes, message: message)
  }
}

extension ClientConnection: ByteStreamDelegate {
  package func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    received(bytes, count: count)
  }

  private func received(_ bytes: Span<UInt8>, count: Int) {
    if let framing { return framing.connection(self, receivedBytes: bytes, count: count) }
    var offset = 0
    while !isClosed {
      switch framer.next(in: bytes, count: count, from: &offset) {
      case .incomplete:
        return
      case .inPlace(let line):
        deliver(bytes, line)
      case .assembled:
        let line = framer.takeAssembled()
        line.withSpan { deliver($0, line.range) }
        framer.recycle(line)
      case .tooLong:
        lost("the peer sent a line that is too long")
      }
    }
  }

  package func streamEnded(_ stream: ByteStream) { lost("closed by the peer") }
  package func stream(_ stream: ByteStream, failed error: UVError) { lost(error.description) }
  package func streamBecameWritable(_ stream: ByteStream) { flush() }
}

extension ClientConnection: TLSStreamDelegate {
  package func streamSecured(_ stream: TLSStream) {}

  package func stream(_ stream: TLSStream, received bytes: Span<UInt8>, count: Int) {
    received(bytes, count: count)
  }

  package func streamEnded(_ stream: TLSStream) { lost("closed by the peer") }
  package func stream(_ stream: TLSStream, failed reason: TLSStreamFault) { lost(reason.description) }
  package func streamBecameWritable(_ stream: TLSStream) { flush() }
}

@available(*, unavailable)
extension ClientConnection: Sendable {}
