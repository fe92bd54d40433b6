#if HTTPUpstreams
package import GatewayCore
import CLibCurl
import JSONRPC
package import LibUV
package import TaskStore

/// An HTTP upstream: decides which requests are on their way, and tells their outcome.
package final class HTTPTransport: ExchangeTransport {
  /// The state of a task's request.
  private enum Place {
    case waiting(HTTPWaitingLine.Place)
    case running(HTTPTransfer)
    /// It was not sent, for this reason; the delegate will be told.
    case refused(HTTPRefusal)
  }

  package let id: UpstreamID
  package var delegate: (any UpstreamTransportDelegate)?
  private let endpoint: HTTPEndpoint
  private let bounds: TransportBounds
  private let loop: EventLoop
  /// Not nil from `connect()` to `disconnect()`.
  private var driver: HTTPDriver?
  private var waiting = HTTPWaitingLine()
  private var running: [ObjectIdentifier: HTTPTransfer] = [:]
  private var idle: [HTTPTransfer] = []
  private var places: [TaskID: Place] = [:]
  private var refused: [TaskID] = []
  /// The reasons of messages without a task that were not sent.
  private var losses: [String] = []
  /// Tells the delegate what must not be told from within a call of the owner's.
  private var news: LoopTimer?
  private var isConnecting = false
  /// Transfers with messages that the delegate has not got.
  private var spoken: [HTTPTransfer] = []
  /// Transfers that were answered or accepted but have not ended, in the order of their answers.
  private var lingering: [HTTPTransfer] = []
  private var lingerTimer: LoopTimer?

  /// How long an event stream may go on behind its answer, or a response behind an accepted notification, before the
  /// connection is closed.
  package var lingerMilliseconds: UInt64 = 1_000
  /// The same while a request waits for a connection: a server that ends the stream with the answer has done so by
  /// then.
  static let hurriedMilliseconds: UInt64 = 20

  package init(_ id: UpstreamID, to endpoint: HTTPEndpoint, _ bounds: TransportBounds, on loop: EventLoop) {
    precondition(endpoint.connections > 0, "an upstream needs a connection")
    self.id = id
    self.endpoint = endpoint
    self.bounds = bounds
    self.loop = loop
  }

  package var name: String { endpoint.name }
  package let connectsAsNeeded = true

  package func connect() {
    disconnect()
    isConnecting = true
    news = LoopTimer(on: loop) { [unowned self] in tellNews() }
    news?.start(afterMilliseconds: 0)
    makeDriver()
  }

  private func makeDriver() {
    guard HTTPLibrary.fault == nil else { return }
    driver = HTTPDriver(
      idleConnections: endpoint.connections, on: loop, onEnd: { [unowned self] in ended($0, $1) },
      onProgress: { [unowned self] in
        tellMessages()
        startNext()
      })
  }

  package func disconnect() {
    endAll()
    news?.close()
    news = nil
  }

  package func reset() {
    guard driver != nil else { return }
    driver?.resetsConnections = true
    endAll()
    makeDriver()
  }

  /// Ends all exchanges, with their connections.
  private func endAll() {
    for transfer in running.values { driver?.remove(transfer) }
    running = [:]
    (idle, spoken, lingering) = ([], [], [])
    lingerTimer?.close()
    lingerTimer = nil
    driver?.close()
    driver = nil
    waiting = HTTPWaitingLine()
    places = [:]
    refused = []
    losses = []
  }

  package func begin(_ exchange: Exchange, _ message: [UInt8]) {
    var request = HTTPRequest(exchange, message, now: loop.nowMilliseconds)
    if endpoint.isMCP { request.fields = MCPMessage(message).ownFields }
    guard driver != nil else {
      return refuse(exchange.task, HTTPLibrary.fault.map { HTTPRefusal(.unreached, $0) } ?? .outOfMemory)
    }
    guard waiting.hasRoom(for: request) else { return refuse(exchange.task, .lineIsFull) }
    let place = waiting.append(request)
    if let task = exchange.task { places[task] = .waiting(place) }
    startNext()
  }

  package func abort(_ task: TaskID) {
    switch places.removeValue(forKey: task) {
    case .waiting(let place):
      waiting.remove(place)
    case .running(let transfer):
      giveUp(transfer)
    case .refused, nil:
      break
    }
  }
}

extension HTTPTransport {
  private func startNext() {
    guard !waiting.isEmpty else { return }
    var openingCount = running.values.count { $0.isOpening }
    while running.count < endpoint.connections, openingCount < bounds.connectingLimit,
      let request = waiting.popFirst()
    {
      if request.isTooLate(now: loop.nowMilliseconds) {
        refuse(request.task, .isTooLate)
      } else {
        start(request)
        openingCount += 1
      }
    }
    if isCrowded, let next = lingering.first { limitLingering(of: next) }
  }

  /// Whether a request waits for a connection.
  private var isCrowded: Bool { !waiting.isEmpty && running.count >= endpoint.connections }

  private func start(_ request: HTTPRequest) {
    guard let transfer = idle.popLast() ?? newTransfer() else { return refuse(request.task, .outOfMemory) }
    transfer.prepare(request, for: endpoint, bounds, now: loop.nowMilliseconds)
    running[ObjectIdentifier(transfer)] = transfer
    if let task = request.task { places[task] = .running(transfer) }
    if driver?.add(transfer) != true {
      retire(transfer)
      refuse(request.task, .outOfMemory)
    }
  }

  private func newTransfer() -> HTTPTransfer? {
    guard let transfer = HTTPTransfer() else { return nil }
    transfer.onNews = { [unowned self, unowned transfer] in spoken.append(transfer) }
    return transfer
  }

  private func giveUp(_ transfer: HTTPTransfer) {
    // A lookup of a name cannot be stopped: until it is over, the transfer keeps its place, so that lookups do not pile
    // up.
    if transfer.isLookingUp { return transfer.abandon() }
    driver?.remove(transfer)
    retire(transfer)
    startNext()
  }

  private func retire(_ transfer: HTTPTransfer, canBeUsedAgain: Bool = false) {
    running[ObjectIdentifier(transfer)] = nil
    if transfer.answeredMilliseconds != nil { lingering.removeAll { $0 === transfer } }
    // Even after a reset libcurl remembers that it wanted to send the content a second time.
    guard canBeUsedAgain else { return }
    transfer.reset()
    idle.append(transfer)
  }

  private func ended(_ transfer: HTTPTransfer, _ code: CURLcode) {
    tellMessages(of: transfer)
    // The core may have aborted this one from within the call for another.
    guard running[ObjectIdentifier(transfer)] === transfer else { return }
    let request = transfer.request
    let wasAnswered = transfer.answeredMilliseconds != nil
    let outcome = transfer.takeOutcome(code)
    let socket = transfer.keptSocket
    retire(transfer, canBeUsedAgain: code == CURLE_OK)
    startNext()
    guard let request, !wasAnswered else { return }
    if let task = request.task {
      places[task] = nil
      tell(task, outcome, socket)
    } else if case .failure(_, let reason) = outcome {
      delegate?.transport(id, lost: reason)
    }
  }

  /// - Parameter socket: the socket that the answer came over, if that is kept.
  private func tell(_ task: TaskID, _ outcome: HTTPTransfer.Outcome, _ socket: Int32?) {
    switch outcome {
    case .answer(let bytes, let count):
      let isOwn = delegate?.transport(id, answered: task, with: bytes.span, count: count)
      if isOwn == false { driver?.distrust(socket) }
    case .accepted:
      delegate?.transport(id, delivered: task)
    case .failure(let failure, let reason):
      delegate?.transport(id, failed: task, failure, reason: reason)
    }
  }

  // MARK: Event streams, and what was taken

  private func tellMessages() {
    let speakers = spoken
    spoken = []
    for transfer in speakers { tellMessages(of: transfer) }
  }

  private func tellMessages(of transfer: HTTPTransfer) {
    for message in transfer.takeMessages() {
      // The core may have aborted this one from within the call for another.
      guard let task = transfer.request?.task, case .running(let current) = places[task], current === transfer
      else { return }
      tell(message.span, message.count - JSONText.slackByteCount, of: task, transfer)
    }
    if transfer.isTaken { tellTaken(transfer) }
  }

  private func tellTaken(_ transfer: HTTPTransfer) {
    guard running[ObjectIdentifier(transfer)] === transfer, transfer.answeredMilliseconds == nil else {
      return
    }
    linger(transfer)
    guard let task = transfer.request?.task else { return }
    places[task] = nil
    delegate?.transport(id, delivered: task)
  }

  private func tell(_ message: Span<UInt8>, _ count: Int, of task: TaskID, _ transfer: HTTPTransfer) {
    switch ExchangeMessage(message, 0..<count, of: task) {
    case .other: delegate?.transport(id, gave: task, message, count: count)
    case .answer:
      places[task] = nil
      linger(transfer)
      delegate?.transport(id, answered: task, with: message, count: count)
    case .noJSON:
      places[task] = nil
      giveUp(transfer)
      delegate?.transport(id, failed: task, .unanswered, reason: "an event is no JSON")
    }
  }

  /// A stream that ends with its answer leaves its connection to the next request.
  private func linger(_ transfer: HTTPTransfer) {
    transfer.wasAnswered(now: loop.nowMilliseconds)
    lingering.append(transfer)
    if lingering.count == 1 { limitLingering(of: transfer) }
  }

  private func limitLingering(of transfer: HTTPTransfer) {
    let timer = lingerTimer ?? LoopTimer(on: loop) { [unowned self] in endLingering() }
    lingerTimer = timer
    timer.start(atMilliseconds: lingerDueMilliseconds(transfer))
  }

  private func endLingering() {
    let now = loop.nowMilliseconds
    while let transfer = lingering.first, lingerDueMilliseconds(transfer) <= now {
      lingering.removeFirst()
      giveUp(transfer)
    }
    if let next = lingering.first { limitLingering(of: next) }
  }

  private func lingerDueMilliseconds(_ transfer: HTTPTransfer) -> UInt64 {
    (transfer.answeredMilliseconds ?? 0) + (isCrowded ? Self.hurriedMilliseconds : lingerMilliseconds)
  }

  private func refuse(_ task: TaskID?, _ refusal: HTTPRefusal) {
    if let task {
      places[task] = .refused(refusal)
      refused.append(task)
    } else {
      losses.append(refusal.reason)
    }
    news?.start(afterMilliseconds: 0)
  }

  private func tellNews() {
    if isConnecting {
      isConnecting = false
      delegate?.transportConnected(id)
    }
    let (tasks, losses) = (refused, self.losses)
    refused = []
    self.losses = []
    for reason in losses { delegate?.transport(id, lost: reason) }
    for task in tasks {
      // The core may have aborted this one from within the call for another.
      guard case .refused(let refusal) = places[task] else { continue }
      places[task] = nil
      delegate?.transport(id, failed: task, refusal.failure, reason: refusal.reason)
    }
  }
}

@available(*, unavailable)
extension HTTPTransport: Sendable {}
#endif
