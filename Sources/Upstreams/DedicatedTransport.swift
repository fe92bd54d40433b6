package import GatewayCore
package import JSONRPC
package import LibUV
package import TaskStore

/// An upstream where each request has a connection or child of its own: closing that is how it is cancelled.
package final class DedicatedTransport: ExchangeTransport {
  /// Notifications whose connections are open, delivered or not, at once.
  package static let notificationLimit = 64

  /// How messages are told apart on each of the connections, and how long one may be.
  package struct Wire: Sendable {
    let framing: Framing
    let toleratesNoise: Bool
    let messageLimitBytes: Int

    package init(framing: Framing, toleratesNoise: Bool, messageLimitBytes: Int) {
      self.framing = framing
      self.toleratesNoise = toleratesNoise
      self.messageLimitBytes = messageLimitBytes
    }
  }

  package let id: UpstreamID
  package var delegate: (any UpstreamTransportDelegate)?
  package let name: String
  /// Messages that came and were nobody's answer.
  package internal(set) var skippedCount = 0
  /// Notifications that were given up before they were delivered.
  package private(set) var lostCount = 0

  private let wire: Wire
  private let loop: EventLoop
  private let makeConnection: (UpstreamID) -> any ByteTransport
  private var connecting: LoopTimer?
  private var requests: [TaskID: DedicatedExchange] = [:]
  /// Those that came first are first.
  private var notifications: [DedicatedExchange] = []

  /// - Parameter makeConnection: gives each exchange a connection that nobody else has.
  package init(
    _ id: UpstreamID, name: String, _ wire: Wire, on loop: EventLoop,
    makeConnection: @escaping (UpstreamID) -> any ByteTransport
  ) {
    self.id = id
    self.name = name
    self.wire = wire
    self.loop = loop
    self.makeConnection = makeConnection
  }

  package func connect() {
    let connecting = LoopTimer(on: loop) { [self] in
      self.connecting?.close()
      self.connecting = nil
      delegate?.transportConnected(id)
    }
    connecting.start(afterMilliseconds: 0)
    self.connecting = connecting
  }

  package func disconnect() {
    connecting?.close()
    connecting = nil
    for exchange in Array(requests.values) + notifications { exchange.end() }
    requests = [:]
    notifications = []
  }

  package func begin(_ exchange: Exchange, _ message: [UInt8]) {
    let opened = DedicatedExchange(
      exchange, message, wire, over: makeConnection(id), on: loop, owner: self)
    if let task = exchange.task {
      requests[task] = opened
    } else {
      notifications.append(opened)
      if notifications.count > Self.notificationLimit { giveUpNotification() }
    }
  }

  package func abort(_ task: TaskID) { requests.removeValue(forKey: task)?.end() }

  /// Rather one that has been delivered and is only waited for.
  private func giveUpNotification() {
    let index = notifications.firstIndex(where: \.isDelivered) ?? 0
    let exchange = notifications.remove(at: index)
    if !exchange.isDelivered { lostCount += 1 }
    exchange.end()
  }
}

extension DedicatedTransport {
  func ended(_ exchange: DedicatedExchange) {
    if let task = exchange.task {
      requests[task] = nil
    } else {
      notifications.removeAll { $0 === exchange }
      if !exchange.isDelivered { lostCount += 1 }
    }
  }

  func said(_ line: String) { delegate?.transport(id, said: line) }
}

@available(*, unavailable)
extension DedicatedTransport: Sendable {}
