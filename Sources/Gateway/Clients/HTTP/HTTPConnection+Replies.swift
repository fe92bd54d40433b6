import GatewayCore
import HTTP1
import JSONRPC

/// What is said over the connection.
extension HTTPConnection {
  // MARK: Responses of its own

  /// - Parameter isHead: the content is left out.
  func respond(
    _ status: HTTPStatus, _ fields: [(String, String)] = [], _ body: [UInt8] = [], isHead: Bool = false
  ) {
    var length: [(String, String)] = []
    if status != .noContent { length = [("Content-Length", "\(body.count)")] }
    var bytes = head(status, fields + length)
    if !isHead { bytes.append(contentsOf: body) }
    send(bytes)
    endRequest()
  }

  /// Refuses a request in the words of JSON-RPC, and closes: what comes behind its head is not looked at.
  func refuse(_ fault: HTTPFault, isHead: Bool = false) {
    guard !isClosed, state != .leaving else { return }
    keepsConnection = false
    if exchange.isOpen { exchange.abandon() }
    guard !reply.hasBegun else { return leave() }
    var fields = [("Content-Type", "application/json")]
    switch fault.status {
    case .unauthorized: fields.append(("WWW-Authenticate", "Bearer"))
    case .methodNotAllowed: fields.append(("Allow", reply.allowed))
    default: break
    }
    respond(fault.status, fields, Self.line(of: fault), isHead: isHead)
  }

  private static func line(of fault: HTTPFault) -> [UInt8] {
    var line: [UInt8] = []
    MessageWriter.error(RequestID(), error(fault), into: &line)
    return line
  }

  private static func error(_ fault: HTTPFault) -> RPCError {
    let error: RPCError =
      switch fault.status {
      case .unauthorized: .unauthenticated
      case .forbidden: .forbidden
      case .contentTooLarge: .tooLarge
      default: .invalidRequest
      }
    return error.with(message: fault.reason)
  }

  private func head(_ status: HTTPStatus, _ fields: [(String, String)]) -> [UInt8] {
    var bytes: [UInt8] = []
    let usual = [("Connection", keepsConnection ? "keep-alive" : "close")]
    HTTPWriter.head(status, fields + replyFields + usual, into: &bytes)
    return bytes
  }

  func send(_ bytes: [UInt8]) {
    guard !isClosed else { return }
    output.append(contentsOf: bytes)
    flush()
  }

  /// A response is complete: another request may come.
  private func endRequest() {
    guard !isClosed, state != .leaving else { return }
    mcp = nil
    guard keepsConnection else { return leave() }
    state = .reading
    // What is wrong with the next head is told by itself.
    (reply, replyFields) = (HTTPReply(), clients.plainFields(of: listener))
    since(clients.nowMilliseconds)
    // The core says no more of a client that it has let go.
    if isContentPaused { setReadingContent(true) }
    // Not from here: the core may be speaking.
    if !input.isEmpty { return clients.readSoon(self) }
    // Else what is still to be read comes to its end there.
    if !isInRead { endInput() }
  }

  /// The core has said all that it says to a POST.
  func endReply() {
    guard !isClosed, state != .leaving else { return }
    // It was answered before all of it had come: the rest is not looked at.
    if state == .content { keepsConnection = false }
    switch reply.form {
    case .unbegun where state == .content: return refuse(.tooSlow)
    case .unbegun: return respond(.accepted)
    case .sized(leftBytes: 0): break
    // The core has given it up: what was cut off must not look whole.
    case .chunked where reply.isInLine: keepsConnection = false
    case .chunked:
      var end: [UInt8] = []
      HTTPWriter.lastChunk(into: &end)
      send(end)
    case .sized, .untilEnd: keepsConnection = false
    }
    endRequest()
  }
}

extension HTTPConnection: HTTPExchange.Owner {
  var peerAddress: String? { carrier.peerAddress }
  var way: ClientWay {
    ClientWay(reply.isEventStream ? .events : .http, isSecure: carrier.way.isSecure)
  }
  var inFlightByteCount: Int { carrier.inFlightByteCount + output.count }

  func setReadingContent(_ isReading: Bool) {
    isContentPaused = !isReading
    carrier.setReading(isReading && input.count <= Self.aheadLimitBytes)
  }

  func exchangeEnded() { endReply() }

  func exchangeDropped() { cutOff() }

  func exchangeAnswers(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    guard !isClosed, output.isEmpty, state != .leaving else { return 0 }
    // The core has given it up for the same reason, a moment sooner.
    if isLate && !reply.hasBegun { refuse(with: ReplyHead(.requestTimeout), Self.line(of: .tooSlow)) }
    if reply.hidesLine || reply.isRefused { return unsafe takeHidden(chunks) }
    if !reply.hasBegun {
      guard let length = unsafe reply.wholeByteCount(chunks) else {
        beginPieces()
        return unsafe answerPieces(chunks)
      }
      return unsafe answerWhole(chunks, length: length)
    }
    guard case .sized(let left) = reply.form else { return unsafe answerPieces(chunks) }
    let nothing: [UInt8] = []
    return left > 0 ? unsafe answer(chunks, behind: nothing, length: left) : unsafe chunks.byteCount
  }

  /// The whole reply is there: it is handed on as it lies there, behind a head.
  private func answerWhole(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, length: Int) -> Int {
    clients.lend { head in
      writeReplyHead(unsafe ReplyHead(of: chunks[0]), length: length, into: &head)
      return unsafe answer(chunks, behind: head, length: length)
    }
  }

  /// - Parameter length: so much of the reply is still to be handed on; what lies behind that is no part of it.
  private func answer(
    _ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, behind head: borrowing [UInt8], length: Int
  ) -> Int {
    let taken = unsafe head.withUnsafeBytes { head in
      unsafe withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: chunks.count + 1) {
        all in
        unsafe all.initializeElement(at: 0, to: head)
        var (count, left) = (1, length)
        for index in chunks.indices where left > 0 {
          let part = unsafe UnsafeRawBufferPointer(rebasing: chunks[index].prefix(left))
          unsafe all.initializeElement(at: count, to: part)
          count += 1
          left -= part.count
        }
        return unsafe carrier.write(UnsafeBufferPointer(rebasing: all[..<count]))
      }
    }
    if taken < head.count { output.append(contentsOf: head[taken...]) }
    let takenOfReply = max(0, taken - head.count)
    reply.form = .sized(leftBytes: length - takenOfReply)
    return takenOfReply < length ? takenOfReply : unsafe chunks.byteCount
  }

  private func writeReplyHead(_ reply: ReplyHead, length: Int, into head: inout [UInt8]) {
    guard reply == ReplyHead(), let known = usualReply else {
      return head.append(contentsOf: replyHead(reply, length: length))
    }
    known.writeReplyHead(length: length, into: &head)
  }

  /// Nil unless the head of a usual reply is what it was for the last POST.
  private var usualReply: KnownPost? { isKnownPost && keepsConnection && state != .content ? knownPost : nil }

  /// The head of a usual reply, cut where its length stands; that of an event stream has none.
  func replyPieces(isEventStream: Bool) -> (before: [UInt8], after: [UInt8]) {
    if isEventStream { return (piecesHead(), []) }
    let length = ("Content-Length", "")
    var (fields, rest): ([UInt8], [UInt8]) = ([], [])
    HTTPWriter.head(.ok, [("Content-Type", "application/json"), length], into: &fields)
    let others = replyFields + [("Connection", "keep-alive")]
    HTTPWriter.head(.ok, others, into: &rest)
    // Without the line's end and the empty line; and from the end of the first line on.
    return (Array(fields.dropLast(4)), Array(rest[(rest.firstIndex(of: 0x0d) ?? 0)...]))
  }

  private func replyHead(_ reply: ReplyHead, length: Int) -> [UInt8] {
    var fields = [("Content-Type", "application/json"), ("Content-Length", "\(length)")]
    if let seconds = reply.retrySeconds { fields.append(("Retry-After", "\(seconds)")) }
    if reply.status == .unauthorized { fields.append(("WWW-Authenticate", "Bearer")) }
    if state == .content { keepsConnection = false }
    return head(reply.status, fields)
  }

  /// Nothing was said for long on an event stream: what stands between shall not take it for dead.
  func sendComment() {
    since(clients.nowMilliseconds)
    // Within an event there is no room for one.
    guard output.isEmpty, !reply.isInLine else { return }
    if !reply.hasBegun { beginPieces() }
    reply.appendComment(to: &output)
    flush()
  }

  func beginPieces() {
    if reply.isVersion0 { keepsConnection = false }
    reply.form = reply.isVersion0 ? .untilEnd : .chunked
    if let known = usualReply, known.wantsEvents {
      output = known.replyBefore
    } else {
      output = piecesHead()
    }
  }

  private func piecesHead() -> [UInt8] {
    var fields = [("Content-Type", reply.isEventStream ? "text/event-stream" : "application/json")]
    if reply.isEventStream { fields.append(("X-Accel-Buffering", "no")) }
    if !reply.isVersion0 { fields.append(("Transfer-Encoding", "chunked")) }
    return head(.ok, fields)
  }

  private func answerPieces(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    var taken = 0
    for index in chunks.indices {
      var rest = unsafe chunks[index][...]
      while unsafe !rest.isEmpty {
        guard !reply.isOver else { return unsafe chunks.byteCount }
        // What is not taken of it will be asked for once the rest has left.
        guard output.isEmpty || taken == 0 else { return taken }
        let piece = unsafe Array(
          reply.piece(of: UnsafeRawBufferPointer(rebasing: rest.prefix(Self.pieceBytes))))
        reply.append(piece, to: &output)
        flush()
        taken += piece.count
        unsafe rest = unsafe rest.dropFirst(piece.count)
      }
    }
    return taken
  }

  /// What the gateway asked itself is answered first. If whoever asks is nobody, that is the reply, and the only one.
  private func takeHidden(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    let count = unsafe chunks.byteCount
    guard reply.hidesLine else { return count }
    for index in chunks.indices { unsafe reply.hiddenLine.append(contentsOf: chunks[index]) }
    guard let end = reply.hiddenLine.firstIndex(of: UInt8(ascii: "\n")) else { return count }
    let rest = Array(reply.hiddenLine[(end + 1)...])
    let line = Array(reply.hiddenLine[...end])
    (reply.hidesLine, reply.hiddenLine) = (false, [])
    let verdict = ReplyHead(of: line.span)
    guard verdict.status == .ok else {
      refuse(with: verdict, line)
      return count
    }
    strangerSinceMilliseconds = nil
    guard !rest.isEmpty else { return count }
    // Both pointers are valid during the call, and nothing of them is kept.
    let taken = unsafe rest.withUnsafeBytes { chunk in
      unsafe withUnsafePointer(to: chunk) { unsafe exchangeAnswers(UnsafeBufferPointer(start: $0, count: 1)) }
    }
    return count - rest.count + taken
  }

  private func refuse(with verdict: ReplyHead, _ line: [UInt8]) {
    (reply.isRefused, reply.hidesLine) = (true, false)
    keepsConnection = false
    reply.form = .sized(leftBytes: 0)
    send(replyHead(verdict, length: line.count) + line)
  }
}

extension UnsafeBufferPointer<UnsafeRawBufferPointer> {
  fileprivate var byteCount: Int { unsafe reduce(0) { $0 + $1.count } }
}

extension ReplyHead {
  /// What is said of a reply lies near its beginning.
  fileprivate init(of chunk: UnsafeRawBufferPointer) {
    // Valid while the core writes, and not kept.
    let bytes = unsafe Span<UInt8>(_unsafeElements: chunk.prefix(8 * 1024).bindMemory(to: UInt8.self))
    self.init(of: bytes)
  }
}
