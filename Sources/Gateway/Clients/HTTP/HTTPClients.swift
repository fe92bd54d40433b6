import GatewayCore
import HTTP1
import Identity
import JSONRPC
import LibUV

/// The connections over which clients ask by HTTP.
final class HTTPClients {
  unowned let server: GatewayServer
  private let loop: EventLoop
  /// By their places; some are free.
  private var connections: [HTTPConnection?] = []
  private var freePlaces: [Int] = []
  private(set) var count = 0
  /// Those that are to read on in a turn of their own.
  private var waiting: [HTTPConnection] = []
  private var timer: LoopTimer?
  private var armedMilliseconds = UInt64.max
  /// A part of a content as the core gets it, with the scanner's slack behind it.
  private var scratch: [UInt8] = []
  var isDraining = false

  init(of server: GatewayServer, on loop: EventLoop) {
    self.server = server
    self.loop = loop
  }

  // MARK: Bounds

  var nowMilliseconds: UInt64 { loop.nowMilliseconds }
  private var bounds: GatewayConfiguration { server.core.configuration }
  var stallMilliseconds: UInt64 { bounds.stallMilliseconds }
  var requestMilliseconds: UInt64 { bounds.messageMilliseconds }
  var idleMilliseconds: UInt64 { bounds.server.httpIdleMilliseconds }

  var limits: HTTPRequestReader.Limits {
    var limits = HTTPRequestReader.Limits()
    limits.headBytes = bounds.server.headBytes
    limits.contentBytes = bounds.messageLimitBytes
    return limits
  }

  // MARK: Coming and going

  /// Serves a connection from now on, of which this has come.
  func begin(
    _ carrier: any ClientTransport, _ listener: Int, _ credential: Credential?, _ policy: BrowserPolicy,
    _ bytes: Span<UInt8>, count: Int
  ) {
    let connection = HTTPConnection(carrier, listener, credential, policy, of: self)
    connection.place = freePlaces.popLast() ?? connections.count
    if connection.place == connections.count { connections.append(nil) }
    connections[connection.place] = connection
    self.count += 1
    server.core.connectionsOfShell(self.count)
    carrier.start(as: ClientID(slot: 0), connection)
    arm(for: connection)
    connection.read(bytes, count: count)
  }

  func forget(_ connection: HTTPConnection) {
    connections[connection.place] = nil
    freePlaces.append(connection.place)
    count -= 1
    server.core.connectionsOfShell(count)
  }

  /// No further request is read: idle connections close, others when they have been answered.
  func drain() {
    isDraining = true
    for connection in connections { connection?.drain() }
  }

  func close() {
    for connection in connections { connection?.drop() }
    timer?.close()
    timer = nil
  }

  // MARK: Time

  func arm(for connection: HTTPConnection) {
    if let due = connection.dueMilliseconds { arm(atMilliseconds: due) }
  }

  private func arm(atMilliseconds due: UInt64) {
    guard due < armedMilliseconds else { return }
    armedMilliseconds = due
    if timer == nil { timer = LoopTimer(on: loop) { [unowned self] in self.timerFired() } }
    timer?.start(atMilliseconds: due)
  }

  private func timerFired() {
    armedMilliseconds = .max
    let waiting = waiting
    self.waiting = []
    for connection in waiting { connection.readAhead() }
    for connection in connections {
      guard let due = connection?.dueMilliseconds else { continue }
      if due <= nowMilliseconds { connection?.expired() }
    }
    // Looked through no more often than this, however many there are.
    let next = connections.lazy.compactMap { $0?.dueMilliseconds }.min()
    if let next { arm(atMilliseconds: max(next, nowMilliseconds + Self.lookMilliseconds)) }
  }

  private static let lookMilliseconds: UInt64 = 100

  /// It goes on with what it has read ahead, in a turn of its own.
  func readSoon(_ connection: HTTPConnection) {
    waiting.append(connection)
    arm(atMilliseconds: nowMilliseconds)
  }

  // MARK: Contents

  /// Hands a part of a content on, of which all becomes one line: a line feed stands between tokens, where a carriage
  /// return does as well, or within a string, where neither may.
  func feed(_ connection: HTTPConnection, _ bytes: Span<UInt8>, _ range: Range<Int>, isLast: Bool) {
    var line: [UInt8] = []
    swap(&line, &scratch)
    line.removeAll(keepingCapacity: true)
    line.append(contentsOf: connection.prefix)
    connection.prefix = []
    let start = line.count
    line.append(bytes, range)
    for place in start..<line.count where line[place] == UInt8(ascii: "\n") {
      line[place] = UInt8(ascii: "\r")
    }
    if !connection.hasText {
      connection.hasText = line[start...].contains { $0 != 0x20 && $0 != 0x09 && $0 != 0x0d }
    }
    if isLast { line.append(UInt8(ascii: "\n")) }
    let count = line.count
    for _ in 0..<EventLoop.slackByteCount { line.append(0) }
    if count > 0 { connection.exchange.received(line.span, count: count) }
    // One long content shall not have its room for ever.
    if line.capacity <= Self.keptBytes { scratch = line }
  }

  private static let keptBytes = 256 * 1024
}

@available(*, unavailable)
extension HTTPClients: Sendable {}
