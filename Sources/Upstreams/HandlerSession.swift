import JSONRPC
package import LibUV

/// One JSON-RPC conversation with Swift code: every request runs as a `Task`, `$/cancelRequest` cancels it.
package final class HandlerSession {
  /// Requests that run at once in one conversation; further ones are answered `overloaded`.
  package static let runningLimit = 10_000

  private let handler: any RequestHandler
  private let send: ([UInt8]) -> Void
  private var framer = LineFramer(limitBytes: WireLimits.messageBytes)
  private var running: [RequestID: Task<Void, Never>] = [:]
  private var answers: Mailbox<HandlerAnswer>?
  private var owedAnswers = 0

  /// - Parameter send: takes each answer, a whole line; called on the loop, never from within `received`.
  package init(
    _ handler: any RequestHandler, on loop: EventLoop, send: @escaping ([UInt8]) -> Void
  ) throws(UVError) {
    self.handler = handler
    self.send = send
    answers = try Mailbox(on: loop) { [unowned self] answer in self.finished(answer) }
  }

  /// Whether everything that was asked has been answered.
  package var isQuiet: Bool { owedAnswers == 0 }

  /// Ends the conversation: what still runs is cancelled, its answers go nowhere.
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
    switch EnvelopeScanner.scan(bytes, line, into: &envelope) {
    case .message where envelope.isResponse: break
    case .message: request(bytes, envelope)
    case .malformed: refuse(RequestID(), .parseError)
    case .batch: refuse(RequestID(), .invalidRequest)
    case .invalid(let fault):
      refuse(RequestID(envelope.id, in: bytes), .invalidRequest.with(message: fault.message))
    }
  }

  private func request(_ bytes: Span<UInt8>, _ envelope: Envelope) {
    if JSONString.equals(envelope.method, in: bytes, "$/cancelRequest") { return cancel(bytes, envelope) }
    guard !envelope.isNotification else { return }
    let id = RequestID(envelope.id, in: bytes)
    guard running.count < Self.runningLimit, running[id] == nil else { return refuse(id, .overloaded) }
    var request = HandlerRequest(method: [], params: [])
    _ = JSONString.unescape(envelope.method, in: bytes, into: &request.method)
    request.params.append(bytes, envelope.params.range)
    run(request, id)
  }

  private func run(_ request: HandlerRequest, _ id: RequestID) {
    guard let sender = answers?.sender else { return }
    owedAnswers += 1
    running[id] = Task { [handler] in
      var line: [UInt8] = []
      do {
        let result = try await handler.answer(request)
        MessageWriter.answer(id, isError: false, result.span, result.indices, into: &line)
      } catch let error as RPCError {
        MessageWriter.error(id, error, into: &line)
      } catch is CancellationError {
        MessageWriter.error(id, .cancelled, into: &line)
      } catch {
        MessageWriter.error(id, .internalError.with(message: "\(error)"), into: &line)
      }
      sender.send(HandlerAnswer(id: id, line: line))
    }
  }

  private func finished(_ answer: HandlerAnswer) {
    if let id = answer.id { running[id] = nil }
    owedAnswers -= 1
    send(answer.line)
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
    // Through the mailbox, like every answer: nobody is called back from within a call of theirs.
    sender.send(HandlerAnswer(id: nil, line: line))
  }
}

@available(*, unavailable)
extension HandlerSession: Sendable {}

/// A handler's answer on its way to the loop; without an id it is not a task's.
struct HandlerAnswer: Sendable {
  var id: RequestID?
  var line: [UInt8]
}
