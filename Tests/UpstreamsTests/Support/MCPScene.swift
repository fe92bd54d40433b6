#if HTTPUpstreams
import GatewayCore
import LibUV
import TaskStore
import Testing
import Upstreams

/// A session with a server of the Model Context Protocol, on a loop with a watchdog; it writes down what is heard of it.
final class MCPScene {
  enum Heard: Equatable {
    case connected
    /// A line, without its end.
    case line(String)
    case failed(UInt64, wasSent: Bool, String)
    case lost(String)
    case disconnected(String)
  }

  private static let watchdogMilliseconds: UInt64 = 240_000
  private static let upstream = UpstreamID(slot: 0)

  let loop: EventLoop
  let server: HTTPTestServer
  private let shared: MCPServer
  let transport: MCPTransport
  private(set) var heard: [Heard] = []
  private(set) var requests: [HTTPTestRequest] = []
  private(set) var closed = 0
  private var mailbox: Mailbox<HTTPTestServer.Event>
  private var watchdog: LoopTimer?
  private var isDone: () -> Bool = { false }
  private var partOfLine: [UInt8] = []

  /// Plays one scene from its beginning to its end.
  static func play(
    serving choose: @escaping @Sendable (HTTPTestRequest) -> HTTPTestReply, _ body: (MCPScene) throws -> Void
  ) throws {
    let scene = try MCPScene(choose)
    defer { scene.end() }
    scene.transport.connect()
    scene.run { scene.heard == [.connected] }
    try body(scene)
  }

  private init(_ choose: @escaping @Sendable (HTTPTestRequest) -> HTTPTestReply) throws {
    EventLoop.ignoreSIGPIPE()
    loop = try EventLoop()
    let box = Box()
    mailbox = try Mailbox<HTTPTestServer.Event>(on: loop) { box.scene?.happened($0) }
    let sender = mailbox.sender
    server = try HTTPTestServer(telling: { sender.send($0) }, choosing: choose)
    let bounds = TransportBounds(
      messageLimitBytes: 1 << 20, connectMilliseconds: Self.watchdogMilliseconds, connectingLimit: 100)
    shared = MCPServer(at: HTTPEndpoint(url: server.url, connections: 4), bounds, on: loop)
    transport = MCPTransport(Self.upstream, with: shared, on: loop)
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

  func write(_ lines: String...) {
    var bytes = Array(lines.joined(separator: "\n").utf8)
    bytes.append(0x0a)
    let count = bytes.count
    unsafe bytes.withUnsafeBytes { chunk in
      unsafe withUnsafePointer(to: chunk) {
        #expect(unsafe transport.write(UnsafeBufferPointer(start: $0, count: 1)) == count)
      }
    }
  }

  /// What the server was sent: each a method of HTTP and the content.
  var posted: [String] {
    requests.map { request in
      let method = request.line.prefix { $0 != " " }
      return request.body.isEmpty ? String(method) : String(decoding: request.body, as: UTF8.self)
    }
  }

  private func end() {
    transport.disconnect()
    transport.delegate = nil
    shared.close()
    server.stop()
    mailbox.close()
    watchdog?.close()
    // Ends once libuv has let go of all that was on it: whatever is left would hold the test up.
    loop.run()
  }

  private func happened(_ event: HTTPTestServer.Event) {
    switch event {
    case .request(let request): requests.append(request)
    case .closed: closed += 1
    }
    if isDone() { loop.stop() }
  }

  private func hear(_ heard: Heard) {
    self.heard.append(heard)
    if isDone() { loop.stop() }
  }

  private final class Box { weak var scene: MCPScene? }
}

extension MCPScene: UpstreamTransportDelegate {
  func transportConnected(_ upstream: UpstreamID) { hear(.connected) }

  func transport(_ upstream: UpstreamID, received bytes: Span<UInt8>, count: Int) {
    partOfLine += (0..<count).map { bytes[$0] }
    while let end = partOfLine.firstIndex(of: 0x0a) {
      let line = String(decoding: partOfLine[..<end], as: UTF8.self)
      partOfLine.removeFirst(end + 1)
      hear(.line(line))
    }
  }

  func transport(
    _ upstream: UpstreamID, failed task: TaskID, _ failure: ExchangeFailure, reason: String
  ) {
    hear(.failed(task.rawValue, wasSent: failure.mayBeHeard, reason))
  }

  func transport(_ upstream: UpstreamID, lost reason: String) { hear(.lost(reason)) }
  func transport(_ upstream: UpstreamID, disconnected reason: String) { hear(.disconnected(reason)) }
  func transportBecameWritable(_ upstream: UpstreamID) {}

  func transport(_ upstream: UpstreamID, gave task: TaskID, _ bytes: Span<UInt8>, count: Int) {
    Issue.record("a connection has no exchanges")
  }
  func transport(_ upstream: UpstreamID, answered task: TaskID, with bytes: Span<UInt8>, count: Int) -> Bool {
    Issue.record("a connection has no exchanges")
    return true
  }
  func transport(_ upstream: UpstreamID, delivered task: TaskID) {
    Issue.record("a connection has no exchanges")
  }
  func transport(_ upstream: UpstreamID, said line: String) { Issue.record("there is no child") }
}

@available(*, unavailable)
extension MCPScene: Sendable {}
#endif
