import GatewayCore
import Identity
import JSONRPC
import LibUV

/// Clients that come by HTTP.
extension GatewayServer {
  func clientProtocols(_ listener: Int) -> ClientProtocols {
    let all = core.configuration.server.clients
    return all.indices.contains(listener) ? all[listener] : ClientProtocols()
  }

  /// Nothing stands between a client's transport and the core any more.
  func hearDirectly(_ client: ClientID) { connections.transport(of: client)?.start(as: client, self) }

  /// A client has begun to say something, and it is not clear yet in which protocol.
  func messageBegan(_ client: ClientID) {
    now()
    core.beganMessage(client)
  }

  /// A client turns out to be a connection over which requests come by HTTP: the core has it no longer.
  func serveHTTP(_ client: ClientID, _ bytes: Span<UInt8>, count: Int) {
    now()
    turn.hasHeard = true
    let listener = core.listener(of: client)
    let strangerSince = core.unknownSince(client)
    let carrier = connections.release(client)
    core.clientDisconnected(client)
    let transport: any ClientTransport
    var credential: Credential?
    switch carrier {
    case .none: return
    case .open(let open):
      credential = open.stream.peerUser.map { .user($0) }
      transport = SocketTransport(open.stream, closes: connections.lingeringCloses)
    case .transport(let other):
      credential = (other as? TLSTransport)?.peer.map { Credential($0) }
      transport = other
    }
    http?.begin(transport, listener, credential, strangerSince: strangerSince, bytes, count: count)
    // The core must count this connection before the next one of this turn comes.
    http?.tellCounts()
  }

  /// A client speaks what its listener leaves out, where nothing else could be meant.
  func turnAway(_ client: ClientID) {
    now()
    turn.hasHeard = true
    let carrier = connections.release(client)
    core.clientDisconnected(client)
    var line: [UInt8] = []
    let error = RPCError.invalidRequest.with(message: "this is not spoken here: see protocols of [[listen]]")
    MessageWriter.error(RequestID(), error, into: &line)
    switch carrier {
    case .none: break
    case .open(let open): connections.lingeringCloses.close(open.stream, lastWords: line)
    case .transport(let transport): transport.close(lastWords: line)
    }
  }

  /// Has the core take a WebSocket, or a session of several POSTs, as a client.
  /// Returns whether it does; else it has been told why not.
  func open(
    _ transport: any ClientTransport, _ listener: Int, _ credential: Credential?,
    as kind: ClientKind = .messages
  ) -> Bool {
    guard let client = admit(.transport(transport), listener, credential, as: kind) else { return false }
    core.transportHolds(transport.ownByteCount, for: client)
    transport.start(as: client, self)
    return true
  }

  /// Has the core take a POST as a client.
  /// Returns whether it does; else the POST has been told why not.
  func open(
    _ exchange: HTTPExchange, _ listener: Int, _ credential: Credential?, session: [UInt8]?, asEvents: Bool
  ) -> Bool {
    guard let client = admit(.transport(exchange), listener, credential, as: .exchange) else { return false }
    if let session { core.name(client, session: session) }
    if asEvents { core.takesEvents(client) }
    exchange.start(as: client, self)
    return true
  }

  /// A client ends its session: what it has asked is taken back, and hears so, before that is closed.
  func end(_ client: ClientID) {
    now()
    turn.hasHeard = true
    core.clientLeaves(client)
  }

  /// A client is gone, and another one takes its place: however late it is in this turn, the core hears of that now.
  func remove(_ client: ClientID) {
    now()
    connections.drop(client)
    core.clientDisconnected(client)
  }

  /// Nobody waits any more for requests of a client's. Returns whether the core has taken them back; else it has still to
  /// handle what the client has sent.
  func takeBack(_ ids: [[UInt8]], of client: ClientID) -> Bool {
    now()
    turn.hasHeard = true
    let isDone = core.takeBack(ids, of: client)
    hasRead(0)
    return isDone
  }

  /// A head, or a piece of a content, costs more than its bytes: the clock is looked at for a few of them.
  func hasReadHTTP(_ shares: Int) {
    hasTaken(shares * TurnClock.bytesPerRead / Self.sharesPerRead)
  }

  private static let sharesPerRead = 8

  /// Frames, or whatever else is read that brings next to nothing: many of them are enough for a turn.
  func hasReadDust(_ byteCount: Int) {
    if byteCount >= Self.muchDustBytes { turnClock.end() }
    hasRead(byteCount)
  }

  private static let muchDustBytes = 16 * 1024

  /// Something besides the core's own work took as long as reading so much does: where time is up, no more is begun.
  func hasTaken(_ byteCount: Int) {
    turnClock.hasRead(byteCount)
    readLess()
  }

  /// The memory of connections that are no clients yet has changed.
  func noteArriving() { core.arrivingHold(connections.arrivingByteCount) }

  func asksWho(_ listener: Int) -> Bool {
    let listeners = core.configuration.listeners
    return listeners.indices.contains(listener) && listeners[listener].asksWho
  }

  /// Whether a POST's principal is known before it names a token.
  func isKnown(_ exchange: HTTPExchange) -> Bool { !core.isUnknown(exchange.client) }

  /// Whether a client is somebody by this alone.
  func isKnown(_ credential: Credential?, at listener: Int) -> Bool { core.isKnown(credential, at: listener) }
}
