import GatewayCore
import JSONRPC
import LibUV
import TaskStore

/// One request, the connection that it has for itself, and the search for its answer in what comes over that.
final class DedicatedExchange {
  /// How long a connection stays open behind a notification, so that it is not lost by a reset.
  static let farewellMilliseconds: UInt64 = 1_000

  let task: TaskID?
  private let connection: any ByteTransport
  private var owner: DedicatedTransport?
  private var framer: UpstreamFramer
  private var unsent: ArraySlice<UInt8>
  /// Some of it may have arrived.
  private var wasSent = false
  private var patience: LoopTimer?

  init(
    _ exchange: Exchange, _ message: [UInt8], _ wire: DedicatedTransport.Wire,
    over connection: any ByteTransport, on loop: EventLoop, owner: DedicatedTransport
  ) {
    task = exchange.task
    self.connection = connection
    self.owner = owner
    framer = UpstreamFramer(
      limitBytes: wire.messageLimitBytes, framing: wire.framing, toleratesNoise: wire.toleratesNoise)
    var framed: [UInt8] = []
    MessageWriter.message(message.span, as: wire.framing, into: &framed)
    unsent = framed[...]
    if task == nil {
      // Nobody aborts it.
      patience = LoopTimer(on: loop) { [unowned self] in finish() }
      patience?.start(afterMilliseconds: exchange.remainingMilliseconds)
    }
    connection.delegate = self
    connection.connect()
  }

  /// The kernel has all of it.
  var isDelivered: Bool { unsent.isEmpty }

  /// Nothing more is heard of it.
  func end() {
    owner = nil
    patience?.close()
    patience = nil
    connection.disconnect()
    connection.delegate = nil
  }

  /// It has come to its end by itself; `report` tells of that.
  private func finish(_ report: (any UpstreamTransportDelegate, UpstreamID, TaskID) -> Void = { _, _, _ in })
  {
    guard let owner else { return }
    end()
    owner.ended(self)
    if let task, let delegate = owner.delegate { report(delegate, owner.id, task) }
  }

  private func fail(_ reason: String) {
    let wasSent = wasSent
    finish { $0.transport($1, failed: $2, wasSent: wasSent, reason: reason) }
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
    patience?.start(afterMilliseconds: Self.farewellMilliseconds)
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
        fail("answer too large")
      case .badHeader:
        fail("answer without a right header")
      }
    }
  }

  /// What is no answer at all is for the core to judge when it names this request.
  private func judge(_ bytes: Span<UInt8>, _ message: Range<Int>) {
    var envelope = Envelope()
    switch EnvelopeScanner.scan(bytes, message, into: &envelope) {
    case .malformed:
      fail("answer is no JSON")
    case .message where envelope.isResponse && isAnswer(envelope, in: bytes),
      .invalid where isAnswer(envelope, in: bytes):
      let answer = bytes.extracting(message.lowerBound..<bytes.count)
      finish { $0.transport($1, answered: $2, with: answer, count: message.count) }
    case .message, .batch, .invalid:
      owner?.skippedCount += 1
    }
  }

  /// An error without an id is from someone who could not read the request, and there is only this one.
  private func isAnswer(_ envelope: Envelope, in bytes: Span<UInt8>) -> Bool {
    guard let task else { return false }
    if JSONNumber.nonNegativeInteger(envelope.id, in: bytes) == task.rawValue { return true }
    return !envelope.error.isEmpty && bytes.holds("null", in: envelope.id.range)
  }
}

extension DedicatedExchange: UpstreamTransportDelegate {
  func transportConnected(_ upstream: UpstreamID) { send() }

  func transportBecameWritable(_ upstream: UpstreamID) { send() }

  func transport(_ upstream: UpstreamID, received bytes: Span<UInt8>, count: Int) {
    if task != nil { read(bytes, count: count) }
  }

  func transport(_ upstream: UpstreamID, disconnected reason: String) { fail(reason) }

  func transport(_ upstream: UpstreamID, said line: String) { owner?.said(line) }

  // A connection carries bytes, not exchanges: it says none of these.
  func transport(
    _ upstream: UpstreamID, answered task: TaskID, with bytes: Span<UInt8>, count: Int
  ) {}
  func transport(_ upstream: UpstreamID, failed task: TaskID, wasSent: Bool, reason: String) {}
}

@available(*, unavailable)
extension DedicatedExchange: Sendable {}
