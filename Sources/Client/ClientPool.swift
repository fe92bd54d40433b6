package import Addresses
package import LibUV
package import TLSStreams

/// The client connections of one loop: opens them, and flushes those that have something to send once a turn.
package final class ClientPool {
  var dirty: [ClientConnection] = []
  private let loop: EventLoop
  private var turnEnd: EventLoop.TurnEnd?

  package init(on loop: EventLoop) {
    self.loop = loop
    turnEnd = loop.addTurnEnd { [unowned self] in self.flush() }
  }

  /// `then` is called once, on the loop, and not from within this call.
  @discardableResult
  package func connect(
    to address: SocketAddress, then: @escaping (Result<ClientConnection, UVError>) -> Void
  ) -> ConnectAttempt {
    ByteStream.connect(to: address, on: loop) { [self] result in
      switch result {
      case .success(let stream): then(.success(ClientConnection(stream, self)))
      case .failure(let error): then(.failure(error))
      }
    }
  }

  /// The same under TLS.
  package func connect(
    to address: SocketAddress, _ terms: TLSTerms,
    then: @escaping (Result<ClientConnection, TLSStreamFault>) -> Void
  ) -> SecureAttempt {
    SecureAttempt(to: address, terms, on: loop) { [self] result in
      then(result.map { ClientConnection($0, self) })
    }
  }

  /// Speaks over a connection that was accepted as over one of its own: the wire is the same from both ends.
  package func adopt(_ stream: ByteStream) -> ClientConnection { ClientConnection(stream, self) }

  /// To be called once all connections are closed.
  package func close() {
    turnEnd.map(loop.removeTurnEnd)
    turnEnd = nil
  }

  /// Writes the pending output, for programs that send at the very end of a turn.
  package func flush() {
    while let connection = dirty.popLast() { connection.flush() }
  }
}

@available(*, unavailable)
extension ClientPool: Sendable {}
