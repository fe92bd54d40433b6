import HTTP1
import JSONRPC
import LibUV

/// One connection to the admin listener: its requests, its unsent answers, and its timeouts.
final class AdminConnection {
  /// While so much is unsent, no further request is read.
  static let outputLimitBytes = 256 * 1024
  /// How much is read and dropped from a peer that goes on sending after its last answer.
  static let forgottenLimitBytes = 1024 * 1024

  private enum State {
    /// It reads requests.
    case reading
    /// It sends only events; its input is dropped.
    case streaming(EventStream)
    /// It sends the rest of its output, and waits for the peer to read it and end the connection.
    case leaving
  }

  /// Whether it is beyond the bound of connections: it may send one request for a short page, such as the health check;
  /// any other is answered that there are too many.
  let isReserve: Bool
  private let stream: ByteStream
  private unowned let server: AdminServer
  private var state = State.reading
  private var reader = HTTPRequestReader(methods: HTTPRequest.methods)
  /// Input that has not been parsed: it waits for the peer to take its answers, or for its turn.
  private var input: [UInt8] = []
  /// A request that waits for the next turn, as this turn has no time for its page.
  private var request: HTTPRequest?
  private var isWaiting = false
  private var output: [UInt8] = []
  private var isShutDown = false
  private var isClosed = false
  private var forgottenByteCount = 0
  /// Since when the peer has taken none of the unsent output.
  private var stalled = AdminMoment()
  /// When the request began that has not come completely.
  private var headMilliseconds: UInt64 = 0
  /// When it got into its present state, or read its last request.
  private var begun: AdminMoment

  init(_ stream: ByteStream, isReserve: Bool, of server: AdminServer) {
    self.stream = stream
    self.isReserve = isReserve
    self.server = server
    begun = server.moment()
    stream.delegate = self
    stream.startReading()
  }

  var isStreaming: Bool { if case .streaming = state { true } else { false } }
  private var isReading: Bool { if case .reading = state { true } else { false } }
  private var isLeaving: Bool { if case .leaving = state { true } else { false } }
  private var isUnsent: Bool { !output.isEmpty || stream.isWriting }

  // MARK: Time

  /// When its timeout ends; nil: it has none now.
  var dueMilliseconds: UInt64? {
    let options = server.options
    if isWaiting { return nil }
    if isUnsent { return stalled.milliseconds + options.stallMilliseconds }
    switch state {
    case .leaving: return begun.milliseconds + options.lingerMilliseconds
    case .streaming: return nil
    case .reading where reader.hasBegun: return headMilliseconds + options.headMilliseconds
    case .reading: return begun.milliseconds + options.idleMilliseconds
    }
  }

  func expired() {
    guard isReading, reader.hasBegun, !isUnsent else { return close() }
    turnAway(.fault(HTTPFault(.requestTimeout, "the request took too long to come")))
  }

  // MARK: Requests

  /// Sends this response, and ends the connection.
  func turnAway(_ response: HTTPResponse) {
    answer(response, isHead: false, keepsConnection: false)
    flush()
  }

  /// Takes its turn: answers one request; others wait for the next turn.
  func takeTurn() {
    isWaiting = false
    guard !isClosed else { return }
    if let request {
      self.request = nil
      answer(request)
    } else {
      readRequest()
    }
    flush()
    goOn()
    server.arm(for: self)
  }

  /// Reads on, or stops reading: a peer that has had its turn, or does not take its answers, is not read from.
  private func goOn() {
    let waitsForTurn = isReading && (request != nil || !input.isEmpty && !isUnsent)
    if waitsForTurn && !isWaiting {
      isWaiting = true
      server.wait(self, isNext: request != nil)
    }
    if isReading && (isUnsent || isWaiting) { stream.stopReading() } else { stream.startReading() }
    if stream.hasEnded && isReading && !isUnsent && !isWaiting { end() }
  }

  private func readRequest() {
    guard isReading, !input.isEmpty, !isUnsent else { return }
    let hadBegun = reader.hasBegun
    var offset = 0
    let outcome = reader.next(in: input.span, count: input.count, from: &offset)
    input.removeFirst(offset)
    switch outcome {
    case .more:
      if !hadBegun { headMilliseconds = server.nowMilliseconds }
    case .head(let head):
      begun = server.moment()
      do throws(HTTPFault) {
        answer(try HTTPRequest(head))
      } catch {
        refuse(error)
      }
    // These do not occur: a request with content was refused.
    case .content, .end: break
    case .fault(let fault): refuse(fault)
    }
  }

  private func refuse(_ fault: HTTPFault) { answer(.fault(fault), isHead: false, keepsConnection: false) }

  private func answer(_ request: HTTPRequest) {
    if !server.answered(request, over: self) { self.request = request }
  }

  /// From when on it may be closed to make room for another, because no complete request has come, or its answer is not
  /// taken; nil: it keeps its place. One that has only begun a request gives way at once.
  var yieldsAtMilliseconds: UInt64? {
    guard !isStreaming, !isWaiting else { return nil }
    return hasOnlyBegun ? 0 : uselessSince.milliseconds + server.options.graceMilliseconds
  }

  /// Whether it is closed before another one that may give way, too.
  func yields(before other: AdminConnection) -> Bool {
    guard hasOnlyBegun == other.hasOnlyBegun else { return hasOnlyBegun }
    return uselessSince.number < other.uselessSince.number
  }

  private var hasOnlyBegun: Bool { isReading && reader.hasBegun && !isUnsent }
  private var uselessSince: AdminMoment { isUnsent ? stalled : begun }

  /// Appends a response to the output. The caller flushes it at the end of its turn.
  func answer(_ response: HTTPResponse, isHead: Bool, keepsConnection: Bool) {
    response.write(into: &output, isHead: isHead, keepsConnection: keepsConnection)
    if !keepsConnection { leave() }
  }

  // MARK: Events

  func beginStream() -> EventStream {
    // Browsers wait so long before they open a stream again that has ended.
    var head = HTTPResponse(type: "text/event-stream", Array("retry: 1000\n\n".utf8))
    head.fields.append(HTTPResponse.Field("X-Accel-Buffering", "no"))
    head.writeOpenHead(into: &output)
    output.append(contentsOf: head.body)
    let events = EventStream(over: self)
    state = .streaming(events)
    forgetInput()
    return events
  }

  /// Returns whether there was room.
  func sendEvent(_ frame: [UInt8]) -> Bool {
    // Frames sent at once have a bound of their own: they always fit for a reader that keeps up.
    guard isStreaming, !isUnsent || output.count + frame.count <= server.options.streamBytes else {
      return false
    }
    output.append(contentsOf: frame)
    flush()
    server.arm(for: self)
    return true
  }

  // MARK: Output and the end

  func flush() {
    guard !isClosed else { return }
    let wasStuck = stream.isWriting
    if !output.isEmpty && !wasStuck {
      let sent = stream.write(output)
      output.removeFirst(sent)
    }
    if isUnsent && !wasStuck { stalled = server.moment() }
    if isLeaving && output.isEmpty && !isShutDown {
      isShutDown = true
      stream.shutdown()
      if stream.hasEnded && !isUnsent { close() }
    }
  }

  /// Sends the unsent output, reads no more requests, and then closes.
  func end() {
    leave()
    flush()
    server.arm(for: self)
  }

  private func leave() {
    guard !isLeaving else { return }
    let events: EventStream? = if case .streaming(let events) = state { events } else { nil }
    state = .leaving
    begun = server.moment()
    forgetInput()
    request = nil
    events?.closed()
  }

  /// Whatever comes from now on is thrown away.
  private func forgetInput() {
    input = []
    stream.reader = .nobody
  }

  /// Closes at once.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    leave()
    stream.close()
    server.forget(self)
  }
}

extension AdminConnection: ByteStreamDelegate {
  func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
    guard isReading else { return forget(count) }
    input.append(bytes, 0..<count)
    if isWaiting { return }
    takeTurn()
  }

  private func forget(_ count: Int) {
    forgottenByteCount += count
    if forgottenByteCount > Self.forgottenLimitBytes { close() }
  }

  /// A peer that sends no more may still read its answer. A reader of events that does so is gone.
  func streamEnded(_ stream: ByteStream) {
    if isStreaming || !isUnsent && input.isEmpty { return close() }
  }

  func stream(_ stream: ByteStream, failed error: UVError) { close() }

  func streamBecameWritable(_ stream: ByteStream) {
    stalled = server.moment()
    flush()
    if isLeaving && stream.hasEnded && !isUnsent { return close() }
    goOn()
    server.arm(for: self)
  }
}

@available(*, unavailable)
extension AdminConnection: Sendable {}
