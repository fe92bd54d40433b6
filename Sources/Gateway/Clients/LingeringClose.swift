import GatewayCore
import LibUV

/// Closes one socket so that its peer can read all that was sent to it.
///
/// When a socket is closed while bytes of its peer lie unread, the kernel sends a reset, and that may overtake what was
/// sent last. So our side ends first; what the peer still sends is read and thrown away; the socket is closed when the
/// peer has closed its side, too, or has had time enough.
final class LingeringClose: ByteStreamDelegate {
  /// How much a peer gets before its connection is closed whatever it does.
  struct Limits {
    /// How long its side may stay open once all has been sent.
    var openMilliseconds: UInt64 = 1_000
    /// How long what was sent last is kept where the peer reads slowly: the kernel has not taken all of it.
    var unsentMilliseconds: UInt64 = 10_000
    /// How much more it may send.
    var discardedBytes = 16 * 1024 * 1024
  }

  let number: UInt64
  private let stream: ByteStream
  private let limits: Limits
  private var timer: LoopTimer?
  /// The bytes to send once all that was taken has left.
  private var lastWords: [UInt8]
  private var discardedByteCount = 0
  /// Where it counts until all has been sent.
  private var owner: LingeringCloses?

  fileprivate init(
    _ number: UInt64, of stream: ByteStream, _ limits: Limits, lastWords: [UInt8], owner: LingeringCloses
  ) {
    self.number = number
    self.stream = stream
    self.limits = limits
    self.lastWords = lastWords
    self.owner = owner
  }

  fileprivate func begin(on loop: EventLoop) {
    stream.delegate = self
    stream.reader = .nobody
    stream.startReading()
    sayLastWords()
    timer = LoopTimer(on: loop) { self.end() }
    timer?.start(afterMilliseconds: stream.isWriting ? limits.unsentMilliseconds : limits.openMilliseconds)
  }

  /// Ends our side once they are said.
  private func sayLastWords() {
    if !lastWords.isEmpty { lastWords.removeFirst(stream.write(lastWords)) }
    if lastWords.isEmpty { stream.shutdown() }
  }

  /// How much it has still to be sent.
  var byteCount: Int { stream.inFlightByteCount + lastWords.count }

  fileprivate func end() {
    allIsSent()
    timer?.close()
    timer = nil
    stream.close()
  }

  private func allIsSent() {
    owner?.forget(self)
    owner = nil
  }

  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    discardedByteCount += count
    if discardedByteCount > limits.discardedBytes { end() }
  }

  func streamEnded(_ stream: ByteStream) {
    if !stream.isWriting { end() }
  }

  func stream(_ stream: ByteStream, failed error: UVError) { end() }

  func streamBecameWritable(_ stream: ByteStream) {
    if !lastWords.isEmpty { sayLastWords() }
    if stream.isWriting { return }
    allIsSent()
    if stream.hasEnded { return end() }
    timer?.start(afterMilliseconds: limits.openMilliseconds)
  }
}

/// Closes sockets, and knows which of them have still something to be sent.
final class LingeringCloses {
  private let loop: EventLoop
  private let limits: LingeringClose.Limits
  private var unsent: [UInt64: LingeringClose] = [:]
  private var count: UInt64 = 0
  /// The process is about to end: nobody is waited for longer than if all had been sent.
  var areLast = false

  init(on loop: EventLoop, _ limits: LingeringClose.Limits = LingeringClose.Limits()) {
    self.loop = loop
    self.limits = limits
  }

  /// Takes a socket over, to close it.
  /// - Parameter lastWords: what is to be sent behind what it has taken.
  func close(_ stream: ByteStream, lastWords: [UInt8] = []) {
    let spoken = stream.isWriting || lastWords.isEmpty ? 0 : stream.write(lastWords)
    let lastWords = Array(lastWords[spoken...])
    // A peer that has ended has nothing unread here.
    if stream.hasEnded && !stream.isWriting { return stream.close() }
    var limits = limits
    if areLast { limits.unsentMilliseconds = limits.openMilliseconds }
    count += 1
    let close = LingeringClose(count, of: stream, limits, lastWords: lastWords, owner: self)
    if stream.isWriting { unsent[count] = close }
    close.begin(on: loop)
  }

  /// Connections that still have something to send, in no order.
  var departing: [DepartingConnection] {
    unsent.values.map { DepartingConnection(number: $0.number, byteCount: $0.byteCount) }
  }

  /// Closes one of them at once; nothing happens when it is none any more.
  func drop(_ connection: DepartingConnection) { unsent[connection.number]?.end() }

  fileprivate func forget(_ close: LingeringClose) { unsent[close.number] = nil }
}

@available(*, unavailable)
extension LingeringClose: Sendable {}

@available(*, unavailable)
extension LingeringCloses: Sendable {}
