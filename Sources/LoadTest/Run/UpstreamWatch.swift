import Addresses
import Client
import JSONRPC
import LibUV

/// Hears from the bundled upstream, past the gateway, what it does: cancels as they come, and its work in the end.
final class UpstreamWatch {
  /// From one question to the next while upstream still works.
  private static let askMilliseconds: UInt64 = 20
  private static let watchID: UInt64 = 1

  private let run: UInt64
  private let loop: EventLoop
  private var connection: ClientConnection?
  private var attempt: ConnectAttempt?
  private var timer: LoopTimer?
  private var lastID = UpstreamWatch.watchID
  private let onReady: () -> Void
  private let onCancel: (HeardCancel) -> Void
  private let onLost: (String) -> Void
  private var onWork: ((LoadMeasurement.UpstreamWork) -> Void)?
  private var deadlineMilliseconds: UInt64 = 0

  init(
    _ address: SocketAddress, run: UInt64, _ pool: ClientPool, on loop: EventLoop,
    onReady: @escaping () -> Void, onCancel: @escaping (HeardCancel) -> Void,
    onLost: @escaping (String) -> Void
  ) {
    self.run = run
    self.loop = loop
    self.onReady = onReady
    self.onCancel = onCancel
    self.onLost = onLost
    timer = LoopTimer(on: loop) { [unowned self] in self.ask("load.report") }
    attempt = pool.connect(to: address) { [unowned self] result in
      attempt = nil
      switch result {
      case .success(let connection): connected(connection)
      case .failure(let error): onLost("cannot connect to the upstream at \(address): \(error)")
      }
    }
  }

  private func connected(_ connection: ClientConnection) {
    self.connection = connection
    connection.delegate = self
    lastID = 0
    ask("load.watch")
  }

  private func ask(_ method: StaticString) {
    guard let connection else { return }
    lastID += 1
    connection.output.append("{\"jsonrpc\":\"2.0\",\"id\":")
    connection.output.append(decimal: lastID)
    connection.output.append(",\"method\":\"")
    connection.output.append(method)
    connection.output.append("\",\"params\":{\"run\":")
    connection.output.append(decimal: run)
    connection.output.append("}}\n")
    connection.sendSoon()
  }

  /// Asks for the run's work, once all of it has ended or has had so long to.
  func report(withinMilliseconds: UInt64, then: @escaping (LoadMeasurement.UpstreamWork) -> Void) {
    onWork = then
    deadlineMilliseconds = loop.nowMilliseconds + withinMilliseconds
    ask("load.report")
  }

  func close() {
    attempt?.cancel()
    attempt = nil
    timer?.close()
    timer = nil
    connection?.close()
    connection = nil
    onWork = nil
  }

  private func reported(_ work: LoadMeasurement.UpstreamWork, running: UInt64) {
    guard running == 0 || loop.nowMilliseconds >= deadlineMilliseconds else {
      timer?.start(afterMilliseconds: Self.askMilliseconds)
      return
    }
    let onWork = onWork
    self.onWork = nil
    onWork?(work)
  }
}

extension UpstreamWatch: ClientConnectionDelegate {
  func connection(
    _ connection: ClientConnection, received envelope: Envelope, in bytes: Span<UInt8>, message: Range<Int>
  ) {
    if !envelope.method.isEmpty { return hear(envelope.params, in: bytes) }
    guard let id = JSONNumber.nonNegativeInteger(envelope.id, in: bytes) else { return }
    if id == Self.watchID { return onReady() }
    guard !envelope.result.isEmpty, bytes[envelope.result.range.lowerBound] == UInt8(ascii: "{") else {
      return
    }
    read(envelope.result, in: bytes)
  }

  func connection(_ connection: ClientConnection, closed reason: String) {
    self.connection = nil
    onLost("the upstream's report: \(reason)")
  }

  private func hear(_ params: ByteRange, in bytes: Span<UInt8>) {
    guard !params.isEmpty, bytes[params.range.lowerBound] == UInt8(ascii: "[") else { return }
    var items = ArrayReader(params)
    func next() -> UInt64? {
      items.next(in: bytes).flatMap { JSONNumber.nonNegativeInteger($0.value, in: bytes) }
    }
    while let number = next(), let heard = next(), let overtaken = next() {
      onCancel(HeardCancel(number: number, nanoseconds: heard, overtakenNanoseconds: overtaken))
    }
  }

  private func read(_ result: ByteRange, in bytes: Span<UInt8>) {
    var work = LoadMeasurement.UpstreamWork()
    var running: UInt64 = 0
    var members = ObjectReader(result)
    while let member = members.next(in: bytes) {
      let number = JSONNumber.nonNegativeInteger(member.value, in: bytes) ?? 0
      if member.isNamed("requests", in: bytes) { work.requests = number }
      if member.isNamed("computed", in: bytes) { work.computed = number }
      if member.isNamed("cancelled", in: bytes) { work.cancelled = number }
      if member.isNamed("fenced", in: bytes) { work.fenced = number }
      if member.isNamed("busyNanoseconds", in: bytes) { work.busyNanoseconds = number }
      if member.isNamed("running", in: bytes) { running = number }
    }
    reported(work, running: running)
  }
}

@available(*, unavailable)
extension UpstreamWatch: Sendable {}
