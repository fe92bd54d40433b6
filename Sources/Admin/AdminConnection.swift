import HTTP1
import JSONRPC
import LibUV

/// One connection to the admin listener: its requests, what of their answers is unsent, and when it has taken too long.
final class AdminConnection {
  /// While so much is unsent, no further request is read.
  static let outputLimitBytes = 256 * 1024
  /// How much is read and forgotten of a peer that goes on sending.
  static let forgottenLimitBytes = 1024 * 1024

  private enum State {
    /// Requests come.
    case reading
    /// Nothing but events goes out; what comes is forgotten.
    case streaming(EventStream)
    /// The output is sent, and the peer is waited for, so that it can read it.
    case leaving
  }

  /// It came over the bound: it may ask once how the gateway is, and is told of everything else that there are too many.
  let isReserve: Bool
  private let stream: ByteStream
  private unowned let server: AdminServer
  private var state = State.reading
  private var reader = HTTPRequestReader(methods: HTTPRequest.methods)
  /// What has come and is not read yet: it waits for the peer to take its answers, or for its turn.
  private var input: [UInt8] = []
  /// The request for whose page there was no time in this turn.
  private var request: HTTPRequest?
  private var isWaiting = false
  private var output: [UInt8] = []
  private var isShutDown = false
  private var isClosed = false
  private var forgottenByteCount = 0
  /// Since when nothing of what is unsent has left.
  private var stalled = AdminMoment()
  /// Since when a request comes.
  private var headMilliseconds: UInt64 = 0
  /// Since when it is what it is.
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

  /// When it has taken too long; nil: it may stay as it is.
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

  /// Tells it why, and ends it.
  func turnAway(_ response: HTTPResponse) {
    answer(response, isHead: false, keepsConnection: false)
    flush()
  }

  /// It is its turn: one request is answered, others wait for the next.
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

  /// Reads on, or waits: a peer that has had its turn, or does not take its answers, shall not ask for more.
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
    // None is let in: a request for a page has no content.
    case .content, .end: break
    case .fault(let fault): refuse(fault)
    }
  }

  private func refuse(_ fault: HTTPFault) { answer(.fault(fault), isHead: false, keepsConnection: false) }

  private func answer(_ request: HTTPRequest) {
    if !server.answered(request, over: self) { self.request = request }
  }

  /// From when on it may have to give way, as it holds a place for nothing: no whole request has come, or its answer is
  /// not taken; nil: it keeps it. One that has begun to ask has said what it came for.
  var yieldsAtMilliseconds: UInt64? {
    guard !isStreaming, !isWaiting else { return nil }
    return hasOnlyBegun ? 0 : uselessSince.milliseconds + server.options.graceMilliseconds
  }

  /// Whether it gives way first, of two that may have to.
  func yields(before other: AdminConnection) -> Bool {
    guard hasOnlyBegun == other.hasOnlyBegun else { return hasOnlyBegun }
    return uselessSince.number < other.uselessSince.number
  }

  private var hasOnlyBegun: Bool { isReading && reader.hasBegun && !isUnsent }
  private var uselessSince: AdminMoment { isUnsent ? stalled : begun }

  /// To be flushed by whoever has the last word in this turn.
  func answer(_ response: HTTPResponse, isHead: Bool, keepsConnection: Bool) {
    response.write(into: &output, isHead: isHead, keepsConnection: keepsConnection)
    if !keepsConnection { leave() }
  }

  // MARK: Events

  func beginStream() -> EventStream {
    // Browsers wait so long before they ask again for a stream that has ended.
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

  /// Sends what is unsent, and reads no more requests.
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

  /// Gives up at once.
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
