#if HTTPUpstreams
package import LibUV

/// A server of the Model Context Protocol behind a URL, as all sessions with it share it: its connections, and the
/// goodbyes of sessions that are over.
package final class MCPServer {
  /// How long a server has to take a goodbye, and how many may be on their way.
  static let goodbyeMilliseconds: UInt64 = 2_000
  static let goodbyeLimit = 64

  let endpoint: HTTPEndpoint
  let bounds: TransportBounds
  let calls: HTTPCalls
  private let loop: EventLoop
  /// In the order in which they came.
  private var goodbyes: [HTTPTransfer] = []
  private var isClosing = false

  package init(at endpoint: HTTPEndpoint, _ bounds: TransportBounds, on loop: EventLoop) {
    self.endpoint = endpoint
    self.bounds = bounds
    self.loop = loop
    calls = HTTPCalls(connections: endpoint.connections, on: loop)
  }

  /// Sends what is said last: nobody waits for what comes of it.
  func takeLeave(_ message: [UInt8], _ fields: [String], by method: HTTPRequestMethod) {
    if goodbyes.count == Self.goodbyeLimit { calls.end(goodbyes.removeFirst()) }
    var request = HTTPRequest(message, deadline: loop.nowMilliseconds + Self.goodbyeMilliseconds)
    request.method = method
    request.fields = fields
    // It is kept until the last of them has ended.
    let listener = HTTPCalls.Listener { [self] transfer, _ in
      goodbyes.removeAll { $0 === transfer }
      closeIfSaid()
    }
    if let transfer = calls.begin(request, to: endpoint, bounds, listener) { goodbyes.append(transfer) }
  }
}

extension MCPServer {
  /// Nothing more is asked of it, and it closes once all goodbyes have been taken, or have taken too long.
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
