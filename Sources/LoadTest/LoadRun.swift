package import Client
import Glibc
import Histogram
package import JSONRPC
package import LibUV
import TaskStore

/// One closed-loop run, from the first connection to its report.
package final class LoadRun {
  /// One of the connections, with its open requests and its judge.
  private struct Lane {
    var connection: ClientConnection?
    var oracle: ConnectionOracle
    var sequence: UInt64 = 0
  }

  private let options: LoadOptions
  private let loop: EventLoop
  private let pool: ClientPool
  private var lanes: [Lane] = []
  private var connected = 0
  private var report: LoadReport
  private var timer: LoopTimer?
  private var startNanoseconds: UInt64 = 0
  private var lastReplyNanoseconds: UInt64 = 0
  private var isSending = false
  private var random: UInt64
  private let padding: [UInt8]
  private let onDone: (LoadReport) -> Void

  package init(_ options: LoadOptions, on loop: EventLoop, onDone: @escaping (LoadReport) -> Void) {
    self.options = options
    self.loop = loop
    self.onDone = onDone
    pool = ClientPool(on: loop)
    report = LoadReport(options: options)
    random = options.seed
    padding = Array(repeating: UInt8(ascii: "x"), count: options.paddingBytes)
    timer = LoopTimer(on: loop) { [unowned self] in self.timerFired() }
    for index in 0..<options.connections { connect(index) }
  }

  // MARK: Connecting

  private func connect(_ index: Int) {
    lanes.append(Lane(oracle: ConnectionOracle(policy: options.policy, keys: options.keys)))
    pool.connect(to: options.address) { [self] result in
      switch result {
      case .success(let connection): isConnected(connection, index)
      case .failure(let error): fail("cannot connect to \(options.address): \(error)")
      }
    }
  }

  private func isConnected(_ connection: ClientConnection, _ index: Int) {
    guard report.failure == nil else { return connection.close() }
    connection.token = index
    connection.delegate = self
    lanes[index].connection = connection
    connected += 1
    if connected == options.connections { start() }
  }

  private func start() {
    isSending = true
    startNanoseconds = Self.now()
    timer?.start(afterMilliseconds: options.milliseconds)
    for index in lanes.indices {
      for _ in 0..<options.depth { send(on: index) }
    }
  }

  // MARK: Sending

  private func send(on index: Int) {
    guard isSending, let connection = lanes[index].connection else { return }
    lanes[index].sequence += 1
    let sequence = lanes[index].sequence
    let key = Int(nextRandom() % UInt64(options.keys))
    lanes[index].oracle.sent(sequence, key: key, at: Self.now())
    write(sequence, key: key, lane: index, into: &connection.output)
    connection.sendSoon()
    report.sent += 1
    if report.sent == options.requests { stopSending() }
  }

  private func write(_ sequence: UInt64, key: Int, lane: Int, into output: inout [UInt8]) {
    output.append("{\"jsonrpc\":\"2.0\",\"id\":")
    output.append(decimal: sequence)
    output.append(",\"method\":")
    MessageWriter.appendString(options.method, into: &output)
    output.append(",\"params\":{\"n\":")
    output.append(decimal: sequence)
    output.append(",\"pad\":\"")
    output.append(contentsOf: padding)
    if let policy = options.policy {
      output.append("\"},\"task\":{\"key\":\"load:")
      output.append(decimal: UInt64(lane))
      output.append(":")
      output.append(decimal: UInt64(key))
      output.append("\",\"policy\":")
      MessageWriter.appendString(policy.name, into: &output)
    } else {
      output.append("\"")
    }
    output.append("}}\n")
  }

  private func nextRandom() -> UInt64 {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return random >> 33
  }

  private static func now() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  // MARK: Ending

  private func timerFired() {
    if isSending { stopSending() } else { end() }
  }

  /// From now on only answers are awaited, for a bounded time.
  private func stopSending() {
    isSending = false
    timer?.start(afterMilliseconds: options.patienceMilliseconds)
    endIfAnswered()
  }

  private func endIfAnswered() {
    guard !isSending, lanes.allSatisfy({ $0.oracle.openCount == 0 }) else { return }
    end()
  }

  private func fail(_ reason: String) {
    guard report.failure == nil else { return }
    report.failure = reason
    end()
  }

  private func end() {
    guard let timer else { return }
    timer.close()
    self.timer = nil
    isSending = false
    report.elapsedNanoseconds =
      startNanoseconds == 0 ? 0 : max(lastReplyNanoseconds, startNanoseconds) - startNanoseconds
    for index in lanes.indices {
      let open = lanes[index].oracle.openCount
      if open > 0 && report.failure == nil { report.add(.neverAnswered(count: open), connection: index) }
      lanes[index].connection?.close()
      lanes[index].connection = nil
    }
    pool.close()
    onDone(report)
  }
}

extension LoadRun: ClientConnectionDelegate {
  package func connection(
    _ connection: ClientConnection, received envelope: Envelope, in bytes: Span<UInt8>, message: Range<Int>
  ) {
    let index = connection.token
    guard envelope.isResponse, let sequence = JSONNumber.nonNegativeInteger(envelope.id, in: bytes) else {
      return report.add(.unexpectedReply(sequence: 0), connection: index)
    }
    lastReplyNanoseconds = Self.now()
    if let sent = lanes[index].oracle.sentNanoseconds(of: sequence) {
      _ = report.latencyNanoseconds.record(lastReplyNanoseconds - sent)
    }
    let reply = count(envelope, in: bytes)
    let echo = reply == .result && options.expectsEcho ? echoed(envelope.result, in: bytes) : nil
    if let violation = lanes[index].oracle.received(reply, to: sequence, echo: echo) {
      report.add(violation, connection: index)
    }
    if isSending { send(on: index) } else { endIfAnswered() }
  }

  package func connection(_ connection: ClientConnection, closed reason: String) {
    fail("connection \(connection.token): \(reason)")
  }

  private func count(_ envelope: Envelope, in bytes: Span<UInt8>) -> ConnectionOracle.Reply {
    guard !envelope.error.isEmpty else {
      report.results += 1
      return .result
    }
    let code = RPCError.code(of: envelope.error, in: bytes)
    if code == RPCError.superseded.code {
      report.superseded += 1
      return .superseded
    }
    report.errors[code, default: 0] += 1
    return .otherError
  }

  /// The number that a result carries; 0, which no request has, if it carries none.
  private func echoed(_ result: ByteRange, in bytes: Span<UInt8>) -> UInt64 {
    guard bytes[result.range.lowerBound] == UInt8(ascii: "{") else { return 0 }
    var members = ObjectReader(result)
    while let member = members.next(in: bytes) {
      if member.isNamed("n", in: bytes) {
        return JSONNumber.nonNegativeInteger(member.value, in: bytes) ?? 0
      }
    }
    return 0
  }
}

@available(*, unavailable)
extension LoadRun: Sendable {}
