import GatewayCore
import HTTP1
import Identity
import JSONRPC
import LibUV

/// A connection over which a client's requests come by HTTP/1.1, one after the other (RFC 9112).
///
/// It is no client of the core's: each POST is one, as long as it is under way. What is no POST is answered here.
final class HTTPConnection {
  /// So much is read ahead of a request that is under way.
  static let aheadLimitBytes = 64 * 1024
  /// How much of a reply in pieces is taken at once.
  static let pieceBytes = 64 * 1024
  /// So much is read of it before it is the turn of others: a piece of a content counts as one, a head as so many.
  static let turnShare = 256
  static let headShare = 16
  /// How long what was said last may take to leave.
  static let leavingMilliseconds: UInt64 = 10_000
  /// How often it is looked whether its client has gone, while nothing is read that would say so.
  static let lookMilliseconds: UInt64 = 1_000
  static let allowed = "GET, HEAD, OPTIONS, POST"
  /// The same where sessions of the Model Context Protocol are.
  static let allowedOfMCP = "DELETE, GET, OPTIONS, POST"
  static let methods: Set = ["DELETE", "GET", "HEAD", "OPTIONS", "POST"]

  enum State {
    /// A head comes, or nothing does.
    case reading
    /// The content of a POST comes.
    case content
    /// The core has all of a POST.
    case answering
    /// It becomes a WebSocket.
    case upgrading
    /// What is unsent is sent still.
    case leaving
  }

  let listener: Int
  /// What is known of the client before it has said anything.
  let credential: Credential?
  let carrier: any ClientTransport
  /// They let go of it when it closes.
  let clients: HTTPClients
  /// Its place among the others.
  var place = 0
  var state = State.reading
  private var reader: HTTPRequestReader
  /// Whether a part of a request has come, as the reader had it last.
  private(set) var hasBegun = false
  /// What has come and is not read yet.
  var input: [UInt8] = [] { didSet { noteHeld() } }
  /// It is being read: what is still to be read lies there, not in `input`.
  var isInRead = false
  /// What was not taken yet.
  var output: [UInt8] = [] { didSet { noteHeld() } }
  var isClosed = false {
    didSet {
      noteHeld()
      if isClosed { strangerSinceMilliseconds = nil }
    }
  }
  /// Whether its listener asks who its clients are, as it was when that was last looked at.
  private var isAsked: Bool
  /// Since when it has been due to authenticate; nil: it has, or need not.
  var strangerSinceMilliseconds: UInt64? {
    didSet {
      guard (strangerSinceMilliseconds == nil) != (oldValue == nil) else { return }
      clients.countStrangers(oldValue == nil ? 1 : -1)
    }
  }
  /// So much of a head has come whose end has not.
  private var headBytes = 0 { didSet { noteHeld() } }
  /// How many bytes its carrier takes.
  private var carrierBytes = 0 { didSet { noteHeld() } }
  /// How much of all that counts, in whole pages.
  private(set) var heldBytes = 0
  /// Its client has ended its input, and waits for its replies.
  private(set) var hasInputEnded = false
  /// Since when the request comes, or nothing does, or what is unsent does not leave.
  var sinceMilliseconds: UInt64 = 0
  /// When it was last looked whether its client has gone, or reading stopped.
  private var lookedMilliseconds: UInt64 = 0
  var reply = HTTPReply()
  /// Other fields of the response, and whether another request may follow.
  var replyFields: [(String, String)] = []
  /// The last POST, if the next one can be like it; and whether the one that is answered is.
  var knownPost: KnownPost?
  var isKnownPost = false
  var keepsConnection = true
  /// Whether any character of the content was no blank.
  var hasText = false
  /// The core wants no more of the content for now.
  var isContentPaused = false
  /// What comes before the content.
  var prefix: [UInt8] = []
  private var heldExchange: HTTPExchange?
  /// The request that is under way, if it belongs to a session.
  var mcp: MCPPost?
  /// What it becomes.
  var webSocket: WebSocketTransport?

  init(
    _ carrier: any ClientTransport, _ listener: Int, _ credential: Credential?, of clients: HTTPClients
  ) {
    self.carrier = carrier
    self.listener = listener
    self.credential = credential
    self.clients = clients
    isAsked = clients.server.asksWho(listener)
    var limits = clients.limits
    limits.isSecure = carrier.way.isSecure
    reader = HTTPRequestReader(methods: Self.methods, limits: limits)
    sinceMilliseconds = clients.nowMilliseconds
    replyFields = clients.plainFields(of: listener)
    carrierBytes = carrier.ownByteCount
  }

  /// Made with the first POST.
  var exchange: HTTPExchange {
    if let heldExchange { return heldExchange }
    let exchange = HTTPExchange(over: self)
    heldExchange = exchange
    return exchange
  }

  /// Its listener may ask from now on who its clients are, or no longer.
  func noteWhetherAsked() {
    let wasAsked = isAsked
    isAsked = clients.server.asksWho(listener)
    if !isAsked {
      strangerSinceMilliseconds = nil
    } else if !wasAsked, !isClosed, !clients.server.isKnown(credential, at: listener) {
      strangerSinceMilliseconds = clients.nowMilliseconds
    }
  }

  var isExchanging: Bool { heldExchange?.isOpen ?? false || mcp != nil && state == .answering }

  // MARK: Reading

  /// The next thing that the bytes say.
  func readNext(in bytes: Span<UInt8>, count: Int, from offset: inout Int) -> HTTPProgress<HTTPRequestHead> {
    let progress = reader.next(in: bytes, count: count, from: &offset)
    hasBegun = reader.hasBegun
    headBytes = if case .more = progress { reader.headByteCount } else { 0 }
    return progress
  }

  /// Reads on to the end of a content; false: it is not here, and nothing was read.
  func readsEnd(in bytes: Span<UInt8>, count: Int, from offset: inout Int) -> Bool {
    var (peeked, end) = (reader, offset)
    guard case .end = peeked.next(in: bytes, count: count, from: &end) else { return false }
    (reader, hasBegun, offset) = (peeked, false, end)
    return true
  }

  // MARK: Room

  static let pageBytes = 4 * 1024

  /// Few bytes of one that come and go at once are not worth a word.
  func noteHeld() {
    let content = mcp?.content.capacity ?? 0
    let byteCount = isClosed ? 0 : input.capacity + output.capacity + headBytes + carrierBytes + content
    let counted = byteCount - byteCount % Self.pageBytes
    guard counted != heldBytes else { return }
    let more = counted - heldBytes
    heldBytes = counted
    clients.hold(more)
  }

  /// There is no room for it: it holds nothing from now on, and is closed soon.
  func giveUp() {
    state = .leaving
    (carrierBytes, headBytes) = (0, 0)
    (input, output) = ([], [])
    mcp?.content = []
  }

  // MARK: Time

  /// When it has taken too long; nil: it may stay as it is.
  var dueMilliseconds: UInt64? {
    guard let due = strangerDueMilliseconds ?? lookDueMilliseconds else { return usualDueMilliseconds }
    return min(due, usualDueMilliseconds ?? .max)
  }

  /// The same for a peer that has to log in: it has so long in all, whatever it sends or reads meanwhile.
  private var strangerDueMilliseconds: UInt64? {
    let limit = clients.authenticateMilliseconds
    guard limit > 0, state == .reading || state == .content else { return nil }
    return strangerSinceMilliseconds.map { $0 + limit }
  }

  /// While something is done for its client this may have gone behind what is not read: then it is looked at.
  private var lookDueMilliseconds: UInt64? {
    guard state == .answering, input.count > Self.aheadLimitBytes else { return nil }
    return lookedMilliseconds + Self.lookMilliseconds
  }

  private var usualDueMilliseconds: UInt64? {
    if state == .leaving { return sinceMilliseconds + Self.leavingMilliseconds }
    let limit: UInt64 =
      if !output.isEmpty {
        clients.stallMilliseconds
      } else if state == .reading && !hasBegun {
        carrier.inFlightByteCount > 0 ? clients.stallMilliseconds : clients.idleMilliseconds
      } else if state == .answering {
        commentsWhenSilent ? clients.eventCommentMilliseconds : 0
      } else {
        clients.requestMilliseconds
      }
    return limit > 0 ? sinceMilliseconds + limit : nil
  }

  func timeIsUp() {
    if let lookDue = lookDueMilliseconds, lookDue <= clients.nowMilliseconds {
      look()
      guard !isClosed, let due = usualDueMilliseconds, due <= clients.nowMilliseconds else { return }
    }
    if output.isEmpty, commentsWhenSilent { return sendComment() }
    guard output.isEmpty, state == .content || state == .reading && hasBegun else { return cutOff() }
    guard let strangerDue = strangerDueMilliseconds, strangerDue <= clients.nowMilliseconds else {
      return refuse(.tooSlow)
    }
    let limit = clients.authenticateMilliseconds
    refuse(HTTPFault(.unauthorized, "not authenticated within \(limit) ms"))
  }

  /// It has read enough ahead of the request that is under way.
  func readNoFurther() {
    carrier.setReading(false)
    lookedMilliseconds = clients.nowMilliseconds
    clients.arm(for: self)
  }

  /// Input that is not read hides the client's end behind it.
  private func look() {
    lookedMilliseconds = clients.nowMilliseconds
    let peer = carrier.peerState
    let waits = clients.server.clientProtocols(listener).answersAfterEnd
    if peer.isGone || peer.hasEnded && !waits { cutOff() }
  }

  /// An event stream whose request has come, and is not answered. An answer whose length was told has no room for more.
  var commentsWhenSilent: Bool {
    state == .answering && reply.isEventStream && !reply.isSized && isExchanging
  }

  /// Whether more of a content is missing than there is time.
  var isLate: Bool {
    let limit = clients.requestMilliseconds
    return state == .content && limit > 0 && clients.nowMilliseconds >= sinceMilliseconds + limit
  }

  func since(_ milliseconds: UInt64) {
    sinceMilliseconds = milliseconds
    clients.arm(for: self)
  }

  // MARK: The end

  /// It closes behind the next reply whose head is still to be said. One that idles is left: a request may have come
  /// that is not read yet.
  func drain() { if !reply.hasBegun { keepsConnection = false } }

  /// What is unsent is sent, and nothing more is read.
  func leave() {
    guard !isClosed, state != .leaving else { return }
    exchangeIsLeft()
    state = .leaving
    input = []
    since(clients.nowMilliseconds)
    if output.isEmpty { close() }
  }

  /// Closes it so that its peer can read what was said last.
  private func close() {
    guard !isClosed else { return }
    isClosed = true
    clients.forget(self)
    carrier.close()
  }

  /// Closes it at once.
  func cutOff() {
    guard !isClosed else { return }
    isClosed = true
    exchangeIsLeft()
    clients.forget(self)
    carrier.drop()
  }

  /// If its client sends no more, and all that it has sent is read: what it has asked is still answered.
  func endInput() {
    guard hasInputEnded, input.isEmpty, !isClosed else { return }
    switch state {
    case .reading where !hasBegun: leave()
    case .reading, .content: refuse(.malformed("the connection ended within a request"))
    case .answering: keepsConnection = false
    case .upgrading, .leaving: break
    }
  }

  private func exchangeIsLeft() {
    if let heldExchange, heldExchange.isOpen { heldExchange.abandon() }
    let post = mcp
    mcp = nil
    post?.judge?.forgetToken(of: self)
    post?.session?.left(self, post?.number)
  }

  // MARK: Output

  /// Sends what is unsent, as far as it is taken.
  func flush() {
    guard !isClosed, !output.isEmpty else { return }
    let sent = carrier.write(output)
    if sent == output.count { output = [] } else { output.removeFirst(sent) }
    if !output.isEmpty || commentsWhenSilent { return since(clients.nowMilliseconds) }
    if state == .leaving { close() }
  }
}

extension HTTPConnection: ClientTransportDelegate {
  func client(_ client: ClientID, received bytes: Span<UInt8>, count: Int) {
    switch state {
    case .leaving, .upgrading: break
    case .reading where input.isEmpty && output.isEmpty, .content where input.isEmpty && output.isEmpty:
      guard clients.server.turnClock.isOver else { return read(bytes, count: count) }
      // What there is no time for in this turn goes on behind the others.
      input.append(bytes, 0..<count)
      clients.readSoon(self)
    case .reading, .content, .answering:
      // Reading ahead is work of this turn, too.
      clients.server.hasTaken(count)
      input.append(bytes, 0..<count)
      if input.count > Self.aheadLimitBytes { readNoFurther() }
    }
  }

  /// An HTTP client that ends its input has gone, as for proxies and browsers, unless the listener's `eof` says that it
  /// waits.
  func clientEnded(_ client: ClientID) {
    if clients.server.clientProtocols(listener).answersAfterEnd {
      hasInputEnded = true
      endInput()
    } else if isExchanging || output.isEmpty && state == .reading {
      cutOff()
    } else {
      leave()
    }
  }

  func client(_ client: ClientID, transportHolds byteCount: Int) {
    guard state != .leaving else { return }
    carrierBytes = byteCount
  }

  func clientDisconnected(_ client: ClientID) { cutOff() }

  func clientBecameWritable(_ client: ClientID) {
    flush()
    guard !isClosed, output.isEmpty else { return }
    if let session = mcp?.session { return session.becameWritable(self) }
    // It is idle only since the last reply has left.
    if state == .reading, !hasBegun { since(clients.nowMilliseconds) }
    if isExchanging { exchange.becameWritable() }
    readAhead()
  }
}

extension HTTPConnection: HTTPPeer {
  var isOfShell: Bool { true }

  /// No request is under way, not even a part of one, and nothing is unsent.
  var idleSinceMilliseconds: UInt64? {
    let hasSaidAll = output.isEmpty && carrier.inFlightByteCount == 0
    guard state == .reading, !hasBegun, input.isEmpty, hasSaidAll, !isClosed else { return nil }
    return sinceMilliseconds
  }

  /// A reply was said to its end, and some of it is unsent. Of any other the core, or the session, has still to say
  /// something.
  var owesAnswers: Bool { !output.isEmpty && (state == .reading || state == .leaving) }

  /// A connection that owes no reply ends in order. One in the middle of a reply is cut off, so that the reply does not
  /// look whole.
  func stop() {
    if output.isEmpty, state == .reading || state == .content { leave() } else { cutOff() }
  }
}

extension HTTPFault {
  static let tooSlow = HTTPFault(.requestTimeout, "the request took longer to come than messageMs allows")
}

extension ClientTransport {
  /// The same for bytes that lie in one place.
  func write(_ bytes: [UInt8]) -> Int {
    // Both pointers are valid during the call, and nothing of them is kept.
    unsafe bytes.withUnsafeBytes { chunk in
      unsafe withUnsafePointer(to: chunk) { unsafe write(UnsafeBufferPointer(start: $0, count: 1)) }
    }
  }
}

@available(*, unavailable)
extension HTTPConnection: Sendable {}
