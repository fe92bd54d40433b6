import GatewayCore
import HTTP1
import JSONRPC

/// Requests that belong to sessions of the Model Context Protocol.
extension HTTPConnection {
  /// Whether a request is one of these; then it is taken care of.
  func takesMCP(_ head: HTTPRequestHead) throws(HTTPFault) -> Bool {
    let terms = clients.server.clientProtocols(listener)
    guard terms.mcpPath == head.target.path, terms.protocols.contains(.http), head.method != "OPTIONS" else {
      return false
    }
    reply.allowed = Self.allowedOfMCP
    guard head.method != "HEAD" else {
      throw HTTPFault(.methodNotAllowed, "what a GET opens is a stream of events")
    }
    if try isOfItsOwn(head) {
      guard head.method == "POST" else {
        reply.allowed = "OPTIONS, POST"
        throw HTTPFault(.methodNotAllowed, "this revision of the protocol has POSTs only")
      }
      reply.prefersEvents = true
      return false
    }
    let post = try MCPPost(head, asksWho: clients.server.asksWho(listener))
    switch post.purpose {
    case .message:
      try PostTerms.check(head)
      guard head.framing != .none else { throw .malformed("the content is missing: POST a message") }
      reply.isVersion0 = head.isVersion0
      try expectContent(head, of: post)
    case .listen, .end:
      guard head.framing == .none else { throw .malformed("only a POST has a content") }
      guard post.purpose == .end || post.takesEvents else {
        throw HTTPFault(.notAcceptable, "what a GET opens is a stream of events: Accept: text/event-stream")
      }
      mcp = post
      reply.isVersion0 = head.isVersion0
      state = .answering
      belong(post) { connection, session in
        if post.purpose == .listen { connection.listen(to: session) } else { connection.end(session) }
      }
    }
    return true
  }

  /// Whether a request belongs to no session, as from this revision on none does: each POST is a client.
  private func isOfItsOwn(_ head: HTTPRequestHead) throws(HTTPFault) -> Bool {
    guard let version = try head.fields.single("MCP-Protocol-Version") else { return false }
    return version >= Self.firstWithoutSessions
  }

  private static let firstWithoutSessions = "2026-07-28"

  // MARK: Contents

  /// Where clients have to say who they are, little is kept for one of whom it is not known.
  private func expectContent(_ head: HTTPRequestHead, of post: MCPPost) throws(HTTPFault) {
    guard clients.server.asksWho(listener) else { return beginContent(head, of: post) }
    if post.sessionName != nil { return try identify(post, head) }
    if !clients.server.isKnown(credential, at: listener) {
      guard post.token != nil else { throw Self.nobody }
      // The token is judged by the session, which begins with the content.
      post.contentLimitBytes = clients.strangerContentBytes
      if case .length(let length) = head.framing, length > post.contentLimitBytes { throw Self.tooLong(post) }
    }
    beginContent(head, of: post)
  }

  private func beginContent(_ head: HTTPRequestHead, of post: MCPPost) {
    mcp = post
    state = .content
    letContentCome(head)
  }

  /// Whether a message is its session's client's is known before its content comes.
  private func identify(_ post: MCPPost, _ head: HTTPRequestHead) throws(HTTPFault) {
    guard let name = post.sessionName, let session = clients.session(named: name) else {
      throw Self.noSession
    }
    switch session.isOwn(post, over: self) {
    case true?:
      strangerSinceMilliseconds = nil
      post.knownSession = session
      beginContent(head, of: post)
    case false?: throw Self.noSession
    case nil:
      mcp = post
      // Meanwhile its content is read ahead, and no further than behind any request.
      state = .answering
      session.identify(post, over: self) { [weak self] verdict in
        guard let self, isAwaiting(post) else { return }
        if verdict.isForWantOfRoom { return refuseForRoom(verdict) }
        guard verdict.status == .ok else { return refuse(Self.noSession) }
        strangerSinceMilliseconds = nil
        post.knownSession = session
        beginContent(head, of: post)
        goOnReading()
      }
    }
  }

  private func goOnReading() {
    clients.arm(for: self)
    guard input.isEmpty else { return clients.readSoon(self) }
    // A content without a byte has come already.
    let nothing: [UInt8] = []
    read(nothing.span, count: 0)
  }

  static func tooLong(_ post: MCPPost) -> HTTPFault {
    HTTPFault(
      .contentTooLarge, "before its token counts a message has \(post.contentLimitBytes) bytes at most")
  }

  private static let nobody = HTTPFault(.unauthorized, "this takes a token: Authorization: Bearer TOKEN")
  private static let noSession = HTTPFault(
    .notFound, "there is no such session: initialize begins another one")

  /// All of a message has come.
  func endMCPContent() {
    guard let post = mcp, state == .content else { return }
    var line = post.content
    LineFeeds.replace(in: &line, from: 0)
    post.content = []
    state = .answering
    noteHeld()
    // The bound may have changed while it came.
    guard line.count <= clients.limits.contentBytes else { return refuse(.contentTooLarge, .tooLarge) }
    let content: MCPContent
    do throws(RPCError) {
      content = try MCPContent(line, clients.scanLimits) { clients.server.core.idTakenBack(by: $0, in: $1) }
    } catch {
      return refuse(.badRequest, error)
    }
    if content.isInitialize && post.sessionName == nil { return begin(post, content, line) }
    guard let session = post.knownSession else {
      return belong(post) { $0.pass(content, line, to: $1, of: post) }
    }
    // It may have ended meanwhile.
    guard session.isOpen else { return refuse(Self.noSession) }
    guard session.isOwn(post, over: self) == true else { return judgeAgain(post, content, line) }
    post.session = session
    pass(content, line, to: session, of: post)
  }

  /// The session has taken another token since the head came: this one may count no more. Meanwhile the content counts as
  /// held.
  private func judgeAgain(_ post: MCPPost, _ content: MCPContent, _ line: [UInt8]) {
    post.content = line
    noteHeld()
    belong(post) { connection, session in
      let line = post.content
      post.content = []
      connection.noteHeld()
      connection.pass(content, line, to: session, of: post)
    }
  }

  private func begin(_ post: MCPPost, _ content: MCPContent, _ line: [UInt8]) {
    let session = MCPSession(over: self)
    // The session takes its connection's place among those that have to authenticate.
    strangerSinceMilliseconds = nil
    clients.tellCounts()
    guard clients.begin(session, listener, credential) else {
      return refuse(.unavailable, .overloaded.with(message: "too many connections"))
    }
    post.session = session
    session.identify(post, over: self) { [weak self] verdict in
      guard let self, verdict.status == .ok, isAwaiting(post) else {
        session.abandon()
        guard let self, mcp === post else { return }
        if verdict.isForWantOfRoom { return refuseForRoom(verdict) }
        return refuse(Self.nobody)
      }
      replyFields.append(("Mcp-Session-Id", session.name))
      pass(content, line, to: session, of: post)
    }
  }

  /// Finds the session that a request names; it is refused where that is none of its client's.
  private func belong(_ post: MCPPost, _ then: @escaping (HTTPConnection, MCPSession) -> Void) {
    guard let name = post.sessionName else {
      return refuse(.malformed("Mcp-Session-Id is missing: initialize begins a session"))
    }
    guard let session = clients.session(named: name) else { return refuse(Self.noSession) }
    post.session = session
    // It may be gone by then.
    session.identify(post, over: self) { [weak self] verdict in
      guard let self, mcp === post else { return }
      if verdict.isForWantOfRoom { return refuseForRoom(verdict) }
      guard verdict.status == .ok else { return refuse(Self.noSession) }
      strangerSinceMilliseconds = nil
      if isAwaiting(post) { then(self, session) } else { refuse(Self.noSession) }
    }
  }

  private func refuseForRoom(_ verdict: ReplyHead) {
    if let seconds = verdict.retrySeconds { replyFields.append(("Retry-After", "\(seconds)")) }
    let message =
      verdict == MCPSession.tooManyPresented
      ? "too many tokens wait to be judged" : "there is no room for another of this principal"
    refuse(verdict.status, .overloaded.with(message: message))
  }

  /// Whether its client still waits for what becomes of a request.
  private func isAwaiting(_ post: MCPPost) -> Bool { mcp === post && !isClosed && state == .answering }

  private func pass(_ content: MCPContent, _ line: [UInt8], to session: MCPSession, of post: MCPPost) {
    reply.isEventStream = post.takesEvents
    if commentsWhenSilent { since(clients.nowMilliseconds) }
    let isRequest = content.kind != .other
    session.received(content, line, of: post, over: self)
    if !isRequest, isAwaiting(post) { respond(.accepted) }
  }

  private func listen(to session: MCPSession) {
    reply.isEventStream = true
    beginPieces()
    flush()
    since(clients.nowMilliseconds)
    session.listen(over: self)
  }

  private func end(_ session: MCPSession) {
    mcp?.session = nil
    session.end()
    respond(.noContent)
  }

  // MARK: What the session says

  /// - Parameters:
  ///   - line: with its line feed.
  ///   - isAnswer: nothing follows.
  func say(_ line: [UInt8], isAnswer: Bool) {
    guard !isClosed, state == .answering else { return }
    if isAnswer, !reply.hasBegun {
      reply.isEventStream = false
      return respond(.ok, [("Content-Type", "application/json")], line)
    }
    if !reply.hasBegun { beginPieces() }
    reply.append(line, to: &output)
    flush()
    if isAnswer { endReply() }
  }

  func endListening() {
    guard !isClosed, state == .answering else { return }
    endReply()
  }

  private func refuse(_ status: HTTPStatus, _ error: RPCError) {
    keepsConnection = false
    var line: [UInt8] = []
    MessageWriter.error(RequestID(), error, into: &line)
    respond(status, [("Content-Type", "application/json")], line)
  }
}
