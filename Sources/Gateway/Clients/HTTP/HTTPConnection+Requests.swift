import GatewayCore
import HTTP1
import JSONRPC

/// What comes over the connection.
extension HTTPConnection {
  // MARK: Reading

  func read(_ bytes: Span<UInt8>, count: Int) {
    var (offset, share) = (0, Self.turnShare)
    isInRead = true
    while !isClosed, state == .content || state == .reading, output.isEmpty, share > 0 {
      // All of a request has to come in time, its content included.
      let isBetween = state == .reading && !hasBegun
      if isBetween && offset < count {
        since(clients.nowMilliseconds)
        if takeKnown(bytes, count: count, &offset) {
          share -= Self.headShare + 1
          continue
        }
      }
      let start = offset
      switch readNext(in: bytes, count: count, from: &offset) {
      case .more:
        // A head that has begun has less time than a connection without one.
        if isBetween && hasBegun { clients.arm(for: self) }
        clients.server.hasReadHTTP(Self.turnShare - share)
        isInRead = false
        return endInput()
      case .head(let head):
        share -= Self.headShare
        begin(head)
        if isBetween, state == .content { remember(head, start..<offset, of: bytes) }
      case .content(let range):
        share -= 1
        take(range, of: bytes, count: count, &offset)
      case .end: endContent()
      case .fault(let fault): refuse(fault)
      }
    }
    clients.server.hasReadHTTP(Self.turnShare - share)
    isInRead = false
    if let webSocket { return become(webSocket, bytes, offset..<count) }
    guard !isClosed, state != .leaving, offset < count else { return endInput() }
    input.append(bytes, offset..<count)
    if share <= 0 { clients.readSoon(self) }
    if input.count > Self.aheadLimitBytes { readNoFurther() }
  }

  /// Reads what has come behind the request before.
  func readAhead() {
    guard !input.isEmpty, !isClosed, output.isEmpty, state == .reading || state == .content else { return }
    let bytes = input
    input = []
    if bytes.count > Self.aheadLimitBytes { carrier.setReading(true) }
    read(bytes.span, count: bytes.count)
  }

  // MARK: Requests

  private func begin(_ head: HTTPRequestHead) {
    reply = HTTPReply()
    isKnownPost = false
    keepsConnection = head.keepsConnection && !clients.isDraining
    let policy = clients.policy(of: listener)
    replyFields = clients.plainFields(of: listener)
    do throws(HTTPFault) {
      let origin = try policy.origin(of: head)
      if origin != nil { replyFields = policy.fields(for: origin) }
      if try takesMCP(head) { return }
      guard head.method != "POST" else { return try ask(head) }
      guard head.method != "DELETE" else {
        throw HTTPFault(.methodNotAllowed, "this method is not taken here")
      }
      guard head.framing == .none else { throw .malformed("only a POST has a content") }
      if try upgrade(head) { return }
      if head.method == "OPTIONS" { tellOptions(head, origin, policy) } else { describe(head) }
    } catch {
      refuse(error, isHead: head.method == "HEAD")
    }
  }

  // MARK: What is no POST

  /// Tells a browser at `/` what this port is. Any other path is 404.
  private func describe(_ head: HTTPRequestHead) {
    let type = [("Content-Type", "text/plain; charset=utf-8")]
    respond(
      head.target.path == "/" ? .ok : .notFound, type, Array(Self.description.utf8),
      isHead: head.method == "HEAD")
  }

  /// Answers OPTIONS, by which a browser asks what a page may send.
  private func tellOptions(_ head: HTTPRequestHead, _ origin: HTTPOrigin?, _ policy: BrowserPolicy) {
    if let origin, BrowserPolicy.isPreflight(head) {
      replyFields = policy.preflightFields(of: head, for: origin)
      respond(.noContent)
    } else {
      let speaksMCP = clients.server.clientProtocols(listener).mcpPath == head.target.path
      respond(.noContent, [("Allow", speaksMCP ? Self.allowedOfMCP : Self.allowed)])
    }
  }

  private static let description =
    "This is lastword, a gateway for JSON-RPC 2.0: POST a request here with Content-Type: application/json.\n"

  private func ask(_ head: HTTPRequestHead) throws(HTTPFault) {
    guard clients.server.clientProtocols(listener).protocols.contains(.http) else {
      replyFields.append(("Upgrade", "websocket"))
      throw HTTPFault(.upgradeRequired, "only WebSockets are served here, no POSTs")
    }
    try PostTerms.check(head)
    guard head.framing != .none else {
      throw .malformed("the content is missing: POST a request of JSON-RPC 2.0")
    }
    reply.isEventStream = reply.prefersEvents ? PostTerms.takesEvents(head) : PostTerms.wantsEvents(head)
    reply.isVersion0 = head.isVersion0
    state = .content
    (hasText, prefix) = (false, [])
    let session = try PostTerms.session(of: head)
    let isOpen = clients.server.open(
      exchange, listener, credential, session: session, asEvents: reply.isEventStream)
    guard isOpen else { return }
    if clients.server.asksWho(listener) { try authenticate(head) }
    letContentCome(head)
  }

  /// A client that holds back its content until it is asked for sends it from now on.
  func letContentCome(_ head: HTTPRequestHead) {
    if head.expectsContinue, !reply.hasBegun { send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
  }

  /// Each POST authenticates by itself.
  private func authenticate(_ head: HTTPRequestHead) throws(HTTPFault) {
    guard let token = try Self.token(of: head) else {
      guard clients.server.isKnown(exchange) else {
        throw HTTPFault(.unauthorized, "this takes a token: Authorization: Bearer TOKEN")
      }
      return
    }
    prefix = Self.presenting(token)
    reply.hidesLine = true
  }

  /// Nil: it says nothing of one.
  static func token(of head: HTTPRequestHead) throws(HTTPFault) -> String? {
    let token = try head.fields.bearerToken
    guard token != "" else {
      throw HTTPFault(.unauthorized, "one word, a token, has to stand behind Bearer")
    }
    return token
  }

  /// The request by which the gateway itself says whose token it is. If that is refused, its client hears so, who gave
  /// it no id.
  /// - Parameter id: of the request, as JSON.
  static func presenting(_ token: String, as id: String = "null") -> [UInt8] {
    var line = Array("{\"jsonrpc\":\"2.0\",\"id\":\(id)\(presentation)".utf8)
    MessageWriter.appendString(Array(token.utf8), into: &line)
    line.append(contentsOf: "}}\n".utf8)
    return line
  }

  private static let presentation =
    ",\"method\":\"lastword.authenticate\",\"params\":{\"token\":"

  // MARK: The same again

  /// Keeps what a POST said that is under way.
  /// - Parameter range: its head.
  private func remember(_ head: HTTPRequestHead, _ range: Range<Int>, of bytes: Span<UInt8>) {
    knownPost = nil
    guard case .length = head.framing, keepsConnection, mcp == nil, !reply.prefersEvents, !head.isVersion0,
      !head.expectsContinue,
      !clients.server.asksWho(listener) || !prefix.isEmpty,
      let known = HTTPKnownHead(range, of: bytes, limitBytes: KnownPost.limitBytes)
    else { return }
    // It was read before without a fault; most name none.
    let session = (try? PostTerms.session(of: head)) ?? nil
    knownPost = KnownPost(known, session: session, of: self)
  }

  /// Takes a POST that is like the last one in all but its content, if that is here as a whole.
  private func takeKnown(_ bytes: Span<UInt8>, count: Int, _ offset: inout Int) -> Bool {
    guard let known = knownPost, known.generation == clients.generation, !clients.isDraining,
      let content = known.content(in: bytes, count: count, at: offset)
    else { return false }
    offset = content.upperBound
    reply = HTTPReply()
    reply.isEventStream = known.wantsEvents
    keepsConnection = true
    replyFields = known.replyFields
    state = .content
    (hasText, prefix) = (false, [])
    isKnownPost = true
    let isOpen = clients.server.open(
      exchange, listener, credential, session: known.session, asEvents: known.wantsEvents)
    guard isOpen else { return true }
    if !known.prefix.isEmpty {
      prefix = known.prefix
      reply.hidesLine = true
    }
    endContent(bytes, content)
    return true
  }

  // MARK: Content

  /// - Parameter offset: behind the range.
  private func take(_ range: Range<Int>, of bytes: Span<UInt8>, count: Int, _ offset: inout Int) {
    if let mcp {
      offset = range.upperBound
      guard range.count <= mcp.contentLimitBytes - mcp.content.count else { return refuse(Self.tooLong(mcp)) }
      mcp.content.append(bytes, range)
      return noteHeld()
    }
    // Mostly it is all there: then the core gets a whole line.
    if readsEnd(in: bytes, count: count, from: &offset) { return endContent(bytes, range) }
    offset = range.upperBound
    clients.feed(self, bytes, range, isLast: false)
  }

  private func endContent() {
    guard mcp == nil else { return endMCPContent() }
    let nothing: [UInt8] = []
    endContent(nothing.span, 0..<0)
  }

  private func endContent(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    // The core may answer while it is given the last of it.
    state = .answering
    clients.feed(self, bytes, range, isLast: true)
    guard !isClosed, state == .answering else { return }
    guard hasText else { return refuse(.malformed("the content is empty: POST a request of JSON-RPC 2.0")) }
    if commentsWhenSilent { since(clients.nowMilliseconds) }
    // It may have been answered meanwhile.
    if exchange.isOpen { exchange.ended() } else { endReply() }
  }
}
