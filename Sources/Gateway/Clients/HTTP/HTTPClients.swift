import Addresses
import GatewayCore
import HTTP1
import Identity
import JSONRPC
import LibUV
import Logging

/// The HTTP connections of clients, and the WebSockets that some of them became.
final class HTTPClients {
  unowned let server: GatewayServer
  private let loop: EventLoop
  /// By their places; some are free.
  private var peers: [(any HTTPPeer)?] = []
  private var freePlaces: [Int] = []
  /// How many connections there are, how many of them still have to authenticate, and what the core was told last.
  private var (connectionCount, strangerCount) = (0, 0)
  private var toldConnectionCount = 0
  private(set) var toldStrangerCount = 0
  /// By what their clients call them.
  private var sessions: [String: MCPSession] = [:]
  private var quietSessions = QuietSessions()
  private var endedForRoom = RepeatedWarning()
  private var idlePlaces = IdlePlaces()
  private var closedForRoom = RepeatedWarning()
  private var unheard = RepeatedWarning()
  /// By listener, as far as they were asked for.
  private var policies: [Int: BrowserPolicy] = [:]
  private var plainFields: [[(String, String)]?] = []
  /// It rises with each configuration.
  private(set) var generation: UInt64 = 0
  /// Connections that are to read on in a turn of their own.
  private var waiting: [HTTPConnection] = []
  private var postponed: [() -> Void] = []
  /// Bytes held by connections that count for no client of the core; and the number that the core was told last.
  private(set) var byteCount = 0
  private var toldByteCount = 0
  /// Connections for which there is no room.
  private var givenUp: [HTTPConnection] = []
  private var noRoom = RepeatedWarning()
  private var timer: LoopTimer?
  private var armedMilliseconds = UInt64.max
  /// A part of a content as the core gets it, with the scanner's slack behind it.
  private var scratch: [UInt8] = []
  var isDraining = false

  init(of server: GatewayServer, on loop: EventLoop) {
    self.server = server
    self.loop = loop
  }

  // MARK: Bounds

  var nowMilliseconds: UInt64 { loop.nowMilliseconds }
  private var bounds: GatewayConfiguration { server.core.configuration }
  var stallMilliseconds: UInt64 { bounds.stallMilliseconds }
  var requestMilliseconds: UInt64 { bounds.messageMilliseconds }
  var idleMilliseconds: UInt64 { bounds.server.httpIdleMilliseconds }
  var authenticateMilliseconds: UInt64 { bounds.authenticateMilliseconds }
  var pingMilliseconds: UInt64 { bounds.server.pingMilliseconds }
  var eventCommentMilliseconds: UInt64 { bounds.server.eventCommentMilliseconds }

  var mcpIdleMilliseconds: UInt64 { bounds.server.mcpIdleMilliseconds }
  var mcpResumeMilliseconds: UInt64 { bounds.server.mcpResumeMilliseconds }
  var scanLimits: ScanLimits { bounds.scan }
  /// What a client may leave unread in all, and before it gets no more pieces of answers.
  var unreadLimitBytes: Int { bounds.clientOutputHardBytes }
  var unreadPieceBytes: Int { bounds.unreadPieceBytes }

  var limits: HTTPRequestReader.Limits {
    var limits = HTTPRequestReader.Limits()
    limits.headBytes = bounds.server.headBytes
    limits.contentBytes = bounds.messageLimitBytes
    return limits
  }

  /// What a message may have of which it is not known who sent it.
  var strangerContentBytes: Int { min(bounds.unauthenticatedBytes, bounds.messageLimitBytes) }

  /// The web pages that may come to a listener.
  func policy(of listener: Int) -> BrowserPolicy {
    if let policy = policies[listener] { return policy }
    var isUnix = false
    if case .unix = server.options.listen[listener] { isUnix = true }
    let policy = BrowserPolicy(server.clientProtocols(listener), isUnix: isUnix)
    policies[listener] = policy
    return policy
  }

  /// The fields of every response of a listener that is no page's.
  func plainFields(of listener: Int) -> [(String, String)] {
    if listener < plainFields.count, let fields = plainFields[listener] { return fields }
    while plainFields.count <= listener { plainFields.append(nil) }
    let fields = policy(of: listener).fields(for: nil)
    plainFields[listener] = fields
    return fields
  }

  /// Keeps to another configuration from now on.
  func reconfigure() {
    policies = [:]
    plainFields = []
    generation += 1
    for case let connection as HTTPConnection in peers { connection.noteWhetherAsked() }
    tellCounts()
    // Times may be shorter now.
    arm(atMilliseconds: nowMilliseconds)
  }

  // MARK: Coming and going

  /// Serves a connection from now on, with its first bytes.
  /// - Parameter strangerSince: since when it has been due to authenticate; nil: it need not.
  func begin(
    _ carrier: any ClientTransport, _ listener: Int, _ credential: Credential?, strangerSince: UInt64?,
    _ bytes: Span<UInt8>, count: Int
  ) {
    let connection = HTTPConnection(carrier, listener, credential, of: self)
    connection.strangerSinceMilliseconds = strangerSince
    add(connection)
    connection.noteHeld()
    carrier.start(as: ClientID(slot: 0), connection)
    connection.read(bytes, count: count)
  }

  func add(_ peer: any HTTPPeer) {
    peer.place = freePlaces.popLast() ?? peers.count
    if peer.place == peers.count { peers.append(nil) }
    peers[peer.place] = peer
    if peer.isOfShell { countConnections(1) }
    arm(for: peer)
  }

  func forget(_ peer: any HTTPPeer) {
    peers[peer.place] = nil
    freePlaces.append(peer.place)
    if peer.isOfShell { countConnections(-1) }
  }

  /// All places for connections are taken, and somebody comes who may have one: of what idles its like makes room first.
  func makePlace(for kind: ClientKind) {
    if kind == .session {
      _ = endQuietSession() || closeIdleConnection()
    } else {
      _ = closeIdleConnection() || endQuietSession()
    }
    tellCounts()
  }

  /// A connection without a request counts for no principal: whoever opens many and leaves them would otherwise keep all
  /// others out. Returns whether one was found.
  private func closeIdleConnection() -> Bool {
    let place = idlePlaces.longest(among: peers.count) { peers[$0]?.idleSinceMilliseconds }
    guard let place else { return false }
    peers[place]?.cutOff()
    closedForRoom.log(
      "closed connections by HTTP without a request: the bound 'connections' is reached", [:],
      to: server.log, atMilliseconds: nowMilliseconds)
    return true
  }

  // MARK: Sessions of the Model Context Protocol

  func session(named name: String) -> MCPSession? { sessions[name] }

  /// Returns whether the core takes it as a client.
  func begin(_ session: MCPSession, _ listener: Int, _ credential: Credential?) -> Bool {
    guard server.open(session, listener, credential, as: .session) else { return false }
    sessions[session.name] = session
    add(session)
    return true
  }

  func forget(_ session: MCPSession) {
    guard sessions.removeValue(forKey: session.name) != nil else { return }
    forget(session as any HTTPPeer)
  }

  func becameQuiet(_ session: MCPSession) {
    quietSessions.add(
      session.name, since: session.quietMilliseconds, sessionCount: sessions.count, isStill: isStillQuiet)
  }

  /// Makes a place of the session that has been quiet for longest. A client that begins sessions and leaves them would
  /// otherwise keep all others out until they have idled for long enough. Returns whether one was found.
  private func endQuietSession() -> Bool {
    guard let name = quietSessions.popLongest(isStill: isStillQuiet) else { return false }
    sessions[name]?.makePlace()
    endedForRoom.log(
      "ended sessions of MCP with which nothing was under way: the bound 'connections' is reached", [:],
      to: server.log, atMilliseconds: nowMilliseconds)
    return true
  }

  /// Something was said to a session that has no stream for it, and is dropped for what is newer.
  func noteUnheard() {
    unheard.log(
      "dropped what a server of MCP said to sessions that have no stream", [:], to: server.log,
      atMilliseconds: nowMilliseconds)
  }

  private func isStillQuiet(_ name: String, _ milliseconds: UInt64) -> Bool {
    guard let session = sessions[name] else { return false }
    return session.isQuiet && session.quietMilliseconds == milliseconds
  }

  /// The core may be calling just now: it hears of that when the turn ends, or when the next client comes.
  private func countConnections(_ more: Int) {
    connectionCount += more
    goOnSoon()
  }

  /// A connection is due to authenticate, or has; the core hears of that likewise.
  func countStrangers(_ more: Int) {
    strangerCount += more
    goOnSoon()
  }

  /// Tells the core how many connections there are, and how many have to authenticate; not while it calls.
  func tellCounts() {
    if connectionCount != toldConnectionCount {
      toldConnectionCount = connectionCount
      server.core.connectionsOfShell(connectionCount)
    }
    if strangerCount != toldStrangerCount {
      toldStrangerCount = strangerCount
      server.core.unknownConnectionsOfShell(strangerCount)
    }
  }

  /// Each connection closes behind its next reply; those on which nothing comes do when the gateway stops.
  func drain() {
    isDraining = true
    for peer in peers { peer?.drain() }
  }

  /// Whether an answer that is no longer the core's has not left. Looks at each of them.
  var owesAnswers: Bool { peers.contains { $0?.owesAnswers ?? false } }

  func close() {
    for peer in peers { peer?.stop() }
    timer?.close()
    timer = nil
  }

  // MARK: Time

  func arm(for peer: any HTTPPeer) {
    if let due = peer.dueMilliseconds { arm(atMilliseconds: due) }
  }

  private func arm(atMilliseconds due: UInt64) {
    guard due < armedMilliseconds else { return }
    armedMilliseconds = due
    if timer == nil { timer = LoopTimer(on: loop) { [unowned self] in self.timerFired() } }
    timer?.start(atMilliseconds: due)
  }

  private func timerFired() {
    armedMilliseconds = .max
    for peer in peers {
      guard let due = peer?.dueMilliseconds else { continue }
      if due <= nowMilliseconds { peer?.timeIsUp() }
    }
    // Looked through no more often than this, however many there are.
    let next = peers.lazy.compactMap { $0?.dueMilliseconds }.min()
    if let next { arm(atMilliseconds: max(next, nowMilliseconds + Self.lookMilliseconds)) }
  }

  private static let lookMilliseconds: UInt64 = 100

  /// It goes on with what it has read ahead, in a turn of its own.
  func readSoon(_ connection: HTTPConnection) {
    waiting.append(connection)
    goOnSoon()
  }

  /// Does something when the turn ends: not from here, as the core may be speaking.
  func doSoon(_ body: @escaping () -> Void) {
    postponed.append(body)
    goOnSoon()
  }

  private func goOnSoon() {
    server.turn.isHTTPBehind = true
    loop.turnAgain()
  }

  /// A turn ends: those read on that were to, each its share, as long as there is time. The others come first the next
  /// time.
  func goOn() {
    closeGivenUp()
    let postponed = postponed
    self.postponed = []
    for body in postponed { body() }
    if byteCount != toldByteCount { tellHeld() }
    tellCounts()
    let waiting = waiting
    self.waiting = []
    var count = 0
    while count < waiting.count && (count == 0 || !server.turnClock.isPast) {
      waiting[count].readAhead()
      count += 1
    }
    guard count < waiting.count else { return }
    self.waiting.insert(contentsOf: waiting[count...], at: 0)
    goOnSoon()
  }

  // MARK: Room

  /// One of them holds so much more. The core may be speaking: it hears of that when the turn ends.
  func hold(_ more: Int) {
    byteCount += more
    goOnSoon()
  }

  private func tellHeld() {
    toldByteCount = byteCount
    server.noteArriving()
  }

  /// They are no clients any more, and the core hears of it where they were.
  private func closeGivenUp() {
    guard !givenUp.isEmpty else { return }
    let closed = givenUp
    givenUp = []
    for connection in closed { connection.cutOff() }
    noRoom.log(
      "connections by HTTP were closed: there is no room for them in 'memoryBytes'",
      ["connections": .stringConvertible(closed.count)], to: server.log, atMilliseconds: nowMilliseconds)
  }

  // MARK: Contents

  /// Hands a part of a content on, of which all becomes one line.
  func feed(_ connection: HTTPConnection, _ bytes: Span<UInt8>, _ range: Range<Int>, isLast: Bool) {
    var line = lendScratch()
    line.append(contentsOf: connection.prefix)
    connection.prefix = []
    let start = line.count
    line.append(bytes, range)
    LineFeeds.replace(in: &line, from: start)
    if !connection.hasText {
      connection.hasText = line[start...].contains { $0 != 0x20 && $0 != 0x09 && $0 != 0x0d }
    }
    if isLast { line.append(UInt8(ascii: "\n")) }
    let count = line.count
    line.append(contentsOf: Self.slack)
    if count > 0 { connection.exchange.received(line.span, count: count) }
    takeScratch(&line)
  }

  /// Lends room for bytes that are on their way.
  func lend<Result>(_ body: (inout [UInt8]) -> Result) -> Result {
    var scratch = lendScratch()
    defer { takeScratch(&scratch) }
    return body(&scratch)
  }

  /// A second borrower gets another.
  private func lendScratch() -> [UInt8] {
    var lent: [UInt8] = []
    swap(&lent, &scratch)
    return lent
  }

  /// What was needed once shall not be kept for ever.
  private func takeScratch(_ lent: inout [UInt8]) {
    guard lent.capacity <= Self.keptBytes else { return }
    lent.removeAll(keepingCapacity: true)
    swap(&lent, &scratch)
  }

  private static let keptBytes = 256 * 1024
  /// The slack behind bytes for the core.
  static let slack = [UInt8](repeating: 0, count: EventLoop.slackByteCount)
}

extension HTTPClients: ArrivingConnections {
  /// So much of what they may hold is freed at once, one of so many parts.
  private static let freedPart = 16

  func makeRoom(byteCount most: Int) {
    guard byteCount > most else { return }
    let holders = peers.compactMap { $0 as? HTTPConnection }.filter { $0.heldBytes > 0 }
    // The walk over all of them is paid for by what it frees.
    let enough = most - most / Self.freedPart
    for holder in holders.sorted(by: { ($0.heldBytes, $0.place) > ($1.heldBytes, $1.place) }) {
      guard byteCount > enough else { return }
      holder.giveUp()
      givenUp.append(holder)
    }
  }
}

@available(*, unavailable)
extension HTTPClients: Sendable {}
