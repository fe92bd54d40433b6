import GatewayCore
import HTTP1
import Identity
import JSONRPC
import LibUV

/// A session of the Model Context Protocol over streamable HTTP (revisions 2025-03-26 to 2025-11-25, section
/// "Transports"): to the core one client, which each of its POSTs brings a message of.
///
/// An answer goes out as the response to the POST that asked, or at the end of its stream of events, whatever else
/// waits. A message about a request goes over that request's stream, else over the one of a GET. Any other goes over
/// the stream of a GET, else over that of the newest POST that has one.
final class MCPSession: ClientTransport {
  /// How many bytes are kept for streams that are not there; the same again is allowed now and then. If so many bytes
  /// wait in a stream, later messages for it wait, too.
  static let keptLimitBytes = 64 * 1024

  /// The verdict on a token for which there is no room.
  static var tooManyPresented: ReplyHead { ReplyHead(.unavailable, retrySeconds: 1) }

  /// Its name for its client, which nobody else can guess.
  let name: String
  let listener: Int
  private let credential: Credential?
  unowned let clients: HTTPClients
  var place = 0
  private var client = ClientID(slot: 0)
  /// Nil before the start, and once it is closed.
  private var delegate: (any ClientTransportDelegate)?
  private let ways: (peerAddress: String?, way: ClientWay)
  private var framer = LineFramer(limitBytes: .max)
  private var requests = MCPRequests<HTTPConnection>()
  private var listening: HTTPConnection?
  /// What has no stream, oldest first.
  private var kept: [MCPUnsaid] = []
  private var keptBytes = 0
  /// Messages for streams that take nothing yet: all else passes them.
  private var waiting: [ObjectIdentifier: MCPWaiting] = [:]
  private var waitingBytes = 0
  private var waitingCount = 0
  /// The memory of kept and waiting messages, in whole pages.
  private var heldBytes = 0
  /// More waits than may: the session ends with this turn.
  private var isOverfull = false
  /// Of the token that was accepted last; nil: none was.
  private var digest: TokenDigest?
  private var presented = PresentedTokens()
  /// Since when nothing of it is under way.
  private(set) var quietMilliseconds: UInt64

  /// - Parameter connection: over which it was begun.
  init(over connection: HTTPConnection) {
    clients = connection.clients
    listener = connection.listener
    credential = connection.credential
    ways = (connection.carrier.peerAddress, ClientWay(.mcp, isSecure: connection.carrier.way.isSecure))
    name = (0..<2).map { _ in
      let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
    quietMilliseconds = connection.clients.nowMilliseconds
  }

  var isOpen: Bool { delegate != nil }

  // MARK: Who it is

  /// Whether a request that names the session is its client's; nil: it shows a token that the core has to judge.
  func isOwn(_ post: MCPPost, over connection: HTTPConnection) -> Bool? {
    guard connection.listener == listener else { return false }
    guard clients.server.asksWho(listener) else { return true }
    guard let token = post.token else {
      return self.digest == nil && connection.credential == credential
        && !clients.server.core.isUnknown(client)
    }
    guard let digest, digest == TokenDigest(of: Array(token.utf8)) else { return nil }
    return true
  }

  /// The same as a status, which is 200 if it is. `then` hears of that, at once or later.
  func identify(_ post: MCPPost, over connection: HTTPConnection, then: @escaping (ReplyHead) -> Void) {
    let isOwn = isOwn(post, over: connection)
    guard isOwn == nil, let token = post.token else {
      return then(ReplyHead(isOwn == true ? .ok : .unauthorized))
    }
    let isFirst = presented.isEmpty
    guard presented.add(token, over: ObjectIdentifier(connection), then: then) else {
      return then(Self.tooManyPresented)
    }
    post.judge = self
    if isFirst { present(token) }
  }

  /// A connection has gone whose token it has, or had, to judge.
  func forgetToken(of connection: HTTPConnection) { presented.forget(ObjectIdentifier(connection)) }

  private func present(_ token: String) { pass(HTTPConnection.presenting(token, as: "\"\(name)\"")) }

  private func judged(_ verdict: ReplyHead) {
    // It may have ended meanwhile.
    guard let presentation = presented.takeFirst() else { return }
    if verdict.status == .ok { accept(presentation.digest) }
    // Before what follows can present another one.
    if isOpen, let next = presented.first { present(next) }
    for asker in presentation.askers { asker.onVerdict(verdict) }
  }

  /// Where it is another token, the stream that an earlier one has opened ends: nobody would notice that the earlier one
  /// counts no more. Its client opens another stream.
  private func accept(_ digest: TokenDigest?) {
    guard digest != self.digest else { return }
    self.digest = digest
    guard let stream = listening else { return }
    left(stream, nil)
    stream.endListening()
  }

  // MARK: What its client says

  /// A message of its client's. The core knows each request by a text of the session's own, under which it is also taken
  /// back.
  func received(
    _ content: MCPContent, _ line: [UInt8], of post: MCPPost, over connection: HTTPConnection
  ) {
    var line = line
    var places: [(range: Range<Int>, text: [UInt8])] = []
    if let range = content.takenBack {
      places.append((range, requests.newest(withID: line[range]).map(MCPRequestID.text) ?? MCPRequestID.none))
    }
    if case .request(let range) = content.kind {
      let number = requests.add(
        id: Array(line[range]), progressToken: content.progressToken, takesEvents: post.takesEvents,
        over: connection)
      post.number = number
      places.append((range, MCPRequestID.text(number)))
      sayKept()
    }
    for place in places.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      line.replaceSubrange(place.range, with: place.text)
    }
    pass(line)
  }

  private func pass(_ line: [UInt8]) {
    clients.lend { scratch in
      scratch.append(contentsOf: line)
      if line.last != UInt8(ascii: "\n") { scratch.append(UInt8(ascii: "\n")) }
      let count = scratch.count
      scratch.append(contentsOf: HTTPClients.slack)
      delegate?.client(client, received: scratch.span, count: count)
    }
  }

  /// What belongs to no request goes over this one from now on.
  func listen(over connection: HTTPConnection) {
    let earlier = listening
    listening = connection
    if let earlier, let queue = takeWaiting(for: earlier) {
      while let unsaid = queue.removeFirst() { wait(unsaid, for: connection) }
    }
    earlier?.endListening()
    sayWaiting(over: connection)
    sayKept()
  }

  /// A connection that it answers over has gone.
  /// - Parameter number: of the request that came over it, if one did.
  func left(_ connection: HTTPConnection, _ number: UInt64?) {
    if listening === connection { listening = nil }
    if let number { requests.leave(number, atMilliseconds: clients.nowMilliseconds) }
    if let queue = takeWaiting(for: connection), !queue.isAnswered {
      while let unsaid = queue.removeFirst() { if !isOver(unsaid) { keep(unsaid) } }
      dropOldest()
    }
    sayKept()
    noteHeld()
    becameQuiet()
  }

  /// Its client ends it: what it has asked is taken back, and hears so.
  func end() {
    clients.forget(self)
    if isOpen { clients.server.end(client) }
  }

  /// Nobody waits for anything of it any more.
  func abandon() {
    leave()
    finish()
  }

  /// The same, and its place is free at once. Not to be called while the core calls.
  func makePlace() {
    let wasOpen = isOpen
    delegate = nil
    if wasOpen { clients.server.remove(client) }
    finish()
  }

  // MARK: What the core says

  func start(as client: ClientID, _ delegate: any ClientTransportDelegate) {
    self.client = client
    self.delegate = delegate
  }

  /// Takes all: what does not leave yet waits here, for its own stream alone.
  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    var count = 0
    for index in chunks.indices {
      let bytes = unsafe Array(chunks[index])
      var offset = 0
      while let line = framer.nextLine(in: bytes, from: &offset) { say(line) }
      count += bytes.count
    }
    noteHeld()
    return count
  }

  private func say(_ line: [UInt8]) {
    let padded = JSONText.padded(line)
    let text = padded.span
    var envelope = Envelope()
    // The core wrote it.
    let limits = ScanLimits(nestingLevels: JSONText.depthLimit, idBytes: .max, methodBytes: .max)
    _ = EnvelopeScanner.scan(text, 0..<line.count, limits, into: &envelope)
    guard envelope.isResponse else { return sayUnasked(line, envelope, text) }
    let id = Array(padded[envelope.id.range])
    if !presented.isEmpty, id.elementsEqual("\"\(name)\"".utf8) {
      let refusal = ReplyHead(of: line.span)
      let verdict =
        envelope.error.isEmpty ? ReplyHead() : refusal.isForWantOfRoom ? refusal : ReplyHead(.unauthorized)
      return clients.doSoon { [self] in judged(verdict) }
    }
    // Where it names no request it is the last word of a session that ends.
    guard let number = MCPRequestID.number(id), let request = requests.remove(number) else { return }
    answer(request, number, Self.line(line, envelope.id.range, saying: request.id))
  }

  /// It passes whatever waits, but for what was said of the same request over the same stream.
  private func answer(_ request: MCPRequests<HTTPConnection>.Request, _ number: UInt64, _ line: [UInt8]) {
    if let stream = request.stream {
      if let queue = takeWaiting(for: stream) {
        answer(number, line, over: stream, behind: queue)
      } else {
        stream.say(line, isAnswer: true)
      }
    }
    forgetKept()
    becameQuiet()
  }

  private func answer(
    _ number: UInt64, _ line: [UInt8], over stream: HTTPConnection, behind queue: MCPWaiting
  ) {
    var hasOwn = false
    while let unsaid = queue.removeFirst() {
      if unsaid.request == number {
        hasOwn = true
        wait(unsaid, for: stream)
      } else {
        keep(unsaid)
      }
    }
    if hasOwn {
      wait(MCPUnsaid(line: line, request: number, isAnswer: true), for: stream)
    } else {
      stream.say(line, isAnswer: true)
    }
    // The stream goes with its answer.
    dropOldest()
    sayKept()
  }

  private func sayUnasked(_ line: [UInt8], _ envelope: Envelope, _ text: Span<UInt8>) {
    let token = MCPReader.reportedToken(in: envelope, text)
    let name = Self.requestName(in: envelope, text)
    let named = MCPRequestID.number(line[name.range])
    let number = named ?? (token.isEmpty ? nil : requests.newest(withToken: Array(line[token.range])))
    let id = named.flatMap { requests.id(of: $0) }
    sayUnasked(
      MCPUnsaid(
        line: id.map { Self.line(line, name.range, saying: $0) } ?? line + [UInt8(ascii: "\n")],
        request: number, question: Array(line[envelope.id.range]),
        isPiece: Piece.isSaid(in: envelope, bytes: text)))
  }

  private func sayUnasked(_ unsaid: MCPUnsaid) {
    guard !unsaid.isPiece || !isOver(unsaid) else { return }
    guard let stream = stream(for: unsaid) else {
      keep(unsaid)
      return dropOldest()
    }
    let queue = waiting[ObjectIdentifier(stream)]
    guard queue != nil || stream.output.count >= Self.keptLimitBytes else {
      return stream.say(unsaid.line, isAnswer: false)
    }
    if unsaid.isPiece, let number = unsaid.request, let queue, queue.byteCount > clients.unreadPieceBytes {
      return endUnread(number)
    }
    if !isOverfull { wait(unsaid, for: stream) }
  }

  /// A client with too much unread output gets no more pieces.
  private func endUnread(_ number: UInt64) {
    guard let request = requests.remove(number) else { return }
    let error = RPCError.overloaded.with(message: "the pieces of the answer are not read")
    answer(request, number, Self.error(error, to: request.id))
    clients.doSoon { [self] in takeBack([number]) }
  }

  /// Where something names the request that it belongs to.
  private static func requestName(in envelope: Envelope, _ text: Span<UInt8>) -> ByteRange {
    guard Piece.isSaid(in: envelope, bytes: text) else { return MCPReader.subscriptionID(in: envelope, text) }
    return Piece(envelope, in: text)?.id ?? ByteRange.none
  }

  /// A line of the core's with something else at one place, and with its line feed.
  private static func line(_ line: [UInt8], _ place: Range<Int>, saying text: [UInt8]) -> [UInt8] {
    var said: [UInt8] = []
    said.reserveCapacity(line.count + text.count + 1)
    said += line[..<place.lowerBound]
    said += text
    said += line[place.upperBound...]
    said.append(UInt8(ascii: "\n"))
    return said
  }

  private func stream(for unsaid: MCPUnsaid) -> HTTPConnection? {
    if let number = unsaid.request, requests.isOpen(number) {
      return requests.stream(of: number) ?? listening
    }
    return listening ?? requests.newestStream
  }

  // MARK: What waits

  private func wait(_ unsaid: MCPUnsaid, for stream: HTTPConnection) {
    let place = ObjectIdentifier(stream)
    let queue = waiting[place] ?? MCPWaiting(for: stream)
    queue.append(unsaid)
    waiting[place] = queue
    waitingBytes += unsaid.line.count
    waitingCount += 1
  }

  /// It waits for that stream no more.
  private func takeWaiting(for stream: HTTPConnection) -> MCPWaiting? {
    guard let queue = waiting.removeValue(forKey: ObjectIdentifier(stream)) else { return nil }
    waitingBytes -= queue.byteCount
    waitingCount -= queue.count
    return queue
  }

  /// A stream takes more.
  private func sayWaiting(over stream: HTTPConnection) {
    let place = ObjectIdentifier(stream)
    guard let queue = waiting[place] else { return }
    let isAnswered = queue.isAnswered
    while stream.output.count < Self.keptLimitBytes, let unsaid = queue.removeFirst() {
      waitingBytes -= unsaid.line.count
      waitingCount -= 1
      if queue.isEmpty { waiting[place] = nil }
      // Of an answer in pieces nothing may be missing.
      guard isAnswered || unsaid.isPiece || !isOver(unsaid) else { continue }
      stream.say(unsaid.line, isAnswer: unsaid.isAnswer)
    }
    noteHeld()
    if isAnswered, queue.isEmpty { becameQuiet() }
  }

  /// The rest of an answer waits.
  var owesAnswers: Bool { waiting.values.contains { $0.isAnswered } }

  /// The request that it belongs to is answered, or taken back.
  private func isOver(_ unsaid: MCPUnsaid) -> Bool { unsaid.request.map { !requests.isOpen($0) } ?? false }

  private func keep(_ unsaid: MCPUnsaid) {
    keptBytes += unsaid.line.count
    kept.append(unsaid)
  }

  /// Streams have come, or gone.
  private func sayKept() {
    guard !kept.isEmpty else { return }
    let lines = kept
    (kept, keptBytes) = ([], 0)
    for line in lines { sayUnasked(line) }
    noteHeld()
  }

  /// Forgets kept messages of requests that have been answered.
  private func forgetKept() {
    guard !kept.isEmpty else { return }
    kept.removeAll(where: isOver)
    keptBytes = kept.reduce(0) { $0 + $1.line.count }
    noteHeld()
  }

  /// Kept and waiting messages count as unread output. The core may be calling just now: so it hears of that soon.
  private func noteHeld() {
    let byteCount = keptBytes + waitingBytes + MCPUnsaid.ownBytes * (kept.count + waitingCount)
    let counted = byteCount - byteCount % HTTPConnection.pageBytes
    if isOpen, !isOverfull, keptBytes + waitingBytes > clients.unreadLimitBytes {
      isOverfull = true
      clients.doSoon { [self] in if isOpen { abandon() } }
    }
    guard counted != heldBytes else { return }
    heldBytes = counted
    clients.doSoon { [self] in delegate?.client(client, transportHolds: counted) }
  }

  /// The newest has the last word: what nobody takes is not kept for ever. Much of it goes at once, as the rest moves up.
  private func dropOldest() {
    guard keptBytes > 2 * Self.keptLimitBytes else { return }
    var (count, bytes) = (0, keptBytes)
    while bytes > Self.keptLimitBytes, count < kept.count - 1 {
      bytes -= kept[count].line.count
      count += 1
    }
    guard count > 0 else { return }
    clients.noteUnheard()
    for dropped in kept[..<count] where !dropped.question.isEmpty {
      var line: [UInt8] = []
      let id = RequestID(ByteRange(dropped.question.indices), in: dropped.question.span)
      MessageWriter.error(id, .internalError.with(message: "the client has no stream"), into: &line)
      clients.doSoon { [self] in pass(line) }
    }
    kept.removeFirst(count)
    keptBytes = bytes
  }

  func becameWritable(_ stream: HTTPConnection) { sayWaiting(over: stream) }

  var peerAddress: String? { ways.peerAddress }
  var way: ClientWay { ways.way }
  /// The core is told of kept and waiting messages as they change.
  var inFlightByteCount: Int { requests.streams.reduce(0) { $0 + $1.output.count } }
  func setReading(_ isReading: Bool) {}

  func close() {
    delegate = nil
    finish()
  }

  func drop() {
    delegate = nil
    finish(isDropped: true)
  }

  /// Nobody is there any more for whom the core works.
  private func leave() {
    let delegate = delegate
    self.delegate = nil
    delegate?.clientDisconnected(client)
  }

  /// - Parameter isDropped: what waits is lost, and its streams are cut off where they owe the rest of an answer.
  private func finish(isDropped: Bool = false) {
    clients.forget(self)
    let requests = requests.removeAll()
    let (listening, askers, waiting) = (listening, presented.removeAll(), waiting.values)
    (self.listening, self.waiting) = (nil, [:])
    (kept, keptBytes, waitingBytes, waitingCount) = ([], 0, 0, 0)
    for queue in waiting where queue.isAnswered {
      if isDropped {
        queue.stream.mcp?.session = nil
        queue.stream.cutOff()
      } else {
        while let unsaid = queue.removeFirst() { queue.stream.say(unsaid.line, isAnswer: unsaid.isAnswer) }
      }
    }
    for asker in askers { asker.onVerdict(ReplyHead(.unauthorized)) }
    for request in requests { request.stream?.say(Self.ended(request.id), isAnswer: true) }
    listening?.endListening()
  }

  /// The error for a request to which the core has said nothing.
  private static func ended(_ id: [UInt8]) -> [UInt8] {
    error(.cancelled.with(message: "the session has ended"), to: id)
  }

  private static func error(_ error: RPCError, to id: [UInt8]) -> [UInt8] {
    let data: StaticString = "{\"upstream\":\"mayHaveCompleted\"}"
    var line: [UInt8] = []
    MessageWriter.error(RequestID(ByteRange(id.indices), in: id.span), error, data: data, into: &line)
    return line
  }
}

extension MCPSession: HTTPPeer {
  var isOfShell: Bool { false }

  /// Whether nothing of it is under way, nor anybody there who listens. What was left can still be answered.
  var isQuiet: Bool { listening == nil && requests.isEmpty && waiting.isEmpty }

  private func becameQuiet() {
    quietMilliseconds = clients.nowMilliseconds
    if isQuiet { clients.becameQuiet(self) }
    clients.arm(for: self)
  }

  private var resumeDueMilliseconds: UInt64? {
    let limit = clients.mcpResumeMilliseconds
    return limit > 0 ? requests.firstLeftMilliseconds.map { $0 + limit } : nil
  }

  private var idleDueMilliseconds: UInt64? {
    let limit = clients.mcpIdleMilliseconds
    return limit > 0 && isQuiet ? quietMilliseconds + limit : nil
  }

  var dueMilliseconds: UInt64? { [resumeDueMilliseconds, idleDueMilliseconds].compactMap { $0 }.min() }

  func timeIsUp() {
    let now = clients.nowMilliseconds
    if let due = idleDueMilliseconds, due <= now { return abandon() }
    guard let due = resumeDueMilliseconds, due <= now else { return clients.arm(for: self) }
    // Streams are not gone on with: the answers would reach nobody.
    let over = requests.removeLeft(byMilliseconds: now - clients.mcpResumeMilliseconds)
    takeBack(over)
    forgetKept()
    becameQuiet()
  }

  /// Tells the core that nobody waits for requests any more: behind all that it has still to handle of them.
  private func takeBack(_ numbers: [UInt64]) {
    guard isOpen, !clients.server.takeBack(numbers.map(MCPRequestID.text), of: client) else { return }
    clients.doSoon { [self] in takeBack(numbers) }
  }

  /// It is served until the gateway stops.
  func drain() {}

  func stop() {
    delegate = nil
    finish()
  }

  func cutOff() { abandon() }
}

@available(*, unavailable)
extension MCPSession: Sendable {}
