import HotData
import JSONRPC
import TaskStore

/// Reads what a request wants: from its `task`, and from its route.
extension Edge {
  /// What a route says of how its requests are handled.
  struct Wishes {
    let cancel: CancelDialect?
    let priority: UInt8
    /// The router's number of the method that undoes it, or -1.
    let compensation: Int
  }

  // MARK: Routes

  /// Routes of this configuration whose first request had no key where they look for it, in the order of those requests.
  var keylessRoutes: [Int] { intents.keylessRoutes }
  var keylessRouteCount: Int { intents.keylessRoutes.count }

  @inline(__always)
  mutating func route(of envelope: Envelope, in bytes: Span<UInt8>) -> Int {
    router.route(of: envelope, in: bytes)
  }

  /// The place of a route's upstream in the configuration.
  @inline(__always)
  func upstream(of route: Int) -> Int { router.upstream(of: route) }

  func wishes(of route: Int) -> Wishes {
    let own = router.routes[route]
    return Wishes(
      cancel: own.cancel, priority: UInt8(own.priority), compensation: router.compensation(of: route))
  }

  /// The method that undoes a task, as the request for it said.
  func compensation(_ number: Int) -> [UInt8] { router.compensations[number] }

  func usualDrain(_ route: Int) -> UInt32 { intents.usualDrainMilliseconds(route, of: router) }
  func progressTimes(_ route: Int) -> ProgressTimes {
    intents.progressTimes(route, of: router, at: nowMilliseconds)
  }

  // MARK: Intents

  var usualIntent: TaskIntent {
    @inline(__always) get { intents.usualIntent }
  }

  /// - Parameter isPerConnection: its upstream is the connection's own.
  @inline(__always)
  mutating func read(
    _ envelope: Envelope, _ route: Int, isPerConnection: Bool, in bytes: Span<UInt8>,
    into intent: inout TaskIntent
  ) throws(RPCError) {
    try intents.read(envelope, route, of: router, in: bytes, into: &intent)
    if intent.scope == .shared && isPerConnection {
      throw .invalidParams("task.scope: the upstream of this method is the connection's own")
    }
  }

  /// Whether a caller may get the answer to another request under its key: where only its own client can have sent
  /// that, or where the operator allows it for the method.
  func mayFollow(_ intent: TaskIntent, _ route: Int, isPerConnection: Bool, _ client: Int) -> Bool {
    if isPerConnection || route >= 0 && router.routes[route].superseded == .follow { return true }
    return namespace(intent.scope, of: client) == clients[client].ownNamespace
  }

  mutating func noteFollowers() { intents.noteFollowers() }

  @inline(__always)
  mutating func countRequest(_ envelope: Envelope) {
    if envelope.isNotification { counters.notifications += 1 } else { counters.admitted += 1 }
  }

  /// Gives the bytes of a request's key; nil: it has none.
  @inline(__always)
  func withKey<Result>(
    _ key: Label, in bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Result
  ) -> Result? {
    intents.keys.withBytes(of: key, in: bytes, body)
  }

  /// Gives the bytes of a request's group; nil: it has none.
  func withGroup<Result>(
    _ group: Label, in bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Result
  ) -> Result? {
    intents.groups.withBytes(of: group, in: bytes, body)
  }

  /// The key of a request that says it as most do, whatever else it says; nil: it does not.
  @inline(__always)
  func fastKey(of envelope: Envelope) -> Label? {
    let key = envelope.fastTask.key
    return key.isEmpty ? nil : intents.keys.plain(key)
  }

  /// The `task.order` of the request that was read last; it said one.
  var order: UInt64 { intents.order }

  /// - Parameter scope: nil: as the listener has it.
  @inline(__always)
  func namespace(_ scope: TaskIntent.Scope?, of client: Int) -> Namespace {
    switch scope {
    case nil: clients[client].usualNamespace
    case .shared: clients[client].sharedNamespace
    case .connection: clients[client].ownNamespace
    }
  }

  @inline(__always)
  mutating func internGroup(_ group: Label, in bytes: Span<UInt8>, of client: Int) -> Int {
    intents.groups.withBytes(of: group, in: bytes) { callers.internGroup($0, of: client) } ?? -1
  }

  @inline(__always)
  mutating func releaseIfEmpty(_ group: Int) { callers.releaseIfEmpty(group) }

  mutating func progressTokens(of envelope: Envelope, in bytes: Span<UInt8>) -> AskedTokens {
    progress.asked(envelope.params, in: bytes)
  }

  /// The id of the request that a notification of its client takes back; nil if it is no such notification.
  func idTakenBack(_ envelope: Envelope, in bytes: Span<UInt8>, at place: Int) -> ByteRange? {
    if CancelledID.isMCP(envelope, in: bytes) {
      return CancelledID.member("requestId", of: envelope, in: bytes)
    }
    return configuration.upstreams[place].cancelNotification?.cancelledID(envelope, in: bytes)
  }

  /// Whether an upstream that hears this message may take it for a cancel, whatever its params are.
  func isCancel(_ envelope: Envelope, in bytes: Span<UInt8>, at place: Int) -> Bool {
    if CancelledID.isMCP(envelope, in: bytes), hearsMCP(place) { return true }
    return configuration.upstreams[place].cancelNotification?.isNamed(by: envelope, in: bytes) ?? false
  }

  /// Whether an upstream is told of cancels as the Model Context Protocol has it.
  private func hearsMCP(_ place: Int) -> Bool {
    configuration.upstreams[place].cancel == .mcp
      || configuration.routes.contains { $0.upstream == place && $0.cancel == .mcp }
  }
}
