package import Addresses
package import LibUV

/// Serves Swift code over a socket of its own, without a gateway: one session per connection.
package final class HandlerServer {
  /// Further connections are closed at once.
  package static let connectionLimit = 1_000

  /// With the port that the kernel gave.
  package private(set) var address: SocketAddress

  private let handler: any RequestHandler
  private let loop: EventLoop
  private var listener: Listener?
  private var connections: [ObjectIdentifier: HandlerConnection] = [:]

  package init(_ handler: any RequestHandler, on loop: EventLoop, address: SocketAddress) throws(UVError) {
    self.handler = handler
    self.loop = loop
    self.address = address
    let listener = try Listener(on: loop, address: address) { [unowned self] in self.accept($0) }
    self.listener = listener
    self.address = listener.address
  }

  /// Whether every request has been answered.
  package var isQuiet: Bool { connections.values.allSatisfy(\.isQuiet) }

  /// Accepts no more connections, and ends every session: running requests are cancelled.
  package func close() {
    listener?.close()
    listener = nil
    for connection in connections.values { connection.close() }
    connections = [:]
  }

  private func accept(_ stream: ByteStream) {
    guard connections.count < Self.connectionLimit else { return stream.close() }
    do throws(UVError) {
      let connection = try HandlerConnection(stream, handler, on: loop) { [unowned self] in
        connections[ObjectIdentifier($0)] = nil
      }
      connections[ObjectIdentifier(connection)] = connection
    } catch {
      stream.close()
    }
  }
}

@available(*, unavailable)
extension HandlerServer: Sendable {}
