/// Tells when a TCP peer has acknowledged nothing of what was sent to it for as long as `KeepAlive` lets one be silent.
///
/// The kernel does not ask a peer while something is unacknowledged, but sends that again, for a quarter of an hour.
/// `TCP_USER_TIMEOUT` would end that sooner, and also connections to peers that are there and only read nothing.
package final class SilenceWatch {
  private static let tickMilliseconds: UInt64 = 10_000

  private let stream: ByteStream
  private let limitMilliseconds: UInt64
  private let tickMilliseconds: UInt64
  private let onSilence: () -> Void
  private var timer: LoopTimer?

  /// Watches until `close()`, which goes before the stream's own.
  /// - Parameter onSilence: called once, from the loop.
  /// - Returns: nil if the peer is never asked, or speaks no TCP.
  package convenience init?(
    of stream: ByteStream, _ keepAlive: KeepAlive?, on loop: EventLoop, onSilence: @escaping () -> Void
  ) {
    guard let keepAlive, stream.kind == .tcp else { return nil }
    self.init(
      of: stream, limitMilliseconds: keepAlive.silenceMilliseconds,
      tickMilliseconds: Self.tickMilliseconds, on: loop, onSilence: onSilence)
  }

  init(
    of stream: ByteStream, limitMilliseconds: UInt64, tickMilliseconds: UInt64, on loop: EventLoop,
    onSilence: @escaping () -> Void
  ) {
    self.stream = stream
    self.limitMilliseconds = limitMilliseconds
    self.tickMilliseconds = tickMilliseconds
    self.onSilence = onSilence
    timer = LoopTimer(on: loop) { [unowned self] in look() }
    timer?.start(afterMilliseconds: tickMilliseconds)
  }

  package func close() {
    timer?.close()
    timer = nil
  }

  private func look() {
    guard stream.unacknowledgedMilliseconds >= limitMilliseconds else {
      timer?.start(afterMilliseconds: tickMilliseconds)
      return
    }
    close()
    onSilence()
  }
}

@available(*, unavailable)
extension SilenceWatch: Sendable {}
