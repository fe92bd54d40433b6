package import GatewayCore
package import JSONRPC
package import LibUV
package import TaskStore

/// An upstream where each message has a connection or child of its own. Closing it cancels the message's request.
package final class DedicatedTransport: ExchangeTransport {
  /// How many messages without a task may be on their way at once; further ones are lost.
  package static let ownMessageLimit = 64

  /// The framing of messages on each connection.
  package struct Wire: Sendable {
    let framing: Framing
    let toleratesNoise: Bool

    package init(framing: Framing, toleratesNoise: Bool) {
      self.framing = framing
      self.toleratesNoise = toleratesNoise
    }
  }

  package let id: UpstreamID
  package var delegate: (any UpstreamTransportDelegate)?
  package let name: String
  package let connectsAsNeeded = true
  /// How many messages, and lines that begin like one, were skipped because they answer no request.
  package internal(set) var skippedCount = 0

  private let wire: Wire
  private let bounds: TransportBounds
  private let loop: EventLoop
  private let makeConnection: (UpstreamID) -> any ByteTransport
  /// Tells the delegate what must not be told from within a call of the owner's.
  private var news: LoopTimer?
  private var isConnecting = false
  private var exchanges: [TaskID: DedicatedExchange] = [:]
  private var ownMessages: [DedicatedExchange] = []
  /// Exchanges whose connections are still to be opened, the first at `nextToOpen`; some may be over.
  private var unopened: [DedicatedExchange] = []
  private var nextToOpen = 0
  private var openingCount = 0
  private var unreportedLosses = 0

  /// - Parameter makeConnection: makes a new connection for each exchange.
  package init(
    _ id: UpstreamID, name: String, _ wire: Wire, _ bounds: TransportBounds, on loop: EventLoop,
    makeConnection: @escaping (UpstreamID) -> any ByteTransport
  ) {
    self.id = id
    self.name = name
    self.wire = wire
    self.bounds = bounds
    self.loop = loop
    self.makeConnection = makeConnection
  }

  package func connect() {
    isConnecting = true
    tellSoon()
  }

  package func disconnect() {
    news?.close()
    news = nil
    isConnecting = false
    unreportedLosses = 0
    endAll(byReset: false)
  }

  package func reset() { endAll(byReset: true) }

  private func endAll(byReset isReset: Bool) {
    (unopened, nextToOpen) = ([], 0)
    for exchange in Array(exchanges.values) + ownMessages { exchange.end(byReset: isReset) }
    exchanges = [:]
    ownMessages = []
  }

  package func begin(_ exchange: Exchange, _ message: [UInt8]) {
    guard exchange.task != nil || ownMessages.count < Self.ownMessageLimit else { return lose() }
    let begun = DedicatedExchange(
      exchange, message, wire, bounds, over: makeConnection(id), on: loop, owner: self)
    if let task = exchange.task { exchanges[task] = begun } else { ownMessages.append(begun) }
    unopened.append(begun)
    openNext()
  }

  package func abort(_ task: TaskID) { exchanges.removeValue(forKey: task)?.end() }
}

extension DedicatedTransport {
  /// An attempt to connect has succeeded or failed.
  func opened() {
    openingCount -= 1
    openNext()
  }

  private func openNext() {
    while openingCount < bounds.connectingLimit, nextToOpen < unopened.count {
      let exchange = unopened[nextToOpen]
      nextToOpen += 1
      forgetOpened()
      guard !exchange.isOver else { continue }
      openingCount += 1
      exchange.open()
    }
  }

  /// Opened exchanges stand before the others in the array: they are removed once they are half of all.
  private func forgetOpened() {
    guard nextToOpen * 2 >= unopened.count else { return }
    unopened.removeFirst(nextToOpen)
    nextToOpen = 0
  }

  func ended(_ exchange: DedicatedExchange) {
    if let task = exchange.task {
      exchanges[task] = nil
    } else {
      ownMessages.removeAll { $0 === exchange }
    }
  }

  func said(_ line: String) { delegate?.transport(id, said: line) }

  // MARK: News

  private func lose() {
    unreportedLosses += 1
    tellSoon()
  }

  private func tellSoon() {
    let news = news ?? LoopTimer(on: loop) { [unowned self] in tellNews() }
    news.start(afterMilliseconds: 0)
    self.news = news
  }

  private func tellNews() {
    let losses = unreportedLosses
    unreportedLosses = 0
    if isConnecting {
      isConnecting = false
      delegate?.transportConnected(id)
    }
    for _ in 0..<losses { delegate?.transport(id, lost: "too much is on its way already") }
  }
}

@available(*, unavailable)
extension DedicatedTransport: Sendable {}
