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
  /// Those that came first are first.
  private var goodbyes: [HTTPTransfer] = []

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
    let listener = HTTPCalls.Listener { [unowned self] transfer, _ in goodbyes.removeAll { $0 === transfer } }
    if let transfer = calls.begin(request, to: endpoint, bounds, listener) { goodbyes.append(transfer) }
  }
}

@available(*, unavailable)
extension MCPServer: Sendable {}
#endif
