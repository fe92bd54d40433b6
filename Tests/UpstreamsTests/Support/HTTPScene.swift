#if HTTPUpstreams
import GatewayCore
import JSONRPC
import LibUV
import TaskStore
import Testing
import Upstreams

/// A transport and the server it asks, on one loop with a watchdog; it writes down what the transport tells.
final class HTTPScene {
  enum Heard: Equatable {
    case connected
    case answered(UInt64, String)
    case delivered(UInt64)
    case gave(UInt64, String)
    case failed(UInt64, wasSent: Bool, String)
    /// There was no room for it on this side.
    case refused(UInt64, String)
    case lost(String)
  }

  /// Where the transport leads, and its bounds.
  @dynamicMemberLookup
  struct Terms {
    var endpoint: HTTPEndpoint
    var connectMilliseconds = HTTPScene.watchdogMilliseconds
    var messageLimitBytes = 8 << 20
    var connectingLimit = 1_000

    subscript<Value>(dynamicMember path: WritableKeyPath<HTTPEndpoint, Value>) -> Value {
      get { endpoint[keyPath: path] }
      set { endpoint[keyPath: path] = newValue }
    }
  }

  /// Longer than any scene.
  static let dayMilliseconds: UInt64 = 86_400_000
  private static let watchdogMilliseconds: UInt64 = 240_000
  private static let upstream = UpstreamID(slot: 0)

  let loop: EventLoop
  let server: HTTPTestServer
  let bounds: TransportBounds
  private(set) var transport: HTTPTransport
  private(set) var heard: [Heard] = []
  private(set) var events: [HTTPTestServer.Event] = []
  /// What the transport's owner does on hearing something.
  var onHeard: (Heard) -> Void = { _ in }
  private var mailbox: Mailbox<HTTPTestServer.Event>
  private var watchdog: LoopTimer?
  private var isDone: () -> Bool = { false }
  private var isCalling = false

  /// Plays one scene from its beginning to its end.
  static func play(
    _ endpoint: (inout Terms) -> Void = { _ in },
    serving choose: @escaping @Sendable (HTTPTestRequest) -> HTTPTestReply,
    _ body: (HTTPScene) throws -> Void
  ) throws {
    let scene = try HTTPScene(endpoint, choose)
    defer { scene.end() }
    scene.transport.connect()
    scene.run { scene.heard == [.connected] }
    try body(scene)
  }

  private init(
    _ change: (inout Terms) -> Void, _ choose: @escaping @Sendable (HTTPTestRequest) -> HTTPTestReply
  ) throws {
    EventLoop.ignoreSIGPIPE()
    loop = try EventLoop()
    let box = Box()
    let mailbox = try Mailbox<HTTPTestServer.Event>(on: loop) { box.scene?.happened($0) }
    self.mailbox = mailbox
    let sender = mailbox.sender
    server = try HTTPTestServer(telling: { sender.send($0) }, choosing: choose)
    var terms = Terms(endpoint: HTTPEndpoint(url: server.url, connections: 4))
    change(&terms)
    bounds = TransportBounds(
      messageLimitBytes: terms.messageLimitBytes, connectMilliseconds: terms.connectMilliseconds,
      connectingLimit: terms.connectingLimit)
    transport = HTTPTransport(Self.upstream, to: terms.endpoint, bounds, on: loop)
    transport.delegate = self
    box.scene = self
    watchdog = LoopTimer(on: loop) { [unowned self] in
      Issue.record("the scene never came to its end; heard: \(heard)")
      isDone = { true }
      loop.stop()
    }
    watchdog?.start(afterMilliseconds: Self.watchdogMilliseconds)
  }

  /// Lets things happen until something is so.
  func run(until isDone: @escaping () -> Bool) {
    self.isDone = isDone
    if !isDone() { loop.run() }
    self.isDone = { false }
  }

  func begin(
    _ task: UInt64?, _ message: String = "{}", remainingMilliseconds: UInt64 = 60_000,
    traceparent: String = "", isNotification: Bool = false
  ) {
    let exchange = Exchange(
      task: task.map(TaskID.init(rawValue:)), isNotification: isNotification,
      remainingMilliseconds: remainingMilliseconds,
      traceparent: Array(traceparent.utf8))
    isCalling = true
    defer { isCalling = false }
    transport.begin(exchange, Array(message.utf8))
  }

  func abort(_ task: UInt64) {
    isCalling = true
    defer { isCalling = false }
    transport.abort(TaskID(rawValue: task))
  }

  /// The connections whose clients are gone.
  var closed: [Int] {
    events.compactMap { if case .closed(let connection) = $0 { connection } else { nil } }
  }

  var requests: [HTTPTestRequest] {
    events.compactMap { if case .request(let request) = $0 { request } else { nil } }
  }

  private func end() {
    transport.disconnect()
    transport.delegate = nil
    server.stop()
    // It holds the scene.
    onHeard = { _ in }
    mailbox.close()
    watchdog?.close()
    // Ends once libuv has let go of all that was on it: whatever is left would hold the test up.
    loop.run()
  }

  private func happened(_ event: HTTPTestServer.Event) {
    events.append(event)
    if isDone() { loop.stop() }
  }

  private func hear(_ heard: Heard) {
    if isCalling { Issue.record("heard from within a call: \(heard)") }
    self.heard.append(heard)
    onHeard(heard)
    if isDone() { loop.stop() }
  }

  private final class Box { weak var scene: HTTPScene? }
}

extension HTTPScene: UpstreamTransportDelegate {
  func transportConnected(_ upstream: UpstreamID) { hear(.connected) }

  func transport(_ upstream: UpstreamID, gave task: TaskID, _ bytes: Span<UInt8>, count: Int) {
    let text = String(decoding: (0..<count).map { bytes[$0] }, as: UTF8.self)
    hear(.gave(task.rawValue, text))
  }

  func transport(_ upstream: UpstreamID, answered task: TaskID, with bytes: Span<UInt8>, count: Int) -> Bool {
    if bytes.count < count + JSONText.slackByteCount { Issue.record("no slack behind the answer") }
    var text: [UInt8] = []
    text.append(bytes, 0..<count)
    hear(.answered(task.rawValue, String(decoding: text, as: UTF8.self)))
    var envelope = Envelope()
    let limits = ScanLimits(nestingLevels: JSONText.depthLimit)
    guard case .message = EnvelopeScanner.scan(bytes, 0..<count, limits, into: &envelope), envelope.isResponse
    else { return true }
    return Exchange.isAnswer(envelope, to: task, in: bytes)
  }

  func transport(_ upstream: UpstreamID, delivered task: TaskID) { hear(.delivered(task.rawValue)) }

  func transport(
    _ upstream: UpstreamID, failed task: TaskID, _ failure: ExchangeFailure, reason: String
  ) {
    guard failure != .untried else { return hear(.refused(task.rawValue, reason)) }
    hear(
      .failed(task.rawValue, wasSent: failure.mayBeHeard, (failure == .tooLong ? "too long: " : "") + reason))
  }

  func transport(_ upstream: UpstreamID, lost reason: String) { hear(.lost(reason)) }

  func transport(_ upstream: UpstreamID, received bytes: Span<UInt8>, count: Int) {
    Issue.record("an exchange has no stream")
  }
  func transportBecameWritable(_ upstream: UpstreamID) { Issue.record("an exchange has no stream") }
  func transport(_ upstream: UpstreamID, disconnected reason: String) {
    Issue.record("disconnected: \(reason)")
  }
  func transport(_ upstream: UpstreamID, said line: String) { Issue.record("there is no child") }
}

@available(*, unavailable)
extension HTTPScene: Sendable {}
#endif
