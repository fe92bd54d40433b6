import Gateway
import GatewayCore
import TaskStore
import Upstreams

/// A client's transport that takes so many bytes and notes what it is told.
final class ClientTransportDouble: ClientTransport {
  enum Call: Hashable { case started(ClientID), reading(Bool), closed, dropped }

  private(set) var calls: [Call] = []
  private(set) var client = ClientID(slot: 0)
  private(set) var written: [UInt8] = []
  let roomBytes: Int
  private let onWrite: (([UInt8]) -> Void)?

  /// - Parameter onWrite: hears of each write, and what it was.
  init(roomBytes: Int = .max, onWrite: (([UInt8]) -> Void)? = nil) {
    self.roomBytes = roomBytes
    self.onWrite = onWrite
  }

  var text: String { String(decoding: written, as: UTF8.self) }

  func start(as client: ClientID, _ delegate: any ClientTransportDelegate) {
    self.client = client
    calls.append(.started(client))
  }

  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    let before = written.count
    for chunk in chunks { written += chunk.prefix(roomBytes - written.count) }
    onWrite?(Array(written[before...]))
    return written.count - before
  }

  var peerAddress: String? { nil }
  var way: ClientWay { ClientWay(.stream) }
  var inFlightByteCount: Int { written.count }
  func setReading(_ isReading: Bool) { calls.append(.reading(isReading)) }
  func close() { calls.append(.closed) }
  func drop() { calls.append(.dropped) }
}

/// A client's transport whose client reads nothing at first: it takes what is written once, and then nothing
/// until that has left.
final class UnreadTransportDouble: ClientTransport {
  private var written: [UInt8] = []
  private(set) var inFlightByteCount = 0
  private var isRead = false

  var text: String { String(decoding: written, as: UTF8.self) }

  /// The client reads from now on; whoever writes is not told.
  func read() {
    isRead = true
    inFlightByteCount = 0
  }

  func start(as client: ClientID, _ delegate: any ClientTransportDelegate) {}

  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    guard inFlightByteCount == 0 else { return 0 }
    let before = written.count
    for chunk in chunks { written += chunk }
    let count = written.count - before
    if !isRead { inFlightByteCount = count }
    return count
  }

  var peerAddress: String? { nil }
  var way: ClientWay { ClientWay(.stream) }
  func setReading(_ isReading: Bool) {}
  func close() {}
  func drop() {}
}

/// An upstream's transport of bytes that notes what it is told.
final class ByteTransportDouble: ByteTransport {
  enum Call: Hashable { case connected, reading(Bool), ended, disconnected }

  let id: UpstreamID
  let name = "bytes"
  var delegate: (any UpstreamTransportDelegate)?
  let isWriting = false
  var hasEndedWell = false
  let endsWithItsWork = false
  private(set) var calls: [Call] = []
  private(set) var written: [UInt8] = []

  init(_ id: UpstreamID) { self.id = id }

  func connect() { calls.append(.connected) }

  func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
    for chunk in chunks { written += chunk }
    return chunks.reduce(0) { $0 + $1.count }
  }

  func setReading(_ isReading: Bool) { calls.append(.reading(isReading)) }
  func end() { calls.append(.ended) }
  func disconnect() { calls.append(.disconnected) }
}

/// An upstream's transport of exchanges that notes what it is told.
final class ExchangeTransportDouble: ExchangeTransport {
  enum Call: Hashable { case connected, began([UInt8]), aborted(TaskID), reset, disconnected }

  let id: UpstreamID
  let name = "exchanges"
  var delegate: (any UpstreamTransportDelegate)?
  private(set) var calls: [Call] = []

  init(_ id: UpstreamID) { self.id = id }

  func connect() { calls.append(.connected) }
  func begin(_ exchange: Exchange, _ message: [UInt8]) { calls.append(.began(message)) }
  func abort(_ task: TaskID) { calls.append(.aborted(task)) }
  func reset() { calls.append(.reset) }
  func disconnect() { calls.append(.disconnected) }
}
