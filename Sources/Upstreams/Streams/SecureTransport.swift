package import Addresses
package import GatewayCore
package import LibUV
import TLS
package import TLSStreams

/// An upstream under TLS, whose certificate is always verified.
package final class SecureTransport: ByteTransport {
  package let id: UpstreamID
  package var delegate: (any UpstreamTransportDelegate)?
  private let address: SocketAddress
  private let outfit: TLSOutfit
  private let keepAlive: KeepAlive?
  private let loop: EventLoop
  private var attempt: ConnectAttempt?
  private var watch: SilenceWatch?
  private var stream: TLSStream?
  package private(set) var hasEndedWell = false
  /// A server may still work on a notification after it has closed the connection.
  package let endsWithItsWork = false

  /// - Parameter keepAlive: nil: an upstream that vanishes is never missed.
  package init(
    _ id: UpstreamID, to address: SocketAddress, _ outfit: TLSOutfit, keepAlive: KeepAlive?,
    on loop: EventLoop
  ) {
    self.id = id
    self.address = address
    self.outfit = outfit
    self.keepAlive = keepAlive
    self.loop = loop
  }

  package var name: String { "tls:\(address)" }

  package func connect() {
    attempt = ByteStream.connect(to: address, keepAlive: keepAlive, on: loop) { [self] result in
      attempt = nil
      switch result {
      case .success(let stream): greet(stream)
      case .failure(let error): delegate?.transport(id, disconnected: error.description)
      }
    }
  }

  private func greet(_ stream: ByteStream) {
    do throws(TLSFault) {
      let engine = try TLSEngine(client: outfit.context, to: serverName)
      let secure = TLSStream(stream, engine, outfit.scratch, on: loop)
      self.stream = secure
      secure.delegate = self
      beginToWatch(stream)
      secure.start()
    } catch {
      stream.close()
      delegate?.transport(id, disconnected: "TLS: \(error)")
    }
  }

  private var serverName: String { outfit.serverName ?? address.host ?? "" }

  package func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    unsafe stream?.write(chunks) ?? 0
  }

  package func setReading(_ isReading: Bool) {
    if isReading { stream?.stream.startReading() } else { stream?.stream.stopReading() }
  }

  package func end() { stream?.end() }
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

extension SecureTransport: TLSStreamDelegate {
  package func streamSecured(_ stream: TLSStream) { delegate?.transportConnected(id) }

  package func stream(_ stream: TLSStream, received bytes: Span<UInt8>, count: Int) {
    delegate?.transport(id, received: bytes, count: count)
  }

  /// An upstream that ends its side sends no more answers.
  package func streamEnded(_ stream: TLSStream) {
    hasEndedWell = !stream.isWriting
    lost("closed by upstream")
  }

  package func stream(_ stream: TLSStream, failed reason: TLSStreamFault) { lost(reason.description) }
  package func streamBecameWritable(_ stream: TLSStream) { delegate?.transportBecameWritable(id) }
}

@available(*, unavailable)
extension SecureTransport: Sendable {}
