package import Addresses
package import LibUV
import TLS
package import TLSStreams

/// One try to connect under TLS, from the name to the end of the handshake or an error.
package final class SecureAttempt {
  private let terms: TLSTerms
  private let loop: EventLoop
  private var onResult: ((Result<TLSStream, TLSStreamFault>) -> Void)?
  private var attempt: ConnectAttempt?
  private var stream: TLSStream?

  /// - Parameter then: called once, never from within this call, unless the attempt is cancelled first.
  package init(
    to address: SocketAddress, _ terms: TLSTerms, on loop: EventLoop,
    then: @escaping (Result<TLSStream, TLSStreamFault>) -> Void
  ) {
    self.terms = terms
    self.loop = loop
    onResult = then
    attempt = ByteStream.connect(to: address, on: loop) { [self] result in
      attempt = nil
      switch result {
      case .success(let stream): greet(stream)
      case .failure(let error): finish(.failure(.connection(error)))
      }
    }
  }

  /// Gives up; the result is not heard any more.
  package func cancel() {
    onResult = nil
    attempt?.cancel()
    attempt = nil
    stream?.close()
    stream = nil
  }

  private func greet(_ stream: ByteStream) {
    do throws(TLSFault) {
      let engine = try TLSEngine(client: terms.context, to: terms.name)
      let secure = TLSStream(stream, engine, terms.scratch, on: loop)
      self.stream = secure
      secure.delegate = self
      secure.start()
    } catch {
      stream.close()
      finish(.failure(.tls(error)))
    }
  }

  private func finish(_ result: Result<TLSStream, TLSStreamFault>) {
    let onResult = onResult
    self.onResult = nil
    stream = nil
    onResult?(result)
  }

  private func fail(_ reason: TLSStreamFault) {
    stream?.close()
    finish(.failure(reason))
  }
}

extension SecureAttempt: TLSStreamDelegate {
  /// Whoever gets the stream is its delegate from now on.
  package func streamSecured(_ stream: TLSStream) { finish(.success(stream)) }

  package func stream(_ stream: TLSStream, received bytes: Span<UInt8>, count: Int) {}

  package func streamEnded(_ stream: TLSStream) {
    fail(.tls(TLSFault(.handshake, "the peer ended the connection")))
  }

  package func stream(_ stream: TLSStream, failed reason: TLSStreamFault) { fail(reason) }
  package func streamBecameWritable(_ stream: TLSStream) {}
}

@available(*, unavailable)
extension SecureAttempt: Sendable {}
