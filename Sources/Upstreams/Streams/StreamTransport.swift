package import Addresses
package import GatewayCore
import HotData
package import LibUV

/// An upstream behind a TCP or Unix socket.
package final class StreamTransport: ByteTransport {
  package let id: UpstreamID
  private let heldDelegate = InPlace<(any UpstreamTransportDelegate)?>(nil)
  package var delegate: (any UpstreamTransportDelegate)? {
    get { heldDelegate.value }
    set { heldDelegate.value = newValue }
  }
  private let address: SocketAddress
  private let keepAlive: KeepAlive?
  private let loop: EventLoop
  private var attempt: ConnectAttempt?
  private var watch: SilenceWatch?
  private let openStream = InPlace<OpenStream?>(nil)
  private var stream: ByteStream? {
    get { openStream.value?.stream }
    set { openStream.value = newValue.map { OpenStream($0) } }
  }
  package private(set) var hasEndedWell = false
  /// A server may still work on a notification after it has closed the connection.
  package let endsWithItsWork = false

  /// - Parameter keepAlive: of a TCP connection; nil: an upstream that vanishes is never missed.
  package init(
    _ id: UpstreamID, to address: SocketAddress, keepAlive: KeepAlive? = nil, on loop: EventLoop
  ) {
    self.id = id
    self.address = address
    self.keepAlive = keepAlive
    self.loop = loop
  }

  package var name: String { address.description }

  package func connect() {
    attempt = ByteStream.connect(to: address, keepAlive: keepAlive, on: loop) { [self] result in
      attempt = nil
      switch result {
      case .success(let stream): connected(stream)
      case .failure(let error): delegate?.transport(id, disconnected: error.description)
      }
    }
  }

  private func connected(_ stream: ByteStream) {
    self.stream = stream
    stream.delegate = self
    stream.startReading()
    beginToWatch(stream)
    delegate?.transportConnected(id)
  }

  package func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    unsafe openStream.value?.write(chunks) ?? 0
  }

  package func setReading(_ isReading: Bool) {
    if isReading { stream?.startReading() } else { stream?.stopReading() }
  }

  package func end() { stream?.shutdown() }
  package var isWriting: Bool { stream?.isWriting ?? false }

  package func disconnect() {
    attempt?.cancel()
    attempt = nil
    watch?.close()
    watch = nil
    stream?.close()
    stream = nil
  }

  package func reset() {
    watch?.close()
    watch = nil
    stream?.reset()
    stream = nil
  }

  private func beginToWatch(_ stream: ByteStream) {
    watch = SilenceWatch(of: stream, keepAlive, on: loop) { [unowned self] in
      lost(UVError.timedOut.description)
    }
  }

  private func lost(_ reason: String) {
    disconnect()
    delegate?.transport(id, disconnected: reason)
  }
}

extension StreamTransport: ByteStreamDelegate {
  package func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    heldDelegate.value?.transport(id, received: bytes, count: count)
  }

  /// An upstream that ends its side sends no more answers.
  package func streamEnded(_ stream: ByteStream) {
    hasEndedWell = !stream.isWriting
    lost("closed by upstream")
  }

  package func stream(_ stream: ByteStream, failed error: UVError) { lost(error.description) }
  package func streamBecameWritable(_ stream: ByteStream) { delegate?.transportBecameWritable(id) }
}

@available(*, unavailable)
extension StreamTransport: Sendable {}
