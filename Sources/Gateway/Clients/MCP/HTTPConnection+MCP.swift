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
      mcp = post
      reply.isVersion0 = head.isVersion0
      state = .content
      letContentCome(head)
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
    belong(post) { $0.pass(content, line, to: $1, of: post) }
  }

  private func begin(_ post: MCPPost, _ content: MCPContent, _ line: [UInt8]) {
    let session = MCPSession(over: self)
    // The session takes its connection's place among those that have to authenticate.
    strangerSinceMilliseconds = nil
    clients.tellStrangers()
    guard clients.begin(session, listener, credential) else {
      return refuse(.unavailable, .overloaded.with(message: "too many connections"))
    }
    post.session = session
    session.identify(post, over: self) { [weak self] verdict in
      guard let self, verdict.status == .ok, isAwaiting(post) else {
        session.abandon()
        guard let self, mcp === post else { return }
        if verdict.isForWantOfRoom { return refuseForRoom(verdict) }
        return refuse(HTTPFault(.unauthorized, "this takes a token: Authorization: Bearer TOKEN"))
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
    let unknown = HTTPFault(.notFound, "there is no such session: initialize begins another one")
    guard let session = clients.session(named: name) else { return refuse(unknown) }
    post.session = session
    // It may be gone by then.
    session.identify(post, over: self) { [weak self] verdict in
      guard let self, mcp === post else { return }
      if verdict.isForWantOfRoom { return refuseForRoom(verdict) }
      guard verdict.status == .ok else { return refuse(unknown) }
      strangerSinceMilliseconds = nil
      if isAwaiting(post) { then(self, session) } else { refuse(unknown) }
    }
  }

  private func refuseForRoom(_ verdict: ReplyHead) {
    if let seconds = verdict.retrySeconds { replyFields.append(("Retry-After", "\(seconds)")) }
    refuse(verdict.status, .overloaded.with(message: "there is no room for another of this principal"))
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
