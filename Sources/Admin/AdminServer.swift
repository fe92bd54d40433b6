package import LibUV

/// The admin listener on its loop: who is connected, what their requests are answered with, and who takes too long.
package final class AdminServer {
  static let retrySeconds = 5

  private(set) var options: AdminOptions
  private var access: AdminAccess
  private var routes = AdminRoutes()
  private let loop: EventLoop
  private var listener: Listener?
  private var timer: PreciseTimer?
  private var armedMilliseconds = UInt64.max
  private var connections: [ObjectIdentifier: AdminConnection] = [:]

  /// Starts to listen. The file of a Unix socket is for its owner alone.
  package init(
    _ options: AdminOptions, on loop: EventLoop, onAcceptFailure: @escaping (UVError) -> Void = { _ in }
  ) throws(UVError) {
    self.options = options
    self.loop = loop
    access = AdminAccess(options)
    let listener = try Listener(on: loop, address: options.address, isPrivate: true) { [unowned self] in
      accept($0)
    }
    listener.onAcceptFailure = onAcceptFailure
    self.listener = listener
    do throws(UVError) {
      timer = try PreciseTimer(on: loop) { [unowned self] in timerFired() }
    } catch {
      listener.close()
      throw error
    }
  }

  /// Where it listens, with the port that the kernel gave.
  package var address: SocketAddress { listener?.address ?? options.address }

  /// As `http://127.0.0.1:9000/`, or the socket's path.
  package var name: String {
    if case .unix = address { "\(address)" } else { "http://\(address)/" }
  }

  package var connectionCount: Int { connections.count }
  package var streamCount: Int { connections.values.count { $0.isStreaming } }

  // MARK: What there is

  /// - Parameter handler: answers at once; called on the loop, only for those who may ask.
  package func add(_ path: String, _ handler: @escaping (HTTPRequest) -> HTTPResponse) {
    routes.add(path, .page(handler))
  }

  /// - Parameter onStream: is given each reader, and keeps it as long as there are events for it.
  package func addStream(_ path: String, _ onStream: @escaping (HTTPRequest, EventStream) -> Void) {
    routes.add(path, .events(onStream))
  }

  /// New hosts and bounds for what comes from now on; the address stays.
  package func reconfigure(_ options: AdminOptions) {
    let address = self.options.address
    self.options = options
    self.options.address = address
    access = AdminAccess(self.options)
  }

  /// Ends everything at once, streams too.
  package func close() {
    listener?.close()
    listener = nil
    for connection in connections.values { connection.close() }
    timer?.close()
    timer = nil
    // They may hold whoever holds the server.
    routes = AdminRoutes()
  }

  // MARK: Connections

  private func accept(_ stream: ByteStream) {
    let refusedCount = connections.values.count { $0.isRefused }
    let isRefused = connections.count - refusedCount >= options.connections
    // Those who only hear that there are too many are not without bound, either.
    guard !isRefused || refusedCount < options.connections else { return stream.close() }
    let connection = AdminConnection(stream, isRefused: isRefused, of: self)
    connections[ObjectIdentifier(connection)] = connection
    if isRefused { connection.turnAway(.tooMany("connections", retrySeconds: Self.retrySeconds)) }
    arm(for: connection)
  }

  func forget(_ connection: AdminConnection) {
    connections[ObjectIdentifier(connection)] = nil
    guard connections.isEmpty else { return }
    armedMilliseconds = .max
    timer?.stop()
  }

  func answer(_ request: HTTPRequest, over connection: AdminConnection) {
    var response: HTTPResponse
    if let fault = access.fault(of: request) {
      response = .fault(fault)
    } else {
      switch routes.answer(to: request.path) {
      case .page(let handler): response = handler(request)
      case .events(let onStream):
        guard streamCount >= options.streams || request.isHead else {
          return onStream(request, connection.beginStream())
        }
        response =
          request.isHead
          ? HTTPResponse(type: "text/event-stream", [])
          : .tooMany("streams", retrySeconds: Self.retrySeconds)
      case nil: response = routes.notFound()
      }
    }
    connection.answer(response, isHead: request.isHead, keepsConnection: request.keepsConnection)
  }

  // MARK: Time

  var nowMilliseconds: UInt64 { loop.nowMilliseconds }

  /// The timer is moved forward only: where it goes off too early, it is set anew.
  func arm(for connection: AdminConnection) {
    guard let due = connection.dueMilliseconds, due < armedMilliseconds,
      connections[ObjectIdentifier(connection)] != nil
    else { return }
    armedMilliseconds = due
    timer?.start(atMilliseconds: due)
  }

  private func timerFired() {
    armedMilliseconds = .max
    for connection in connections.values {
      if let due = connection.dueMilliseconds, due <= nowMilliseconds { connection.expired() }
      arm(for: connection)
    }
  }
}

@available(*, unavailable)
extension AdminServer: Sendable {}
