import GatewayCore
import JSONRPC
import LibUV
import TaskStore

/// One message over a connection of its own: until the answer to a request comes, or until the end of the connection
/// shows that a notification has arrived.
final class DedicatedExchange {
  /// How long a connection stays open once the kernel has taken a notification, so that a reset does not lose it.
  static let lingerMilliseconds: UInt64 = 1_000

  let task: TaskID?
  private let isNotification: Bool
  private let toleratesNoise: Bool
  private let connection: any ByteTransport
  private var owner: DedicatedTransport?
  private var framer: UpstreamFramer
  private var unsent: ArraySlice<UInt8>
  /// Whether some of the message may have arrived.
  private var wasSent = false
  private var isOpening = false
  private let loop: EventLoop
  /// The time by which a notification should arrive.
  private let deadlineMilliseconds: UInt64
  private let connectMilliseconds: UInt64
  /// The timeout of a notification, or of a request's attempt to connect. A connected request has none here: the core
  /// ends it.
  private var timeout: LoopTimer?

  init(
    _ exchange: Exchange, _ message: [UInt8], _ wire: DedicatedTransport.Wire, _ bounds: TransportBounds,
    over connection: any ByteTransport, on loop: EventLoop, owner: DedicatedTransport
  ) {
    task = exchange.task
    isNotification = exchange.isNotification
    self.loop = loop
    deadlineMilliseconds = loop.nowMilliseconds + exchange.remainingMilliseconds
    connectMilliseconds = bounds.connectMilliseconds
    toleratesNoise = wire.toleratesNoise
    self.connection = connection
    self.owner = owner
    framer = UpstreamFramer(
      limitBytes: bounds.messageLimitBytes, framing: wire.framing, toleratesNoise: wire.toleratesNoise)
    var framed: [UInt8] = []
    MessageWriter.message(message.span, as: wire.framing, into: &framed)
    unsent = framed[...]
    connection.delegate = self
    timeout = LoopTimer(on: loop) { [unowned self] in timeIsUp() }
    if isNotification { timeout?.start(atMilliseconds: deadlineMilliseconds) }
  }

  /// Whether it has ended: its owner hears nothing more of it.
  var isOver: Bool { owner == nil }

  func open() {
    isOpening = true
    timeout?.start(atMilliseconds: min(loop.nowMilliseconds + connectMilliseconds, deadlineMilliseconds))
    connection.connect()
  }

  /// Ends it; its owner hears nothing more of it.
  func end(byReset isReset: Bool = false) {
    let owner = owner
    self.owner = nil
    timeout?.close()
    timeout = nil
    unsent = []
    if isReset { connection.reset() }
    connection.disconnect()
    connection.delegate = nil
    if isOpening { owner?.opened() }
    isOpening = false
  }

  /// Ends the exchange by itself, and calls `report` to tell the delegate.
  private func finish(_ report: (any UpstreamTransportDelegate, UpstreamID) -> Void) {
    guard let owner else { return }
    end()
    owner.ended(self)
    if let delegate = owner.delegate { report(delegate, owner.id) }
  }

  private func fail(_ reason: String, isTooLong: Bool = false) {
    let failure = isTooLong ? ExchangeFailure.tooLong : wasSent ? .unanswered : .unreached
    finish { delegate, id in
      if let task {
        delegate.transport(id, failed: task, failure, reason: reason)
      } else {
        delegate.transport(id, lost: reason)
      }
    }
  }

  private func delivered() {
    finish { delegate, id in if let task { delegate.transport(id, delivered: task) } }
  }

  /// Whether the kernel has the whole message.
  private var isHandedOver: Bool { wasSent && unsent.isEmpty && !connection.isWriting }

  private func timeIsUp() {
    if isOpening { return fail("no connection in time") }
    if isHandedOver { delivered() } else { fail("not taken in its time") }
  }

  private func send() {
    guard owner != nil, !unsent.isEmpty else { return }
    let count = unsafe unsent.withUnsafeBytes { bytes in
      // Both pointers are valid during the call, and nothing of them is kept.
      unsafe withUnsafePointer(to: bytes) {
        unsafe connection.write(UnsafeBufferPointer(start: $0, count: 1))
      }
    }
    unsent.removeFirst(count)
    if count > 0 { wasSent = true }
    guard unsent.isEmpty else { return }
    // The answer may be long in coming, and the slice would keep what it was cut from.
    unsent = []
    if isNotification { handOver() }
  }

  /// Ends our side of the connection. A child has the rest of the notification's time to work on it. A peer behind a
  /// socket may not have read it yet, and would lose it by a reset, so the connection stays open a while.
  private func handOver() {
    connection.end()
    if isHandedOver && !connection.endsWithItsWork { linger() }
  }

  private func linger() {
    let enough = loop.nowMilliseconds + Self.lingerMilliseconds
    timeout?.start(atMilliseconds: min(enough, deadlineMilliseconds))
  }
}

// MARK: The answer

extension DedicatedExchange {
  private func read(_ chunk: Span<UInt8>, count: Int) {
    var offset = 0
    while owner != nil {
      switch framer.next(in: chunk, count: count, from: &offset) {
      case .incomplete:
        return
      case .inPlace(let message):
        judge(chunk, message)
      case .assembled:
        let message = framer.takeAssembled()
        let range = message.range
        message.withSpan { judge($0, range) }
        framer.recycle(message)
      case .tooLong:
        fail("the answer is longer than messageBytes", isTooLong: true)
      case .badHeader:
        fail("answer without a right header")
      }
    }
  }

  private func judge(_ bytes: Span<UInt8>, _ message: Range<Int>) {
    let text = bytes.extracting(message.lowerBound..<bytes.count)
    switch ExchangeMessage(bytes, message, of: task, toleratesNoise: toleratesNoise) {
    case .noJSON: fail("answer is no JSON")
    case .answer:
      finish { delegate, id in
        if let task { delegate.transport(id, answered: task, with: text, count: message.count) }
      }
    case .other:
      owner?.skippedCount += 1
      if let task, let owner { owner.delegate?.transport(owner.id, gave: task, text, count: message.count) }
    }
  }
}

extension DedicatedExchange: UpstreamTransportDelegate {
  func transportConnected(_ upstream: UpstreamID) {
    isOpening = false
    if isNotification {
      timeout?.start(atMilliseconds: deadlineMilliseconds)
    } else {
      timeout?.close()
      timeout = nil
    }
    owner?.opened()
    send()
  }

  func transportBecameWritable(_ upstream: UpstreamID) {
    if isNotification && isHandedOver { linger() } else { send() }
  }

  func transport(_ upstream: UpstreamID, received bytes: Span<UInt8>, count: Int) {
    if !isNotification { read(bytes, count: count) }
  }

  func transport(_ upstream: UpstreamID, disconnected reason: String) {
    if isNotification && wasSent && unsent.isEmpty && connection.hasEndedWell {
      delivered()
    } else {
      fail(reason)
    }
  }

  func transport(_ upstream: UpstreamID, said line: String) { owner?.said(line) }

  // A connection carries bytes, not exchanges: it never calls these.
  func transport(
    _ upstream: UpstreamID, answered task: TaskID, with bytes: Span<UInt8>, count: Int
  ) -> Bool { true }
  func transport(_ upstream: UpstreamID, gave task: TaskID, _ bytes: Span<UInt8>, count: Int) {}
  func transport(_ upstream: UpstreamID, delivered task: TaskID) {}
  func transport(_ upstream: UpstreamID, failed task: TaskID, _ failure: ExchangeFailure, reason: String) {}
  func transport(_ upstream: UpstreamID, lost reason: String) {}
}

@available(*, unavailable)
extension DedicatedExchange: Sendable {}
