#if HTTPUpstreams
package import GatewayCore
import CLibCurl
package import LibUV
package import TaskStore

/// An upstream that is asked by HTTP: decides which requests are on their way, and tells what became of them.
package final class HTTPTransport: ExchangeTransport {
  /// Where the request of a task is.
  private enum Place {
    case waiting(HTTPWaitingLine.Place)
    case running(HTTPTransfer)
    /// Never sent, for this reason; its owner will hear of it.
    case refused(String)
  }

  package let id: UpstreamID
  package var delegate: (any UpstreamTransportDelegate)?
  private let endpoint: HTTPEndpoint
  private let loop: EventLoop
  /// There is one from `connect()` to `disconnect()`.
  private var driver: HTTPDriver?
  private var waiting = HTTPWaitingLine()
  private var running: [ObjectIdentifier: HTTPTransfer] = [:]
  private var idle: [HTTPTransfer] = []
  private var places: [TaskID: Place] = [:]
  private var refused: [TaskID] = []
  /// What is not told from within a call of the owner's.
  private var news: LoopTimer?
  private var isConnecting = false

  package init(_ id: UpstreamID, to endpoint: HTTPEndpoint, on loop: EventLoop) {
    precondition(endpoint.connections > 0, "an upstream needs a connection")
    self.id = id
    self.endpoint = endpoint
    self.loop = loop
  }

  package var name: String { endpoint.name }

  package func connect() {
    disconnect()
    isConnecting = true
    news = LoopTimer(on: loop) { [unowned self] in tellNews() }
    news?.start(afterMilliseconds: 0)
    guard HTTPLibrary.fault == nil else { return }
    driver = HTTPDriver(idleConnections: endpoint.connections, on: loop) { [unowned self] in ended($0, $1) }
  }

  package func disconnect() {
    for transfer in running.values { driver?.remove(transfer) }
    running = [:]
    idle = []
    driver?.close()
    driver = nil
    waiting = HTTPWaitingLine()
    places = [:]
    refused = []
    news?.close()
    news = nil
  }

  package func begin(_ exchange: Exchange, _ message: [UInt8]) {
    let request = HTTPRequest(exchange, message, now: loop.nowMilliseconds)
    guard driver != nil else { return refuse(exchange.task, HTTPLibrary.fault ?? Self.outOfMemory) }
    guard waiting.hasRoom(for: request) else {
      return refuse(exchange.task, "too much waits for it already")
    }
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
  private static let outOfMemory = "libcurl is out of memory"

  private func startNext() {
    while running.count < endpoint.connections, let request = waiting.popFirst() {
      if !request.isForNobody(now: loop.nowMilliseconds) { start(request) }
    }
  }

  private func start(_ request: HTTPRequest) {
    guard let transfer = idle.popLast() ?? HTTPTransfer() else {
      return refuse(request.task, Self.outOfMemory)
    }
    transfer.prepare(request, for: endpoint, now: loop.nowMilliseconds)
    running[ObjectIdentifier(transfer)] = transfer
    if let task = request.task { places[task] = .running(transfer) }
    if driver?.add(transfer) != true {
      retire(transfer)
      refuse(request.task, Self.outOfMemory)
    }
  }

  private func giveUp(_ transfer: HTTPTransfer) {
    // A lookup goes on by itself: as long as it does there shall not be another one in its place.
    if transfer.isLookingUp { return transfer.abandon() }
    driver?.remove(transfer)
    retire(transfer)
    startNext()
  }

  private func retire(_ transfer: HTTPTransfer, canBeUsedAgain: Bool = false) {
    running[ObjectIdentifier(transfer)] = nil
    // Resetting it does not make libcurl forget that it was to send what it was given a second time.
    guard canBeUsedAgain else { return }
    transfer.reset()
    idle.append(transfer)
  }

  private func ended(_ transfer: HTTPTransfer, _ code: CURLcode) {
    let task = transfer.request?.task
    let outcome = transfer.takeOutcome(code)
    retire(transfer, canBeUsedAgain: code == CURLE_OK)
    startNext()
    guard let task else { return }
    places[task] = nil
    tell(task, outcome)
  }

  private func tell(_ task: TaskID, _ outcome: HTTPTransfer.Outcome) {
    switch outcome {
    case .answer(let bytes, let count):
      delegate?.transport(id, answered: task, with: bytes.span, count: count)
    case .failure(let wasSent, let reason):
      delegate?.transport(id, failed: task, wasSent: wasSent, reason: reason)
    }
  }

  private func refuse(_ task: TaskID?, _ reason: String) {
    guard let task else { return }
    places[task] = .refused(reason)
    refused.append(task)
    news?.start(afterMilliseconds: 0)
  }

  private func tellNews() {
    if isConnecting {
      isConnecting = false
      delegate?.transportConnected(id)
    }
    let tasks = refused
    refused = []
    for task in tasks {
      // Whoever heard of another may have given this one up.
      guard case .refused(let reason) = places[task] else { continue }
      places[task] = nil
      delegate?.transport(id, failed: task, wasSent: false, reason: reason)
    }
  }
}

@available(*, unavailable)
extension HTTPTransport: Sendable {}
#endif
