package import Addresses
import HTTP1
package import LibUV

/// The admin listener on its loop: its connections, the answers to their requests, and their timeouts.
package final class AdminServer {
  static let retrySeconds = 5
  /// Fewer than there may be connections: those of one turn can send requests before those of the next take their
  /// places.
  static let acceptsPerTurn = 8

  private(set) var options: AdminOptions
  private var access: AdminAccess
  private var routes = AdminRoutes()
  private let loop: EventLoop
  private var listener: Listener?
  private var timer: PreciseTimer?
  private var armedMilliseconds = UInt64.max
  private(set) var connections: [ObjectIdentifier: AdminConnection] = [:]
  private var momentsSoFar: UInt64 = 0
  private var turnEnd: EventLoop.TurnEnd?
  /// Connections whose requests wait for the next turn of the loop, in the order of their turns; behind them those that
  /// have had one in this.
  private var waiting: [AdminConnection] = []
  private var served: [AdminConnection] = []
  /// Whether a page that may have to look at every task was made in this turn.
  private var hasMadePage = false

  /// Starts to listen. The file of a Unix socket is for its owner alone.
  package init(
    _ options: AdminOptions, on loop: EventLoop, onAcceptFailure: @escaping (UVError) -> Void = { _ in }
  ) throws(UVError) {
    self.options = options
    self.loop = loop
    access = AdminAccess(options)
    let listener = try Listener(
      on: loop, address: options.address, mode: 0o600, acceptsPerTurn: Self.acceptsPerTurn
    ) { [unowned self] in accept($0) }
    listener.onAcceptFailure = onAcceptFailure
    listener.onRoom = { [unowned self] in waitForRoomMilliseconds() }
    self.listener = listener
    do throws(UVError) {
      timer = try PreciseTimer(on: loop) { [unowned self] in timerFired() }
    } catch {
      listener.close()
      throw error
    }
    turnEnd = loop.addTurnEnd { [unowned self] in turnEnded() }
  }

  /// The address that it listens on, with the port that the kernel chose.
  package var address: SocketAddress { listener?.address ?? options.address }

  /// The name for logs: such as `http://127.0.0.1:9000/`, or the socket's path.
  package var name: String {
    if case .unix = address { "\(address)" } else { "http://\(address)/" }
  }

  package var connectionCount: Int { connections.count }
  package var streamCount: Int { connections.values.count { $0.isStreaming } }

  // MARK: What there is

  /// - Parameters:
  ///   - isShort: whether it costs next to nothing, and is answered however many requests there are.
  ///   - isOpen: whether it needs no token, as it tells nothing about clients.
  ///   - handler: answers at once; called on the loop, only for requests that are allowed.
  package func add(
    _ path: String, isShort: Bool = false, isOpen: Bool = false,
    _ handler: @escaping (HTTPRequest) -> HTTPResponse
  ) {
    routes.add(path, isOpen: isOpen, isShort ? .shortPage(handler) : .page(handler))
  }

  /// Adds an action by POST, only for clients that have the token, or own the Unix socket.
  package func addAction(_ path: String, _ handler: @escaping (HTTPRequest) -> HTTPResponse) {
    routes.add(path, .action(handler))
  }

  /// Adds an action by POST that changes only the playground, for every client that may see the pages.
  package func addPlaying(_ path: String, _ handler: @escaping (HTTPRequest) -> HTTPResponse) {
    routes.add(path, .playing(handler))
  }

  /// - Parameter onStream: called with each reader's stream, and keeps it as long as there are events for it.
  package func addStream(_ path: String, _ onStream: @escaping (HTTPRequest, EventStream) -> Void) {
    routes.add(path, .events(onStream))
  }

  /// Sets new hosts, bounds and another token for later requests; the address stays. A stream of events that was opened
  /// with a token which does not count any more ends.
  package func reconfigure(_ options: AdminOptions) {
    let address = self.options.address
    if options.tokenDigest != self.options.tokenDigest {
      for connection in connections.values where connection.isStreaming { connection.end() }
    }
    self.options = options
    self.options.address = address
    access = AdminAccess(self.options)
  }

  /// Ends everything at once, streams too.
  package func close() {
    listener?.close()
    listener = nil
    for connection in connections.values { connection.close() }
    turnEnd.map(loop.removeTurnEnd)
    turnEnd = nil
    (waiting, served) = ([], [])
    timer?.close()
    timer = nil
    // Handlers may hold the owner of this server.
    routes = AdminRoutes()
  }

  // MARK: Connections

  private func accept(_ stream: ByteStream) {
    let isReserve = !hasRoom(inReserve: false)
    // The reserve has a bound, too.
    guard !isReserve || hasRoom(inReserve: true) else { return stream.close() }
    let connection = AdminConnection(stream, isReserve: isReserve, of: self)
    connections[ObjectIdentifier(connection)] = connection
    arm(for: connection)
  }

  func forget(_ connection: AdminConnection) {
    connections[ObjectIdentifier(connection)] = nil
    guard connections.isEmpty else { return }
    armedMilliseconds = .max
    timer?.stop()
  }

  /// Answers a request; returns whether there was time for it in this turn.
  func answered(_ request: HTTPRequest, over connection: AdminConnection) -> Bool {
    var answer = routes.answer(to: request.target.path)
    if connection.isReserve && !(answer?.isShort ?? false) {
      answer = .shortPage { _ in .tooMany("connections", retrySeconds: Self.retrySeconds) }
    }
    let response: HTTPResponse
    if let fault = access.fault(of: request, isOpen: routes.isOpen(request.target.path)) {
      response = .fault(fault)
    } else if answer != nil, request.isPost != (answer?.takesPosts ?? false) {
      response = .methodNotAllowed(allow: request.isPost ? "GET, HEAD" : "POST")
    } else {
      switch answer {
      case .shortPage(let handler), .playing(let handler): response = handler(request)
      case .page(let handler):
        guard !hasMadePage else { return false }
        hasMadePage = true
        response = handler(request)
      case .events(let onStream):
        guard streamCount >= options.streams || request.isHead else {
          onStream(request, connection.beginStream())
          return true
        }
        response =
          request.isHead
          ? HTTPResponse(type: "text/event-stream", [], isOpen: true)
          : .tooMany("streams", retrySeconds: Self.retrySeconds)
      case .action(let handler):
        response = access.isGuarded ? handler(request) : .fault(AdminAccess.unguarded)
      case nil: response = routes.notFound()
      }
    }
    let keepsConnection = request.keepsConnection && !connection.isReserve
    connection.answer(response, isHead: request.isHead, keepsConnection: keepsConnection)
    return true
  }

  // MARK: Turns

  /// - Parameter isNext: whether it has had no turn yet in this turn of the loop.
  func wait(_ connection: AdminConnection, isNext: Bool) {
    if isNext { waiting.append(connection) } else { served.append(connection) }
    loop.turnAgain()
  }

  private func turnEnded() {
    hasMadePage = false
    guard !waiting.isEmpty || !served.isEmpty else { return }
    let connections = waiting + served
    (waiting, served) = ([], [])
    for connection in connections { connection.takeTurn() }
  }

  // MARK: Time

  var nowMilliseconds: UInt64 { loop.nowMilliseconds }

  func moment() -> AdminMoment {
    momentsSoFar += 1
    return AdminMoment(milliseconds: nowMilliseconds, number: momentsSoFar)
  }

  /// Sets the timer for the connection's timeout. It is only moved to earlier times: if it fires too early, it is set
  /// again.
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
