import GatewayCore
import HTTP1
import JSONRPC
import LibUV
import WebSocket

/// A client over a WebSocket (RFC 6455), where each text is a message of JSON-RPC.
///
/// The core is given a line for each text, and writes lines: one of them is sent as one text, in several frames where it
/// comes in parts.
final class WebSocketTransport: ClientTransport {
  /// So much is framed before it is handed on.
  static let pieceBytes = 64 * 1024

  private let carrier: any ClientTransport
  private unowned let clients: HTTPClients
  var place = 0
  private var client = ClientID(slot: 0)
  /// Nil before the start, and once it is closed.
  private var delegate: (any ClientTransportDelegate)?
  private var reader = WebSocketReader(.server, limitBytes: .max)
  /// Frames that were not taken yet.
  private var output: [UInt8]
  /// The text that comes has a character that is no blank.
  private var hasText = false
  /// A text was begun that has not ended.
  private var isInText = false
  /// The first line answers what the gateway asked itself: whose a token is.
  private var hidesLine = false
  private var hiddenLine: [UInt8] = []
  private var isClosing = false
  private var isClosed = false
  /// When something of it was last read; of one that closes, when it was told so.
  private var heardMilliseconds: UInt64
  /// It was asked whether it is still there, and has said nothing since.
  private var isAsked = false

  /// - Parameter head: the response that goes before all frames.
  init(_ carrier: any ClientTransport, head: [UInt8], of clients: HTTPClients) {
    self.carrier = carrier
    self.clients = clients
    output = head
    heardMilliseconds = clients.nowMilliseconds
  }

  // MARK: ClientTransport

  func start(as client: ClientID, _ delegate: any ClientTransportDelegate) {
    self.client = client
    self.delegate = delegate
  }

  /// Authenticates the client, before it has said anything itself.
  func present(_ line: [UInt8]) {
    hidesLine = true
    clients.lend { scratch in
      scratch.append(contentsOf: line)
      pass(&scratch)
    }
  }

  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    guard output.isEmpty, !isClosing else { return 0 }
    if hidesLine { return unsafe takeHidden(chunks) }
    return clients.lend { frames in
      var taken = 0
      var line: [UInt8] = []
      for index in chunks.indices {
        var rest = unsafe chunks[index][...]
        while unsafe !rest.isEmpty {
          if line.isEmpty, frames.count >= Self.pieceBytes, !hand(on: &frames) { return taken }
          let piece = unsafe UnsafeRawBufferPointer(rebasing: rest.prefix(Self.pieceBytes - line.count))
          let end = unsafe LineFeeds.first(in: piece)
          let part = unsafe piece[..<(end ?? piece.count)]
          taken += unsafe part.count + (end == nil ? 0 : 1)
          unsafe rest = unsafe rest.dropFirst(part.count + (end == nil ? 0 : 1))
          if line.isEmpty, end != nil {
            // Mostly a line is there as a whole.
            unsafe frame(part, isLast: true, into: &frames)
            continue
          }
          unsafe line.append(contentsOf: part)
          if end != nil || line.count >= Self.pieceBytes { frame(&line, isLast: end != nil, into: &frames) }
        }
      }
      if !line.isEmpty { frame(&line, isLast: false, into: &frames) }
      _ = hand(on: &frames)
      return taken
    }
  }

  private func frame(_ line: inout [UInt8], isLast: Bool, into frames: inout [UInt8]) {
    frame(line, isLast: isLast, into: &frames)
    line.removeAll(keepingCapacity: true)
  }

  private func frame(_ part: some Collection<UInt8>, isLast: Bool, into frames: inout [UInt8]) {
    WebSocketFrameHead(textBytes: part.count, isFirst: !isInText, isLast: isLast).append(to: &frames)
    frames.append(contentsOf: part)
    isInText = !isLast
  }

  /// Returns whether all was taken; the rest is kept.
  private func hand(on frames: inout [UInt8]) -> Bool {
    let sent = carrier.write(frames)
    let isAll = sent == frames.count
    if !isAll { output = Array(frames[sent...]) }
    frames.removeAll(keepingCapacity: true)
    return isAll
  }

  /// If its token is nobody's, it is closed.
  private func takeHidden(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    for index in chunks.indices { unsafe hiddenLine.append(contentsOf: chunks[index]) }
    let count = unsafe chunks.reduce(0) { $0 + $1.count }
    guard let end = hiddenLine.firstIndex(of: UInt8(ascii: "\n")) else { return count }
    let rest = Array(hiddenLine[(end + 1)...])
    let line = Array(hiddenLine[...end])
    let verdict = ReplyHead(of: line.span)
    (hidesLine, hiddenLine) = (false, [])
    guard verdict.status == .ok else {
      if verdict.isForWantOfRoom { say(.tryAgainLater, "") } else { say(.policyViolation, "unauthenticated") }
      return count
    }
    return rest.isEmpty ? count : count - rest.count + write(rest)
  }

  var ownByteCount: Int { carrier.ownByteCount }
  var peerAddress: String? { carrier.peerAddress }
  var way: ClientWay { ClientWay(.webSocket, isSecure: carrier.way.isSecure) }
  var inFlightByteCount: Int { carrier.inFlightByteCount + output.count }
  func setReading(_ isReading: Bool) { carrier.setReading(isReading) }

  func close() {
    let wasServed = delegate != nil
    delegate = nil
    if !isClosing {
      let code: WebSocketCloseCode =
        !wasServed ? .tryAgainLater : clients.isDraining ? .goingAway : .policyViolation
      say(code, "")
    }
    closeCarrier()
  }

  /// Nothing follows if it has left by itself.
  func drop() {
    guard delegate != nil else { return }
    delegate = nil
    dropCarrier()
  }

  private func dropCarrier() {
    guard !isClosed else { return }
    isClosed = true
    clients.forget(self)
    carrier.drop()
  }

  // MARK: The end

  /// Says that nothing more comes. What is read afterwards is not looked at.
  private func say(_ code: WebSocketCloseCode?, _ reason: String) {
    guard !isClosing, !isClosed else { return }
    WebSocketWriter.close(code, reason: reason, into: &output)
    flush()
    isClosing = true
    heardMilliseconds = clients.nowMilliseconds
    clients.arm(for: self)
  }

  private func closeCarrier() {
    guard !isClosed, output.isEmpty else { return }
    isClosed = true
    clients.forget(self)
    carrier.close()
  }

  /// Nobody is there any more for whom the core works.
  private func leave() {
    let delegate = delegate
    self.delegate = nil
    delegate?.clientDisconnected(client)
  }

  // MARK: Output

  func flush() {
    guard !isClosed, !output.isEmpty else { return }
    let sent = carrier.write(output)
    // An idle connection has no room for frames that it may never send.
    output = sent == output.count ? [] : Array(output[sent...])
  }
}

extension WebSocketTransport: ClientTransportDelegate {
  func client(_ client: ClientID, received bytes: Span<UInt8>, count: Int) {
    guard !isClosing else { return }
    isAlive()
    clients.lend { scratch in
      let close = read(bytes, count: count, into: &scratch)
      let textBytes = scratch.count
      pass(&scratch)
      // Frames without content take their time as well, and the core has not heard of it.
      if count > 2 * textBytes { clients.server.hasReadDust(count - textBytes) }
      guard let (code, reason) = close else { return }
      say(code, reason)
      leave()
      closeCarrier()
    }
  }

  private func isAlive() {
    heardMilliseconds = clients.nowMilliseconds
    isAsked = false
  }

  /// Returns what it is to be closed with.
  private func read(
    _ bytes: Span<UInt8>, count: Int, into lines: inout [UInt8]
  ) -> (WebSocketCloseCode?, String)? {
    var offset = 0
    while true {
      let start = lines.count
      switch reader.next(in: bytes, count: count, from: &offset, into: &lines) {
      case .more:
        flush()
        return nil
      case .text(let isEnd): endPiece(&lines, from: start, isEnd: isEnd)
      case .ping(let content):
        // A client that pings and does not read gets no more Pongs than fit.
        if output.count < Self.pieceBytes { WebSocketWriter.pong(content.span, into: &output) }
      case .pong: break
      case .close(let code, _): return (code, "")
      case .fault(let fault): return (fault.code, fault.reason)
      }
    }
  }

  /// Texts become lines.
  private func endPiece(_ lines: inout [UInt8], from start: Int, isEnd: Bool) {
    LineFeeds.replace(in: &lines, from: start)
    if !hasText { hasText = lines[start...].contains { $0 > UInt8(ascii: " ") } }
    guard isEnd else { return }
    // The core skips blank lines; nothing at all is no message either.
    if !hasText { lines.append(UInt8(ascii: "?")) }
    hasText = false
    lines.append(UInt8(ascii: "\n"))
  }

  private func pass(_ lines: inout [UInt8]) {
    let count = lines.count
    guard count > 0 else { return }
    lines.append(contentsOf: HTTPClients.slack)
    delegate?.client(client, received: lines.span, count: count)
  }

  func client(_ client: ClientID, transportHolds byteCount: Int) {
    delegate?.client(self.client, transportHolds: byteCount)
  }

  /// Without a Close it is as if it had been cut off.
  func clientEnded(_ client: ClientID) { clientDisconnected(client) }

  func clientDisconnected(_ client: ClientID) { cutOff() }

  func clientBecameWritable(_ client: ClientID) {
    // A client that takes output is alive, though the Ping behind it may take long to reach it.
    if !isClosing { isAlive() }
    flush()
    guard output.isEmpty else { return }
    if isClosing && delegate == nil { return closeCarrier() }
    delegate?.clientBecameWritable(self.client)
  }
}

extension WebSocketTransport: HTTPPeer {
  var isOfShell: Bool { false }

  var dueMilliseconds: UInt64? {
    // Of one that the core does not know to be closed it hears at once.
    if isClosing { return heardMilliseconds + (delegate == nil ? HTTPConnection.leavingMilliseconds : 0) }
    let limit = clients.pingMilliseconds
    return limit > 0 ? heardMilliseconds + (isAsked ? 2 * limit : limit) : nil
  }

  /// It is asked whether it is still there; if it was, and has said nothing, it is not.
  func timeIsUp() {
    if isClosing, delegate != nil {
      leave()
      return closeCarrier()
    }
    guard !isAsked, !isClosing else { return cutOff() }
    isAsked = true
    // What it does not take asks as well.
    guard output.isEmpty else { return }
    let nothing: [UInt8] = []
    WebSocketWriter.ping(nothing.span, into: &output)
    flush()
  }

  /// What is unsent leaves behind the stop.
  var owesAnswers: Bool { false }

  /// It is served until the gateway stops.
  func drain() {}

  /// Leaves the unsent output to the carrier, which sends it within its own time limit.
  func stop() {
    guard !isClosed else { return }
    delegate = nil
    say(.goingAway, "")
    isClosed = true
    clients.forget(self)
    carrier.close(lastWords: output)
  }

  func cutOff() {
    leave()
    dropCarrier()
  }
}

@available(*, unavailable)
extension WebSocketTransport: Sendable {}
