import GatewayCore
import Glibc
import LibUV
import TaskStore
import Testing
import Upstreams

/// What a transport tells its delegate, bytes aside.
enum TransportEvent: Hashable {
  case connected
  case disconnected(String)
  case said(String)
  case answered(UInt64, String)
  case gave(UInt64, String)
  case delivered(UInt64)
  case failed(UInt64, wasSent: Bool, String)
  case lost(String)
}

/// A loop, the delegate of the transports on it, and a watchdog that ends a test which hangs.
final class TransportScene {
  static let watchdogMilliseconds: UInt64 = 240_000
  static let id = UpstreamID(slot: 3)

  let loop: EventLoop
  private(set) var events: [TransportEvent] = []
  private(set) var received: [UInt8] = []
  private var onEvent: (TransportEvent) -> Void = { _ in }
  private var onReceived: () -> Void = {}
  private var isOver = false
  private var ends: [() -> Void] = []

  init() throws {
    EventLoop.ignoreSIGPIPE()
    loop = try EventLoop()
    after(milliseconds: Self.watchdogMilliseconds) { [unowned self] in
      Issue.record("the scene never came to its end: \(events)")
      end()
    }
  }

  var text: String { String(decoding: received, as: UTF8.self) }
  var lines: [String] { events.compactMap { if case .said(let line) = $0 { line } else { nil } } }

  /// Runs until `end()`, and then until libuv has let go of everything.
  func run() {
    loop.run()
    if !isOver {
      Issue.record("the loop had nothing left to do before the scene's end: \(events)")
      end()
      loop.run()
    }
    onEvent = { _ in }
    onReceived = {}
  }

  func end() {
    guard !isOver else { return }
    isOver = true
    for end in ends { end() }
    ends = []
  }

  /// What comes when the scene is over already is closed at once.
  func atEnd(_ end: @escaping () -> Void) {
    if isOver { end() } else { ends.append(end) }
  }

  func after(milliseconds: UInt64, _ action: @escaping () -> Void) {
    let timer = LoopTimer(on: loop, onFire: action)
    loop.updateTime()
    timer.start(afterMilliseconds: milliseconds)
    atEnd { timer.close() }
  }

  /// Looks again and again whether it has come to that.
  func when(_ condition: @escaping () -> Bool, _ then: @escaping () -> Void) {
    let timer = LoopTimer(on: loop) {}
    func look() { if condition() { then() } else { after(milliseconds: 1) { look() } } }
    timer.close()
    look()
  }

  func onEvent(_ action: @escaping (TransportEvent) -> Void) { onEvent = action }
  func onReceived(_ action: @escaping () -> Void) { onReceived = action }

  private func heard(_ event: TransportEvent) {
    events.append(event)
    onEvent(event)
  }
}

extension TransportScene: UpstreamTransportDelegate {
  func transportConnected(_ upstream: UpstreamID) { heard(.connected) }

  func transport(_ upstream: UpstreamID, received bytes: Span<UInt8>, count: Int) {
    #expect(upstream == Self.id && bytes.count >= count + EventLoop.slackByteCount)
    for index in 0..<count { received.append(bytes[index]) }
    onReceived()
  }

  func transportBecameWritable(_ upstream: UpstreamID) {}
  func transport(_ upstream: UpstreamID, disconnected reason: String) { heard(.disconnected(reason)) }
  func transport(_ upstream: UpstreamID, said line: String) { heard(.said(line)) }

  func transport(_ upstream: UpstreamID, gave task: TaskID, _ bytes: Span<UInt8>, count: Int) {
    let text = String(decoding: (0..<count).map { bytes[$0] }, as: UTF8.self)
    heard(.gave(task.rawValue, text))
  }

  func transport(_ upstream: UpstreamID, answered task: TaskID, with bytes: Span<UInt8>, count: Int) -> Bool {
    #expect(upstream == Self.id && bytes.count >= count + EventLoop.slackByteCount)
    let text = String(decoding: (0..<count).map { bytes[$0] }, as: UTF8.self)
    heard(.answered(task.rawValue, text))
    return true
  }

  func transport(_ upstream: UpstreamID, delivered task: TaskID) { heard(.delivered(task.rawValue)) }

  func transport(
    _ upstream: UpstreamID, failed task: TaskID, _ failure: ExchangeFailure, reason: String
  ) {
    heard(
      .failed(task.rawValue, wasSent: failure.mayBeHeard, (failure == .tooLong ? "too long: " : "") + reason))
  }

  func transport(_ upstream: UpstreamID, lost reason: String) { heard(.lost(reason)) }
}

extension ByteTransport {
  @discardableResult
  func write(_ text: String) -> Int {
    var text = text
    return text.withUTF8 { bytes in
      let chunk = UnsafeRawBufferPointer(bytes)
      return unsafe withUnsafePointer(to: chunk) { unsafe write(UnsafeBufferPointer(start: $0, count: 1)) }
    }
  }
}

/// Whether a process is there and not just waiting to be reaped by whoever inherited it.
func isRunning(_ process: some StringProtocol) -> Bool {
  guard let file = unsafe fopen("/proc/\(process)/stat", "r") else { return false }
  defer { unsafe fclose(file) }
  var line = [CChar](repeating: 0, count: 256)
  // The line ends inside the buffer.
  guard unsafe fgets(&line, Int32(line.count), file) != nil else { return false }
  let text = String(decoding: line.map(UInt8.init(bitPattern:)), as: UTF8.self)
  return text.firstRange(of: ") Z ") == nil
}
