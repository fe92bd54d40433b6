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
    /// What is unsent is sent still; the peer is waited for, so that it can read that.
    case leaving
  }

  /// It came over the bound, and only hears so.
  let isRefused: Bool
  private let stream: ByteStream
  private unowned let server: AdminServer
  private var state = State.reading
  private var reader = HTTPRequestReader()
  /// What has come and is not read yet: it waits for the peer to take its answers.
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  private var isShutDown = false
  private var isClosed = false
  private var forgottenByteCount = 0
  /// Since when nothing of what is unsent has left.
  private var stalledMilliseconds: UInt64 = 0
  /// Since when a request comes.
  private var headMilliseconds: UInt64 = 0
  /// Since when it is what it is.
  private var stateMilliseconds: UInt64

  init(_ stream: ByteStream, isRefused: Bool, of server: AdminServer) {
    self.stream = stream
    self.isRefused = isRefused
    self.server = server
    stateMilliseconds = server.nowMilliseconds
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
    if isUnsent { return stalledMilliseconds + options.stallMilliseconds }
    switch state {
    case .leaving: return stateMilliseconds + options.farewellMilliseconds
    case .streaming: return nil
    case .reading where reader.hasBegun: return headMilliseconds + options.headMilliseconds
    case .reading: return stateMilliseconds + options.idleMilliseconds
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

  private func readRequests() {
    while isReading, !input.isEmpty, !isUnsent {
      let bytes = input
      input = []
      var offset = 0
      while isReading, offset < bytes.count, output.count < Self.outputLimitBytes {
        readRequest(bytes, from: &offset)
      }
      if isReading { input = Array(bytes[offset...]) }
      flush()
    }
    // A peer that does not take its answers shall not ask for more.
    if isReading && isUnsent { stream.stopReading() } else { stream.startReading() }
    if stream.hasEnded && isReading && !isUnsent { end() }
  }

  private func readRequest(_ bytes: [UInt8], from offset: inout Int) {
    let hadBegun = reader.hasBegun
    switch reader.next(in: bytes.span, count: bytes.count, from: &offset) {
    case .more:
      if !hadBegun { headMilliseconds = server.nowMilliseconds }
    case .request(let request):
      stateMilliseconds = server.nowMilliseconds
      server.answer(request, over: self)
    case .fault(let fault):
      answer(.fault(fault), isHead: false, keepsConnection: false)
    }
  }

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
    input = []
    return events
  }

  /// Returns whether there was room.
  func sendEvent(_ frame: [UInt8]) -> Bool {
    // What is told at once has a bound of its own: to one who keeps up it always fits.
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
    if isUnsent && !wasStuck { stalledMilliseconds = server.nowMilliseconds }
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
    stateMilliseconds = server.nowMilliseconds
    input = []
    events?.closed()
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
    readRequests()
    server.arm(for: self)
  }

  private func forget(_ count: Int) {
    forgottenByteCount += count
    if forgottenByteCount > Self.forgottenLimitBytes { close() }
  }

  /// A peer that says no more can still read; but not a reader of events, which has only that to say.
  func streamEnded(_ stream: ByteStream) {
    if isStreaming || !isUnsent && input.isEmpty { return close() }
  }

  func stream(_ stream: ByteStream, failed error: UVError) { close() }

  func streamBecameWritable(_ stream: ByteStream) {
    stalledMilliseconds = server.nowMilliseconds
    flush()
    if isLeaving && stream.hasEnded && !isUnsent { return close() }
    readRequests()
    server.arm(for: self)
  }
}

@available(*, unavailable)
extension AdminConnection: Sendable {}
