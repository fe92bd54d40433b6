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
  /// So much is kept for streams that are not there, and as much more now and then. So much waits in one that does not
  /// take it before all else waits.
  static let keptLimitBytes = 64 * 1024

  /// What the core said besides answers, and has no stream.
  private struct Unsaid {
    /// With its line feed.
    let line: [UInt8]
    /// Which request it belongs to, if to any.
    let request: UInt64?
    /// Under which its client is asked something; empty: it is a notification.
    let question: [UInt8]
  }

  /// A token that was presented to the core, and what follows when it has judged.
  private struct Presentation {
    let token: String
    let onVerdict: (ReplyHead) -> Void
  }

  /// What its client calls it, which nobody else can guess.
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
  /// Oldest first.
  private var kept: [Unsaid] = []
  private var keptBytes = 0
  /// The last one kept has a stream, which does not take it yet: nothing more is taken.
  private var isHeldUp = false
  private var hasRefused = false
  /// The token that was accepted last.
  private var token: String?
  private var presentations: [Presentation] = []
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

  /// Whether a request that names the session is its client's: then its status is 200. `then` hears of that, at once or
  /// later.
  func identify(_ post: MCPPost, over connection: HTTPConnection, then: @escaping (ReplyHead) -> Void) {
    let judge = { (isOwn: Bool) in then(ReplyHead(isOwn ? .ok : .unauthorized)) }
    guard clients.server.asksWho(listener) else { return judge(connection.listener == listener) }
    guard connection.listener == listener, let token = post.token else {
      return judge(
        connection.listener == listener && token == nil && connection.credential == credential
          && !clients.server.core.isUnknown(client))
    }
    if token == self.token { return judge(true) }
    presentations.append(Presentation(token: token, onVerdict: then))
    if presentations.count == 1 { present(token) }
  }

  private func present(_ token: String) { pass(HTTPConnection.presenting(token, as: "\"\(name)\"")) }

  private func judged(_ verdict: ReplyHead) {
    // It may have ended meanwhile.
    guard !presentations.isEmpty else { return }
    let presentation = presentations.removeFirst()
    if verdict.status == .ok { token = presentation.token }
    presentation.onVerdict(verdict)
    if isOpen, let next = presentations.first { present(next.token) }
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
    earlier?.endListening()
    sayKept()
  }

  /// A connection that it answers over has gone.
  /// - Parameter number: of the request that came over it, if one did.
  func left(_ connection: HTTPConnection, _ number: UInt64?) {
    if listening === connection { listening = nil }
    if let number { requests.leave(number, atMilliseconds: clients.nowMilliseconds) }
    sayKept()
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

  // MARK: What the core says

  func start(as client: ClientID, _ delegate: any ClientTransportDelegate) {
    self.client = client
    self.delegate = delegate
  }

  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    guard !isHeldUp else {
      hasRefused = true
      return 0
    }
    var count = 0
    for index in chunks.indices {
      let bytes = unsafe Array(chunks[index])
      var offset = 0
      while !isHeldUp, let line = framer.nextLine(in: bytes, from: &offset) { say(line) }
      count += offset
      guard offset == bytes.count else {
        hasRefused = true
        break
      }
    }
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
    if !presentations.isEmpty, id.elementsEqual("\"\(name)\"".utf8) {
      let refusal = ReplyHead(of: line.span)
      let verdict =
        envelope.error.isEmpty ? ReplyHead() : refusal.isForWantOfRoom ? refusal : ReplyHead(.unauthorized)
      return clients.doSoon { [self] in judged(verdict) }
    }
    // Where it names no request it is the last word of a session that ends.
    guard let number = MCPRequestID.number(id), let request = requests.remove(number) else { return }
    request.stream?.say(Self.line(line, envelope.id.range, saying: request.id), isAnswer: true)
    forgetKept()
    becameQuiet()
  }

  private func sayUnasked(_ line: [UInt8], _ envelope: Envelope, _ text: Span<UInt8>) {
    let token = MCPReader.reportedToken(in: envelope, text)
    let name = Self.requestName(in: envelope, text)
    let named = MCPRequestID.number(line[name.range])
    let number = named ?? (token.isEmpty ? nil : requests.newest(withToken: Array(line[token.range])))
    let id = named.flatMap { requests.id(of: $0) }
    sayUnasked(
      Unsaid(
        line: id.map { Self.line(line, name.range, saying: $0) } ?? line + [UInt8(ascii: "\n")],
        request: number, question: Array(line[envelope.id.range])))
  }

  private func sayUnasked(_ unsaid: Unsaid) {
    let found = stream(for: unsaid)
    guard let stream = found, stream.output.count < Self.keptLimitBytes else {
      isHeldUp = isHeldUp || found != nil
      keptBytes += unsaid.line.count
      kept.append(unsaid)
      if !isHeldUp { dropOldest() }
      return
    }
    stream.say(unsaid.line, isAnswer: false)
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

  private func stream(for unsaid: Unsaid) -> HTTPConnection? {
    if let number = unsaid.request, requests.isOpen(number) {
      return requests.stream(of: number) ?? listening
    }
    return listening ?? requests.newestStream
  }

  /// Streams have come, or gone, or take more.
  private func sayKept() {
    guard !kept.isEmpty || isHeldUp else { return }
    let lines = kept
    (kept, keptBytes, isHeldUp) = ([], 0, false)
    for line in lines { sayUnasked(line) }
    guard hasRefused, !isHeldUp else { return }
    hasRefused = false
    delegate?.clientBecameWritable(client)
  }

  /// What belongs to requests that are answered is of no use any more.
  private func forgetKept() {
    guard !kept.isEmpty else { return }
    kept.removeAll { unsaid in unsaid.request.map { !requests.isOpen($0) } ?? false }
    keptBytes = kept.reduce(0) { $0 + $1.line.count }
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

  func becameWritable() { if isHeldUp { sayKept() } }

  var peerAddress: String? { ways.peerAddress }
  var way: ClientWay { ways.way }
  var inFlightByteCount: Int { requests.streams.reduce(keptBytes) { $0 + $1.output.count } }
  func setReading(_ isReading: Bool) {}

  func close() {
    delegate = nil
    finish()
  }

  func drop() { close() }

  /// Nobody is there any more for whom the core works.
  private func leave() {
    let delegate = delegate
    self.delegate = nil
    delegate?.clientDisconnected(client)
  }

  private func finish() {
    clients.forget(self)
    let requests = requests.removeAll()
    let (listening, presentations) = (listening, presentations)
    (self.listening, self.presentations) = (nil, [])
    for presentation in presentations { presentation.onVerdict(ReplyHead(.unauthorized)) }
    for request in requests { request.stream?.say(Self.ended(request.id), isAnswer: true) }
    listening?.endListening()
  }

  /// What a request hears of which the core has said nothing.
  private static func ended(_ id: [UInt8]) -> [UInt8] {
    let data: StaticString = "{\"upstream\":\"mayHaveCompleted\"}"
    var line: [UInt8] = []
    let error = RPCError.cancelled.with(message: "the session has ended")
    MessageWriter.error(RequestID(ByteRange(id.indices), in: id.span), error, data: data, into: &line)
    return line
  }
}

extension MCPSession: HTTPPeer {
  var isOfShell: Bool { false }

  /// Whether nobody waits for anything of it.
  var isQuiet: Bool { listening == nil && requests.areLeft }

  private func becameQuiet() {
    quietMilliseconds = clients.nowMilliseconds
    if isQuiet { clients.becameQuiet(self) }
    clients.arm(for: self)
  }

  private var resumeDueMilliseconds: UInt64? {
    let limit = clients.mcpResumeMilliseconds
    return limit > 0 ? requests.firstLeftMilliseconds.map { $0 + limit } : nil
  }

  /// Not while something that was left can still be answered, or is to be taken back.
  private var idleDueMilliseconds: UInt64? {
    let limit = clients.mcpIdleMilliseconds
    return limit > 0 && listening == nil && requests.isEmpty ? quietMilliseconds + limit : nil
  }

  var dueMilliseconds: UInt64? { [resumeDueMilliseconds, idleDueMilliseconds].compactMap { $0 }.min() }

  func timeIsUp() {
    let now = clients.nowMilliseconds
    if let due = idleDueMilliseconds, due <= now { return abandon() }
    guard let due = resumeDueMilliseconds, due <= now else { return clients.arm(for: self) }
    // Streams are not gone on with: the answers would reach nobody.
    for number in requests.removeLeft(byMilliseconds: now - clients.mcpResumeMilliseconds) {
      var line: [UInt8] = []
      MessageWriter.openCancelledNotification(into: &line)
      line += MCPRequestID.text(number)
      line.append("}}")
      pass(line)
    }
    forgetKept()
    becameQuiet()
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
