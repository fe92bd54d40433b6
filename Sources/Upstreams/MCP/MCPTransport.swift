#if HTTPUpstreams
package import GatewayCore
import CLibCurl
import HotData
import JSONRPC
package import LibUV
import TaskStore

/// One client's sessions with a server of the Model Context Protocol over streamable HTTP (revisions 2025-03-26 to
/// 2025-11-25, section "Transports"; 2026-07-28 and later for messages that give such a revision).
///
/// To the core it is a connection with lines: each line that the core writes becomes a POST, and each message of the
/// server, from responses and event streams, becomes a line.
///
/// A client that sends `initialize` once more gets another session, which takes the first one's place once it has begun.
/// What is still under way in the first is answered if its server does so; else it fails alone. All else that is said
/// there is dropped: an answer to it would go to the new session, which does not know it.
package final class MCPTransport: ByteTransport {
  /// How long an event stream may go on after its answer, or after its request was cancelled, before it is closed.
  static let lingerMilliseconds: UInt64 = 1_000
  /// The pause before an event stream that broke off is resumed, unless its server gives another.
  static let usualRetryMilliseconds: UInt64 = 1_000
  static let longestRetryMilliseconds: UInt64 = 30_000
  /// The shortest pause before the stream for the server's own messages is opened again, even if the server asks for
  /// less (`retry: 0`).
  static let shortestRetryMilliseconds: UInt64 = 100
  /// How often in a row a stream is resumed to get an answer without a new message.
  static let resumptionLimit = 2
  /// While so much waits to be posted, `write` takes no more.
  static let waitingLimitBytes = 1 << 20

  package let id: UpstreamID
  package var delegate: (any UpstreamTransportDelegate)?
  let server: MCPServer
  let loop: EventLoop
  /// The session that has begun last; one without an id, if none has.
  private var session = MCPSession()
  private var framer = LineFramer(limitBytes: .max)
  private var waiting = MCPWaitingLine()
  private var wasRefused = false
  var posts: [MCPPost] = []
  /// The message that must be sent, or accepted, before the next one is posted.
  private var gate: MCPPost?
  private var isReading = true
  private var isConnecting = false
  /// Requests that could not be posted, and why. The delegate is told later, not from within a call of the owner's.
  private var failures: [(task: TaskID, reason: String)] = []
  private var isOpen = false
  private var timer: LoopTimer?

  package init(_ id: UpstreamID, with server: MCPServer, on loop: EventLoop) {
    self.id = id
    self.server = server
    self.loop = loop
  }

  package var name: String { "mcp+" + server.endpoint.name }
  package let connectsAsNeeded = true

  package func connect() {
    (isOpen, isConnecting) = (true, true)
    timer = LoopTimer(on: loop) { [unowned self] in timeHasCome() }
    timer?.start(afterMilliseconds: 0)
  }

  package func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    guard isOpen else { return 0 }
    guard waiting.byteCount < Self.waitingLimitBytes else {
      wasRefused = true
      return 0
    }
    var bytes: [UInt8] = []
    for index in chunks.indices { unsafe bytes.append(contentsOf: chunks[index]) }
    var offset = 0
    while let line = framer.nextLine(in: bytes, from: &offset) { waiting.append(MCPMessage(line)) }
    giveUpCancelled()
    postWaiting()
    return bytes.count
  }

  package func setReading(_ isReading: Bool) {
    guard isReading != self.isReading else { return }
    self.isReading = isReading
    for transfer in transfers {
      transfer.setReading(isReading)
    }
  }

  private var transfers: [HTTPTransfer] {
    posts.compactMap(\.transfer) + [session.listening].compactMap { $0 }
  }

  /// Does nothing: the server is told when the session ends, not when its client sends no more.
  package func end() {}
  package var isWriting: Bool { !waiting.isEmpty }
  package let hasEndedWell = false
  package let endsWithItsWork = false

  /// Tells the server that the session is over, or, without a session, sends the notifications that still wait.
  package func disconnect() {
    guard isOpen else { return }
    isOpen = false
    for post in posts { endTransfer(of: post) }
    let sessions = [session] + posts.map(\.session)
    if sessions.allSatisfy({ $0.id == nil }) {
      for message in waiting.all where message.kind == .notification && message.version == nil {
        server.takeLeave(message.bytes, session.fields, by: .post)
      }
    }
    for session in sessions { leave(session) }
    (posts, waiting, gate) = ([], MCPWaitingLine(), nil)
    failures = []
    timer?.close()
    timer = nil
  }
}

// MARK: Sessions

extension MCPTransport {
  /// A session has begun: the one before it ends.
  private func begin(_ session: MCPSession) {
    let former = self.session
    self.session = session
    leave(former)
  }

  /// Closes the stream of a session, and tells its server that it is over, unless it knows.
  private func leave(_ session: MCPSession) {
    if let transfer = session.listening { server.calls.end(transfer) }
    (session.listening, session.listensAgainMilliseconds) = (nil, nil)
    guard !session.isOver else { return }
    session.isOver = true
    if session.id != nil { server.takeLeave([], session.fields, by: .delete) }
  }

  /// The server knows a session no more. That ends the connection, unless its client has another session, or has asked
  /// for one.
  func serverEnded(_ session: MCPSession) {
    // It gets no goodbye.
    session.isOver = true
    guard session === self.session else { return }
    guard !posts.contains(where: { $0.message.isInitialize && !$0.isOver }) else { return leave(session) }
    disconnect()
    delegate?.transport(id, disconnected: "HTTP 404: the server has ended the session")
  }
}

// MARK: Posting

extension MCPTransport {
  /// Posts waiting messages in their order: each once the one before it has been sent, if that is a request, or
  /// accepted, if it is not.
  private func postWaiting() {
    while isOpen, gate == nil, let message = waiting.popFirst() {
      // Nobody wants it any more.
      if let task = message.task, waiting.takeCancel(of: task) { continue }
      if let task = message.cancelled {
        let isToldOf = cancel(task)
        // In these revisions the end of the stream is the cancel.
        if !isToldOf || message.version != nil { continue }
      }
      post(message)
    }
    guard isOpen, wasRefused, waiting.byteCount < Self.waitingLimitBytes else { return }
    wasRefused = false
    delegate?.transportBecameWritable(id)
  }

  private func post(_ message: MCPMessage) {
    let post = MCPPost(message, in: message.isInitialize ? MCPSession() : session)
    posts.append(post)
    gate = post
    let isRequest = message.kind == .request
    // The core ends a request when its time is over; other messages need a deadline of their own.
    let limit = isRequest ? UInt64.max : loop.nowMilliseconds + server.bounds.connectMilliseconds
    var request = HTTPRequest(message.bytes, deadline: limit, takesEvents: true, isNotification: !isRequest)
    request.fields = message.version == nil ? post.session.fields : message.ownFields
    begin(request, of: post)
  }

  /// - Returns: whether the request was begun.
  private func begin(_ request: HTTPRequest, of post: MCPPost) {
    let listener = HTTPCalls.Listener(
      onNews: { [unowned self] in heard($0, of: post) },
      onEnd: { [unowned self] in ended(post, $0, $1) })
    post.transfer = server.calls.begin(request, to: server.endpoint, server.bounds, listener) { transfer in
      if post.message.isInitialize { transfer.heardField = "mcp-session-id" }
    }
    guard post.transfer == nil else { return }
    remove(post)
    guard let task = post.message.task, !post.isOver else { return }
    post.isOver = true
    failures.append((task, HTTPLibrary.fault ?? "libcurl is out of memory"))
    timer?.start(afterMilliseconds: 0)
  }

  /// Lets the next message be posted, if this one held it back.
  private func openGate(of post: MCPPost) {
    guard gate === post else { return }
    gate = nil
    postWaiting()
  }

  private func remove(_ post: MCPPost) {
    posts.removeAll { $0 === post }
    if gate === post { gate = nil }
    // It began no session, but its server may have.
    if post.message.isInitialize, post.session !== session { leave(post.session) }
  }

  /// Cancels a task's request. Up to revision 2025-11-25 a notification tells the server of it, and the end of the
  /// stream means nothing; since then the end of the stream tells it.
  /// - Returns: whether a notification is to tell the server: it knows no requests of a session that is over.
  private func cancel(_ task: TaskID) -> Bool {
    guard let post = posts.first(where: { $0.message.task == task && !$0.isOver }) else { return true }
    post.isOver = true
    let isToldOf = !post.hasLostSession
    if post.message.version == nil, post.transfer != nil, isToldOf { linger(post) } else { close(post) }
    return isToldOf
  }

  /// Gives up the request that holds back all others, if its cancel waits behind it. Its server is not told: it has not
  /// got the whole request, or it is `initialize`, for which the protocol has no cancel.
  private func giveUpCancelled() {
    guard let post = gate, let task = post.message.task,
      post.message.isInitialize || post.transfer?.hasSentAll == false, waiting.takeCancel(of: task)
    else { return }
    post.isOver = true
    close(post)
  }

  private func close(_ post: MCPPost) {
    endTransfer(of: post)
    remove(post)
  }

  private func endTransfer(of post: MCPPost) {
    guard let transfer = post.transfer else { return }
    // It may have begun a session.
    note(transfer, of: post)
    server.calls.end(transfer)
  }
}

// MARK: What comes back

extension MCPTransport {
  /// Notes the session's id and the stream's last event from a response.
  private func note(_ transfer: HTTPTransfer, of post: MCPPost) {
    if post.message.isInitialize, let name = transfer.heardValue { post.session.id = name }
    post.lastEventID = transfer.lastEventID ?? post.lastEventID
  }

  private func heard(_ transfer: HTTPTransfer, of post: MCPPost) {
    note(transfer, of: post)
    for message in transfer.takeMessages() {
      guard isOpen, posts.contains(where: { $0 === post }) else { return }
      post.resumptions = 0
      tell(message, message.count - JSONText.slackByteCount, of: post)
    }
    guard isOpen else { return }
    if !isReading { transfer.setReading(false) }
    if transfer.isTaken { taken(post) }
    let hasLeft = transfer.hasSentAll && post.message.kind == .request && !post.message.isInitialize
    if hasLeft || post.isOver { openGate(of: post) }
  }

  /// A message without an answer has been accepted. The rest of its response is ignored.
  private func taken(_ post: MCPPost) {
    guard !post.isOver else { return }
    post.isOver = true
    linger(post)
    if post.message.method == Self.readiness { listen(in: post.session) }
  }

  /// - Parameter post: the POST that the message may answer.
  private func tell(_ message: [UInt8], _ count: Int, of post: MCPPost) {
    var envelope = Envelope()
    let text = message.span
    let limits = ScanLimits(nestingLevels: JSONText.depthLimit)
    guard case .message = EnvelopeScanner.scan(text, 0..<count, limits, into: &envelope), envelope.isResponse,
      JSONNumber.nonNegativeInteger(envelope.id, in: text) == post.message.task?.rawValue
    else {
      if !post.hasLostSession { tellCore(message, count) }
      return
    }
    if post.message.isInitialize, !post.isOver, envelope.error.isEmpty {
      post.session.version = MCPReader.agreedRevision(envelope, in: text)
      begin(post.session)
    }
    if !post.isOver {
      post.isOver = true
      linger(post)
    }
    tellCore(message, count)
  }

  /// The core reads lines, so line breaks become spaces: in JSON they can only stand between tokens.
  func tellCore(_ message: [UInt8], _ count: Int) {
    var line = Array(message.prefix(count))
    for index in line.indices where line[index] == 0x0a || line[index] == 0x0d { line[index] = 0x20 }
    line.append(0x0a)
    let padded = JSONText.padded(line)
    delegate?.transport(id, received: padded.span, count: line.count)
  }

  private func ended(_ post: MCPPost, _ transfer: HTTPTransfer, _ code: CURLcode) {
    guard isOpen else { return }
    note(transfer, of: post)
    post.transfer = nil
    let status = transfer.status
    if status == 404, post.session.id != nil, post.message.version == nil, !post.message.isInitialize {
      serverEnded(post.session)
      guard isOpen else { return }
    }
    let retry = transfer.retryMilliseconds
    let outcome = transfer.takeOutcome(code)
    guard !post.isOver, post.message.kind == .request else {
      if post.message.kind != .request, !Self.accepting.contains(status) {
        delegate?.transport(id, lost: status == 0 ? "not taken" : "HTTP \(status)")
      }
      return finish(post)
    }
    switch outcome {
    case .answer(let bytes, let count): answer(post, bytes, count, transfer)
    case .accepted: fail(post, .unanswered, "HTTP \(status) without an answer")
    case .failure(let failure, let reason):
      // Resumed, the stream would bring what is too long again.
      if post.lastEventID != nil, post.resumptions < Self.resumptionLimit, failure != .tooLong,
        !post.hasLostSession
      {
        return resume(post, after: retry)
      }
      // A request whose stream has begun has reached the server, even if resuming the stream fails.
      fail(post, post.lastEventID == nil || failure == .tooLong ? failure : .unanswered, reason)
    }
    finish(post)
  }

  private static let accepting = 200...299
  /// The method by which a client says that the session has begun.
  private static let readiness = "notifications/initialized"

  private func finish(_ post: MCPPost) {
    guard isOpen else { return }
    remove(post)
    postWaiting()
  }

  /// The content of a response is the answer if it names the request. An error of a server that refuses the request is
  /// its answer, too, whichever id it has.
  private func answer(_ post: MCPPost, _ bytes: [UInt8], _ count: Int, _ transfer: HTTPTransfer) {
    let status = transfer.status
    var envelope = Envelope()
    let text = bytes.span
    let limits = ScanLimits(nestingLevels: JSONText.depthLimit)
    let outcome = EnvelopeScanner.scan(text, 0..<count, limits, into: &envelope)
    let isOwn = JSONNumber.nonNegativeInteger(envelope.id, in: text) == post.message.task?.rawValue
    let isError = !envelope.error.isEmpty
    let isNameless = isError && bytes.span.holds("null", in: envelope.id.range)
    if case .message = outcome, envelope.isResponse {
      if isOwn { return tell(bytes, count, of: post) }
      if !isNameless { server.calls.distrust(transfer) }
    }
    // An error that refuses to resume a stream is no answer to the original request.
    guard post.resumptions == 0, !Self.accepting.contains(status) || isNameless,
      case .message = outcome, isError, let task = post.message.task
    else { return fail(post, .unanswered, "HTTP \(status) without an answer") }
    post.isOver = true
    var line = Array("{\"jsonrpc\":\"2.0\",\"id\":\(task.rawValue),\"error\":".utf8)
    line += bytes[envelope.error.range]
    line.append(UInt8(ascii: "}"))
    tellCore(line, line.count)
  }

  private func fail(_ post: MCPPost, _ failure: ExchangeFailure, _ reason: String) {
    post.isOver = true
    if let task = post.message.task { delegate?.transport(id, failed: task, failure, reason: reason) }
  }
}

// MARK: Time

extension MCPTransport {
  /// Lets a POST's stream go on for a while. As many may do so as requests may be on their way.
  private func linger(_ post: MCPPost) {
    wait(for: post, Self.lingerMilliseconds)
    let lingering = posts.filter { $0.isOver && $0.transfer != nil }
    if lingering.count > server.endpoint.connections { close(lingering[0]) }
  }

  private func wait(for post: MCPPost, _ milliseconds: UInt64) {
    post.dueMilliseconds = loop.nowMilliseconds + milliseconds
    arm()
  }

  func arm() {
    let dues = posts.compactMap(\.dueMilliseconds) + [session.listensAgainMilliseconds].compactMap { $0 }
    if let due = dues.min() { timer?.start(atMilliseconds: due) }
  }

  private func timeHasCome() {
    if isConnecting {
      isConnecting = false
      delegate?.transportConnected(id)
      guard isOpen else { return }
    }
    let failures = failures
    self.failures = []
    for (task, reason) in failures {
      delegate?.transport(id, failed: task, .untried, reason: reason)
      guard isOpen else { return }
    }
    let now = loop.nowMilliseconds
    for post in posts where post.dueMilliseconds.map({ $0 <= now }) ?? false {
      post.dueMilliseconds = nil
      if post.isOver { close(post) } else { goOn(with: post) }
    }
    if let due = session.listensAgainMilliseconds, due <= now {
      session.listensAgainMilliseconds = nil
      listen(in: session)
    }
    guard isOpen else { return }
    postWaiting()
    arm()
  }

  /// Resumes a stream that broke off before the answer, after its last event.
  private func resume(_ post: MCPPost, after retry: UInt64?) {
    post.resumptions += 1
    // Behind `initialize` the others wait for its answer, whichever way that comes.
    if gate === post, !post.message.isInitialize { gate = nil }
    wait(for: post, min(retry ?? Self.usualRetryMilliseconds, Self.longestRetryMilliseconds))
    postWaiting()
  }

  private func goOn(with post: MCPPost) {
    var request = HTTPRequest([], deadline: .max, takesEvents: true)
    request.method = .get
    request.fields = post.session.fields + ["Last-Event-ID: \(post.lastEventID ?? "")"]
    begin(request, of: post)
  }
}

@available(*, unavailable)
extension MCPTransport: Sendable {}
#endif
