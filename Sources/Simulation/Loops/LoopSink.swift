import GatewayCore
import TaskStore

/// Takes what a loop's core hands out.
struct LoopSink: GatewaySink {
  /// By the slots of those that stand for other loops' clients.
  var mirrors: [Int: MirrorName] = [:]
  /// What mirrors were written, by the loops of their clients.
  var answers: [Int: PeerBatch] = [:]
  private var sent = SentBatches(count: 2)
  var toClients: [Int: [UInt8]] = [:]
  var toUpstream: [UInt8] = []
  /// Exchanges that have begun and not ended.
  var exchanges: [TaskID: UpstreamID] = [:]
  /// Notifications among them.
  private var delivering: [TaskID] = []
  var closed: [Int] = []
  var connecting: [UpstreamID] = []

  mutating func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to client: ClientID) -> Int {
    if let mirror = mirrors[client.slot] {
      return unsafe answers[mirror.loop, default: PeerBatch()].addAnswers(chunks, to: mirror)
    }
    return unsafe Self.take(chunks, into: &toClients[client.slot, default: []])
  }

  mutating func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, to upstream: UpstreamID) -> Int {
    unsafe Self.take(chunks, into: &toUpstream)
  }

  mutating func takeAnswers(for loop: Int) -> PeerBatch? {
    guard var batch = answers.removeValue(forKey: loop) else { return nil }
    return sent.take(&batch)
  }

  private static func take(
    _ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>, into bytes: inout [UInt8]
  ) -> Int {
    let before = bytes.count
    // The core's buffers live until the call returns.
    for index in chunks.indices { unsafe bytes.append(contentsOf: chunks[index]) }
    return bytes.count - before
  }

  mutating func close(_ client: ClientID) {
    if let mirror = mirrors.removeValue(forKey: client.slot) {
      answers[mirror.loop, default: PeerBatch()].addClosed(mirror)
    } else {
      closed.append(client.slot)
    }
  }

  mutating func setReading(_ isReading: Bool, from client: ClientID) {}
  mutating func connect(_ upstream: UpstreamID, to endpoint: UpstreamEndpoint) { connecting.append(upstream) }
  mutating func disconnect(_ upstream: UpstreamID) {}

  // MARK: Exchanges

  /// What they say is a line like any other.
  mutating func begin(_ exchange: Exchange, over upstream: UpstreamID, _ message: [UInt8]) {
    toUpstream += message + [UInt8(ascii: "\n")]
    guard let task = exchange.task else { return }
    exchanges[task] = upstream
    if exchange.isNotification { delivering.append(task) }
  }

  /// Upstream sees an exchange end before it has answered, which says what a line of another dialect says.
  mutating func abort(_ task: TaskID, over upstream: UpstreamID) {
    exchanges[task] = nil
    let line = #"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(task.rawValue)}}"# + "\n"
    toUpstream += Array(line.utf8)
  }

  /// Notifications that have arrived, in their order.
  mutating func takeDelivered() -> [(TaskID, UpstreamID)] {
    defer { delivering = [] }
    return delivering.compactMap { task in exchanges.removeValue(forKey: task).map { (task, $0) } }
  }
}
