package import JSONRPC
package import LibUV

/// One JSON-RPC session with Swift code: every request runs as a `Task`, and `$/cancelRequest` cancels it.
///
/// A notification runs as a `Task`, too, which nothing cancels.
package final class HandlerSession {
  /// How many requests may run at once in one session; further ones are answered `overloaded`. As many notifications
  /// may run besides; further ones are dropped.
  package static let runningLimit = 10_000

  private let handler: any RequestHandler
  private let send: ([UInt8]) -> Void
  private var framer: LineFramer
  private let limits: ScanLimits
  private var running: [RequestID: Task<Void, Never>] = [:]
  private var answers: Mailbox<HandlerOutcome>?
  private var owedAnswers = 0
  private var runningNotifications = 0

  /// - Parameters:
  ///   - lineLimitBytes: the longest line that is read; a longer one is refused without an id.
  ///   - limits: the limits for scanning a line.
  ///   - send: takes each answer, a whole line; called on the loop, never from within `received`.
  package init(
    _ handler: any RequestHandler, lineLimitBytes: Int = WireLimits.messageBytes,
    limits: ScanLimits = ScanLimits(), on loop: EventLoop, send: @escaping ([UInt8]) -> Void
  ) throws(UVError) {
    self.handler = handler
    framer = LineFramer(limitBytes: lineLimitBytes)
    self.limits = limits
    self.send = send
    try SleepDescriptors.open()
    answers = try Mailbox(on: loop) { [unowned self] in self.finished($0) }
  }

  /// Whether every request has been answered.
  package var isQuiet: Bool { owedAnswers == 0 }

  /// Ends the session: running requests are cancelled, and their answers are dropped.
  package func end() {
    for task in running.values { task.cancel() }
    running = [:]
    answers?.close()
    answers = nil
  }

  /// Behind the first `count` bytes lies the scanner's slack.
  package func received(_ chunk: Span<UInt8>, count: Int) {
    var offset = 0
    while true {
      switch framer.next(in: chunk, count: count, from: &offset) {
      case .incomplete:
        return
      case .inPlace(let line):
        handle(chunk, line)
      case .assembled:
        let line = framer.takeAssembled()
        line.withSpan { handle($0, line.range) }
        framer.recycle(line)
      case .tooLong:
        refuse(RequestID(), .tooLarge)
      }
    }
  }

  private func handle(_ bytes: Span<UInt8>, _ line: Range<Int>) {
    var envelope = Envelope()
    switch EnvelopeScanner.scan(bytes, line, limits, into: &envelope) {
    case .message where envelope.isResponse: break
    case .message: request(bytes, envelope)
    case .malformed, .tooDeep: refuse(RequestID(), .parseError)
    case .batch: refuse(RequestID(), .invalidRequest)
    case .invalid(let fault):
      refuse(RequestID(envelope.id, in: bytes), .invalidRequest.with(message: fault.message))
    }
  }

  private func request(_ bytes: Span<UInt8>, _ envelope: Envelope) {
    if JSONString.equals(envelope.method, in: bytes, "$/cancelRequest") { return cancel(bytes, envelope) }
    var request = HandlerRequest(method: [], params: [])
    _ = JSONString.unescape(envelope.method, in: bytes, into: &request.method)
    request.params.append(bytes, envelope.params.range)
    if envelope.isNotification { return notify(request) }
    let id = RequestID(envelope.id, in: bytes)
    guard running.count < Self.runningLimit, running[id] == nil else { return refuse(id, .overloaded) }
    run(request, id)
  }

  private func run(_ request: HandlerRequest, _ id: RequestID) {
    guard let sender = answers?.sender else { return }
    owedAnswers += 1
    handler.accept(request)
    var request = request
    request.givePiece = { value in
      var line: [UInt8] = []
      MessageWriter.piece(id, value.span, value.indices, as: .lines, into: &line)
      sender.send(.piece(line: line))
    }
    running[id] = Task { [handler, request] in
      sender.send(.answered(id, line: await handler.line(answering: request, id)))
    }
  }

  private func notify(_ request: HandlerRequest) {
    guard let sender = answers?.sender, runningNotifications < Self.runningLimit else { return }
    runningNotifications += 1
    handler.accept(request)
    Task { [handler] in
      _ = try? await handler.answer(request)
      sender.send(.notified)
    }
  }

  private func finished(_ outcome: HandlerOutcome) {
    switch outcome {
    case .answered(let id, let line):
      running[id] = nil
      owedAnswers -= 1
      send(line)
    case .refused(let line):
      owedAnswers -= 1
      send(line)
    case .notified:
      runningNotifications -= 1
    case .piece(let line):
      send(line)
    }
  }

  private func cancel(_ bytes: Span<UInt8>, _ envelope: Envelope) {
    guard !envelope.params.isEmpty else { return }
    var params = ObjectReader(envelope.params)
    while let member = params.next(in: bytes) {
      guard member.isNamed("id", in: bytes) else { continue }
      running[RequestID(member.value, in: bytes)]?.cancel()
    }
  }

  private func refuse(_ id: RequestID, _ error: RPCError) {
    var line: [UInt8] = []
    MessageWriter.error(id, error, into: &line)
    guard let sender = answers?.sender else { return }
    owedAnswers += 1
    // Through the mailbox, like every answer: `send` is never called from within `received`.
    sender.send(.refused(line: line))
  }
}

@available(*, unavailable)
extension HandlerSession: Sendable {}
