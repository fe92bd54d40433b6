import GatewayCore
import HTTP1
import Identity
import JSONRPC
import LibUV

/// A session of the Model Context Protocol over streamable HTTP (revisions 2025-03-26 to 2025-11-25, section
/// "Transports"): to the core one client, which each of its POSTs brings a message of.
///
/// An answer goes out as the response to the POST that asked, or at the end of its stream of events. What belongs to no
/// request goes over the stream that a GET opened, else over that of the newest POST that has one.
final class MCPSession: ClientTransport {
  /// So much is kept for streams that are not there, or do not take it.
  static let keptLimitBytes = 64 * 1024

  /// A request that is not answered.
  private struct Request {
    let id: [UInt8]
    let progressToken: [UInt8]
    let takesEvents: Bool
    /// Nil: it went away, which takes nothing back by itself.
    var connection: HTTPConnection?
    var leftMilliseconds: UInt64 = 0
  }

  /// A token that was presented to the core, and what follows when it has judged.
  private struct Presentation {
    let token: String
    let onVerdict: (Bool) -> Void
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
  /// Oldest first.
  private var requests: [Request] = []
  private var listening: HTTPConnection?
  private var kept: [[UInt8]] = []
  private var keptBytes = 0
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

  /// Whether a request that names the session is its client's; `then` hears of that, at once or later.
  func identify(_ post: MCPPost, over connection: HTTPConnection, then: @escaping (Bool) -> Void) {
    guard clients.server.asksWho(listener) else { return then(connection.listener == listener) }
    guard connection.listener == listener, let token = post.token else {
      return then(
        connection.listener == listener && token == nil && connection.credential == credential
          && !clients.server.core.isUnknown(client))
    }
    if token == self.token { return then(true) }
    presentations.append(Presentation(token: token, onVerdict: then))
    if presentations.count == 1 { present(token) }
  }

  private func present(_ token: String) { pass(HTTPConnection.presenting(token, as: "\"\(name)\"")) }

  private func judged(isAccepted: Bool) {
    // It may have ended meanwhile.
    guard !presentations.isEmpty else { return }
    let presentation = presentations.removeFirst()
    if isAccepted { token = presentation.token }
    presentation.onVerdict(isAccepted)
    if isOpen, let next = presentations.first { present(next.token) }
  }

  // MARK: What its client says

  /// A message of its client's.
  func received(_ content: MCPContent, _ line: [UInt8], over connection: HTTPConnection, takesEvents: Bool) {
    if case .request(let id) = content.kind {
      requests.append(
        Request(
          id: id, progressToken: content.progressToken, takesEvents: takesEvents, connection: connection))
      sayKept()
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
  func left(_ connection: HTTPConnection) {
    if listening === connection { listening = nil }
    for index in requests.indices where requests[index].connection === connection {
      requests[index].connection = nil
      requests[index].leftMilliseconds = clients.nowMilliseconds
    }
    becameQuiet()
  }

  /// Its client ends it.
  func end() {
    leave()
    finish()
  }

  // MARK: What the core says

  func start(as client: ClientID, _ delegate: any ClientTransportDelegate) {
    self.client = client
    self.delegate = delegate
  }

  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    guard unsentBytes < Self.keptLimitBytes else {
      hasRefused = true
      return 0
    }
    var bytes: [UInt8] = []
    for index in chunks.indices { unsafe bytes.append(contentsOf: chunks[index]) }
    var offset = 0
    while true {
      switch framer.next(in: bytes.span, count: bytes.count, from: &offset) {
      case .incomplete, .tooLong: return bytes.count
      case .inPlace(let range): say(Array(bytes[range]))
      case .assembled:
        let line = framer.takeAssembled()
        say(line.withSpan { span in line.range.map { span[$0] } })
        framer.recycle(line)
      }
    }
  }

  private func say(_ line: [UInt8]) {
    let padded = JSONText.padded(line)
    let text = padded.span
    var envelope = Envelope()
    // The core wrote it.
    let limits = ScanLimits(nestingLevels: JSONText.depthLimit, idBytes: .max, methodBytes: .max)
    _ = EnvelopeScanner.scan(text, 0..<line.count, limits, into: &envelope)
    guard envelope.isResponse else {
      return sayUnasked(line, about: Array(padded[MCPReader.reportedToken(in: envelope, text).range]))
    }
    let id = Array(padded[envelope.id.range])
    if !presentations.isEmpty, id.elementsEqual("\"\(name)\"".utf8) {
      let isAccepted = envelope.error.isEmpty
      return clients.doSoon { [self] in judged(isAccepted: isAccepted) }
    }
    guard let place = requests.firstIndex(where: { $0.id == id }) else { return }
    let connection = requests.remove(at: place).connection
    connection?.say(line + [UInt8(ascii: "\n")], isAnswer: true)
    becameQuiet()
  }

  /// - Parameter token: of the request that it reports the progress of; empty: it reports none.
  private func sayUnasked(_ line: [UInt8], about token: [UInt8]) {
    guard kept.isEmpty, let stream = stream(about: token) else {
      kept.append(line)
      keptBytes += line.count
      return
    }
    stream.say(line + [UInt8(ascii: "\n")], isAnswer: false)
  }

  private func stream(about token: [UInt8]) -> HTTPConnection? {
    let streams = requests.filter { $0.takesEvents && $0.connection != nil }
    if !token.isEmpty, let own = streams.last(where: { $0.progressToken == token }) { return own.connection }
    return listening ?? streams.last?.connection
  }

  private func sayKept() {
    guard !kept.isEmpty, let stream = stream(about: []) else { return }
    let lines = kept
    (kept, keptBytes) = ([], 0)
    for line in lines { stream.say(line + [UInt8(ascii: "\n")], isAnswer: false) }
    becameWritable()
  }

  private var unsentBytes: Int {
    requests.reduce(keptBytes + (listening?.output.count ?? 0)) { $0 + ($1.connection?.output.count ?? 0) }
  }

  func becameWritable() {
    guard hasRefused, unsentBytes < Self.keptLimitBytes else { return }
    hasRefused = false
    delegate?.clientBecameWritable(client)
  }

  var peerAddress: String? { ways.peerAddress }
  var way: ClientWay { ways.way }
  var inFlightByteCount: Int { unsentBytes }
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
    let (requests, listening, presentations) = (requests, listening, presentations)
    (self.requests, self.listening, self.presentations) = ([], nil, [])
    for presentation in presentations { presentation.onVerdict(false) }
    for request in requests { request.connection?.endUnanswered() }
    listening?.endListening()
  }
}

extension MCPSession: HTTPPeer {
  var isOfShell: Bool { false }

  var isQuiet: Bool { listening == nil && requests.allSatisfy { $0.connection == nil } }

  private func becameQuiet() {
    quietMilliseconds = clients.nowMilliseconds
    if isQuiet { clients.becameQuiet(self) }
    clients.arm(for: self)
  }

  var dueMilliseconds: UInt64? {
    let left = requests.lazy.filter { $0.connection == nil }.map(\.leftMilliseconds).min()
    let resume = clients.mcpResumeMilliseconds
    let idle = clients.mcpIdleMilliseconds
    let ofLeft = resume > 0 ? left.map { $0 + resume } : nil
    let ofQuiet = idle > 0 && isQuiet ? quietMilliseconds + idle : nil
    return [ofLeft, ofQuiet].compactMap { $0 }.min()
  }

  func timeIsUp() {
    let now = clients.nowMilliseconds
    if isQuiet, clients.mcpIdleMilliseconds > 0, quietMilliseconds + clients.mcpIdleMilliseconds <= now {
      return end()
    }
    // Streams are not gone on with: the answer would reach nobody.
    let limit = clients.mcpResumeMilliseconds
    let isOver = { (request: Request) in
      request.connection == nil && request.leftMilliseconds + limit <= now
    }
    let over = requests.filter(isOver)
    requests.removeAll(where: isOver)
    for request in over {
      var line = Array(
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":".utf8)
      line += request.id
      line.append(contentsOf: "}}".utf8)
      pass(line)
    }
    clients.arm(for: self)
  }

  /// It is served until the gateway stops.
  func drain() {}

  func stop() {
    delegate = nil
    finish()
  }

  func cutOff() { end() }
}

@available(*, unavailable)
extension MCPSession: Sendable {}
