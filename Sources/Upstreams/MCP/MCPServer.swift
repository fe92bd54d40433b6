#if HTTPUpstreams
package import LibUV

/// A server of the Model Context Protocol behind a URL, shared by all sessions with it: its connections, and the
/// goodbyes of sessions that are over. A goodbye is the last request of a session.
package final class MCPServer {
  /// How long a goodbye may take, and how many may be on their way.
  static let goodbyeMilliseconds: UInt64 = 2_000
  static let goodbyeLimit = 64

  let endpoint: HTTPEndpoint
  let bounds: TransportBounds
  let calls: HTTPCalls
  private let loop: EventLoop
  /// The goodbyes on their way, oldest first.
  private var goodbyes: [HTTPTransfer] = []
  private var isClosing = false

  package init(at endpoint: HTTPEndpoint, _ bounds: TransportBounds, on loop: EventLoop) {
    self.endpoint = endpoint
    self.bounds = bounds
    self.loop = loop
    calls = HTTPCalls(connections: endpoint.connections, on: loop)
  }

  /// Sends a goodbye. Its outcome is ignored.
  func takeLeave(_ message: [UInt8], _ fields: [String], by method: HTTPRequestMethod) {
    if goodbyes.count == Self.goodbyeLimit { calls.end(goodbyes.removeFirst()) }
    var request = HTTPRequest(message, deadline: loop.nowMilliseconds + Self.goodbyeMilliseconds)
    request.method = method
    request.fields = fields
    // This object is kept until the last goodbye has ended.
    let listener = HTTPCalls.Listener { [self] transfer, _ in
      goodbyes.removeAll { $0 === transfer }
      closeIfSaid()
    }
    if let transfer = calls.begin(request, to: endpoint, bounds, listener) { goodbyes.append(transfer) }
  }
}

extension MCPServer {
  /// Sends no more requests, and closes once all goodbyes have ended or have taken too long.
  package func close() {
    isClosing = true
    closeIfSaid()
  }

  private func closeIfSaid() {
    if isClosing && goodbyes.isEmpty { calls.close() }
  }
}

@available(*, unavailable)
extension MCPServer: Sendable {}
#endif
