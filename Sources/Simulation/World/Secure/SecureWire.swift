import TLS

/// The gateway's side of a simulated connection under TLS: takes ciphertext as a stream does, what there is room for at
/// once and some of the rest to be sent later.
final class SecureWire: TLSCarrier {
  /// How many more bytes the client takes before it reads again. The handshake goes by itself: how long it is depends
  /// on the library.
  var room: Int
  private var isMetered = false
  /// How much of what there is no room for is taken.
  private let queueLimitBytes: Int
  private var queue: [UInt8] = []
  /// What the client has got and not looked at.
  private var arrived: [UInt8] = []
  private(set) var isShutDown = false

  init(room: Int, queueLimitBytes: Int) {
    self.room = room
    self.queueLimitBytes = queueLimitBytes
  }

  var isWriting: Bool { !queue.isEmpty }

  func write(_ ciphertext: [UInt8]) -> Int {
    guard queue.isEmpty, !isShutDown else { return 0 }
    let passing = isMetered ? min(room, ciphertext.count) : ciphertext.count
    if isMetered { room -= passing }
    arrived += ciphertext[..<passing]
    queue += ciphertext[passing...].prefix(queueLimitBytes)
    return passing + queue.count
  }

  func shutdown() { isShutDown = true }

  /// From now on only what there is room for passes.
  func handshakeEnded() { isMetered = true }

  /// What was taken goes on its way as far as there is room. Returns whether that was all.
  func pass() -> Bool {
    let count = min(room, queue.count)
    arrived += queue[..<count]
    queue.removeFirst(count)
    room -= count
    return queue.isEmpty
  }

  /// The client reads to the end: all that was taken, and these behind it.
  func passAll(_ lastWords: [UInt8]) {
    arrived += queue
    arrived += lastWords
    queue = []
  }

  func takeArrived() -> [UInt8] {
    defer { arrived.removeAll(keepingCapacity: true) }
    return arrived
  }
}

@available(*, unavailable)
extension SecureWire: Sendable {}
