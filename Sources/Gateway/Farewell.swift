import GatewayCore
import LibUV

/// Closes a connection so that the peer can read what was last sent to it.
///
/// Closing a socket while bytes of the peer lie unread makes the kernel send a reset, which may overtake our
/// last answer. So: FIN first, read and forget what still comes, close when the peer closes, or after a while.
final class Farewell: ByteStreamDelegate {
  static let patienceMilliseconds: UInt64 = 1_000
  /// How long the last bytes are kept for a peer that reads slowly: the kernel has not taken them all.
  static let slowReaderMilliseconds: UInt64 = 10_000
  /// How much is read and forgotten of a peer that goes on sending.
  static let forgottenBytes = 16 * 1024 * 1024

  private let stream: ByteStream
  private var timer: LoopTimer?
  private var forgottenByteCount = 0
  /// Those that are still sent their last bytes, this one among them.
  private var others: Farewells?
  let number: UInt64

  fileprivate init(_ number: UInt64, to stream: ByteStream, among others: Farewells?) {
    self.number = number
    self.stream = stream
    self.others = others
  }

  fileprivate func begin(on loop: EventLoop, slowReaderMilliseconds: UInt64) {
    stream.delegate = self
    stream.startReading()
    stream.shutdown()
    timer = LoopTimer(on: loop) { self.end() }
    timer?.start(
      afterMilliseconds: stream.isWriting ? slowReaderMilliseconds : Self.patienceMilliseconds)
  }

  /// How much it has still to be sent.
  var byteCount: Int { stream.inFlightByteCount }

  fileprivate func end() {
    isSent()
    timer?.close()
    timer = nil
    stream.close()
  }

  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    forgottenByteCount += count
    if forgottenByteCount > Self.forgottenBytes { end() }
  }

  func streamEnded(_ stream: ByteStream) {
    if !stream.isWriting { end() }
  }

  func stream(_ stream: ByteStream, failed error: UVError) { end() }

  /// It holds nothing for its peer any more.
  private func isSent() {
    others?.forget(self)
    others = nil
  }

  func streamBecameWritable(_ stream: ByteStream) {
    isSent()
    if stream.hasEnded { return end() }
    timer?.start(afterMilliseconds: Self.patienceMilliseconds)
  }
}

/// The connections that are closed, and which of them are still sent their last bytes.
final class Farewells {
  private var writing: [UInt64: Farewell] = [:]
  private var count: UInt64 = 0

  func say(
    to stream: ByteStream, on loop: EventLoop,
    slowReaderMilliseconds: UInt64 = Farewell.slowReaderMilliseconds
  ) {
    // A peer that has ended has nothing unread here.
    if stream.hasEnded && !stream.isWriting { return stream.close() }
    count += 1
    let farewell = Farewell(count, to: stream, among: stream.isWriting ? self : nil)
    if stream.isWriting { writing[count] = farewell }
    farewell.begin(on: loop, slowReaderMilliseconds: slowReaderMilliseconds)
  }

  /// In no order.
  var departing: [DepartingConnection] {
    writing.values.map { DepartingConnection(number: $0.number, byteCount: $0.byteCount) }
  }

  func drop(_ connection: DepartingConnection) { writing[connection.number]?.end() }

  fileprivate func forget(_ farewell: Farewell) { writing[farewell.number] = nil }
}

@available(*, unavailable)
extension Farewell: Sendable {}

@available(*, unavailable)
extension Farewells: Sendable {}
