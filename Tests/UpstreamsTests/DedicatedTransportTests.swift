import Addresses
import GatewayCore
import JSONRPC
import LibUV
import TaskStore
import Testing
import Upstreams

@Suite struct DedicatedTransportTests {
  private static let limitBytes = 1 << 20

  /// A server whose connections all hear and say the same, and the transport to it.
  private final class Server: ByteStreamDelegate {
    let scene: TransportScene
    var transport: DedicatedTransport?
    private(set) var streams: [ByteStream] = []
    private(set) var heard: [String] = []
    private(set) var heardByteCount = 0
    private(set) var endedCount = 0
    private var listener: Listener?
    var answer: (ByteStream, String) -> Void = { _, _ in }
    var onEnded: () -> Void = {}

    init(framing: Framing = .lines, toleratesNoise: Bool = true, _ scene: TransportScene) throws {
      self.scene = scene
      let listener = try Listener(on: scene.loop, address: .tcp(host: "127.0.0.1", port: 0)) {
        [unowned self] stream in
        streams.append(stream)
        heard.append("")
        stream.token = UInt32(streams.count - 1)
        stream.delegate = self
        stream.startReading()
      }
      self.listener = listener
      transport = DedicatedTransportTests.transport(
        to: listener.address, framing: framing, toleratesNoise: toleratesNoise, scene)
      scene.atEnd { [self] in
        listener.close()
        for stream in streams { stream.close() }
        answer = { _, _ in }
        onEnded = {}
        transport = nil
      }
    }

    func stream(_ stream: ByteStream, received bytes: Span<UInt8>, count: Int) {
      heardByteCount += count
      // Of a very long message the beginning is enough.
      let text = String(decoding: (0..<min(count, 1024)).map { bytes[$0] }, as: UTF8.self)
      heard[Int(stream.token)] += text
      answer(stream, text)
    }

    func streamEnded(_ stream: ByteStream) {
      endedCount += 1
      onEnded()
    }

    func stream(_ stream: ByteStream, failed error: UVError) { Issue.record("a reset: \(error)") }
    func streamBecameWritable(_ stream: ByteStream) {}
  }

  private static func transport(
    to address: SocketAddress, framing: Framing = .lines, toleratesNoise: Bool = true,
    _ scene: TransportScene
  ) -> DedicatedTransport {
    transport(named: address.description, framing: framing, toleratesNoise: toleratesNoise, scene) {
      StreamTransport($0, to: address, on: scene.loop)
    }
  }

  private static func transport(
    named name: String, framing: Framing, toleratesNoise: Bool = true, _ scene: TransportScene,
    connectMilliseconds: UInt64 = TransportScene.watchdogMilliseconds,
    _ makeConnection: @escaping (UpstreamID) -> any ByteTransport
  ) -> DedicatedTransport {
    let wire = DedicatedTransport.Wire(framing: framing, toleratesNoise: toleratesNoise)
    let bounds = TransportBounds(
      messageLimitBytes: Self.limitBytes, connectMilliseconds: connectMilliseconds, connectingLimit: 3)
    let transport = DedicatedTransport(
      TransportScene.id, name: name, wire, bounds, on: scene.loop, makeConnection: makeConnection)
    transport.delegate = scene
    scene.atEnd {
      transport.disconnect()
      transport.delegate = nil
    }
    return transport
  }

  private static func child(_ script: String, _ scene: TransportScene) -> DedicatedTransport {
    let departing = DepartingChildren()
    scene.atEnd { departing.killAll() }
    return transport(named: script, framing: .lines, scene) {
      var command = ChildCommand(["sh", "-c", script])
      command.isStoppedAtOnce = true
      return ProcessTransport($0, command, on: scene.loop, departing: departing)
    }
  }

  private static func exchange(_ task: UInt64?, remainingMilliseconds: UInt64 = 60_000) -> Exchange {
    Exchange(
      task: task.map(TaskID.init(rawValue:)), remainingMilliseconds: remainingMilliseconds, traceparent: [])
  }

  private static func result(_ id: UInt64) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":[\#(id)]}"# }

  @Test func `it is connected at the next turn, without connecting`() throws {
    let scene = try TransportScene()
    let transport = Self.transport(to: .unix(path: "/lastword/none"), scene)
    scene.onEvent { _ in scene.end() }
    transport.connect()
    #expect(scene.events.isEmpty && transport.name == "unix:/lastword/none")
    scene.run()
    #expect(scene.events == [.connected])
  }

  /// What neither takes a connection nor refuses it.
  private final class SilentTransport: ByteTransport {
    let id: UpstreamID
    var delegate: (any UpstreamTransportDelegate)?
    let name = "nowhere"
    let (isWriting, hasEndedWell, endsWithItsWork) = (false, false, false)

    init(_ id: UpstreamID) { self.id = id }

    func connect() {}
    func disconnect() {}
    func reset() {}
    func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int { 0 }
    func setReading(_ isReading: Bool) {}
    func end() {}
  }

  @Test func `an attempt to connect ends in time, and others then have its place`() throws {
    let scene = try TransportScene()
    let transport = Self.transport(named: "nowhere", framing: .lines, scene, connectMilliseconds: 1_000) {
      SilentTransport($0)
    }
    scene.onEvent { _ in if scene.events.count == 5 { scene.end() } }
    // Three may try at once.
    for task in 1...5 as ClosedRange<UInt64> {
      transport.begin(Self.exchange(task), Array(#"{"id":\#(task)}"#.utf8))
    }
    scene.run()
    #expect(
      Set(scene.events) == Set((1...5).map { .failed($0, wasSent: false, "no connection in time") }))
  }

  @Test(arguments: Framing.allCases)
  func `each request has a connection of its own, which is closed when its answer is there`(
    framing: Framing
  ) throws {
    let scene = try TransportScene()
    let server = try Server(framing: framing, scene)
    server.answer = { stream, text in
      let answer = Self.result(text.contains(#""id":1,"#) ? 1 : 2)
      let frame = framing == .lines ? "\(answer)\n" : "Content-Length: \(answer.utf8.count)\r\n\r\n\(answer)"
      _ = stream.write(Array(frame.utf8))
    }
    server.onEnded = { if server.endedCount == 2 { scene.end() } }
    let message = { (id: UInt64) in Array("{\"id\":\(id),\r\n\"method\":\"m\"}".utf8) }
    server.transport?.begin(Self.exchange(1), message(1))
    server.transport?.begin(Self.exchange(2), message(2))
    #expect(scene.events.isEmpty)
    scene.run()
    #expect(Set(scene.events) == [.answered(1, Self.result(1)), .answered(2, Self.result(2))])
    let asked =
      switch framing {
      case .lines: ["{\"id\":1,  \"method\":\"m\"}\n", "{\"id\":2,  \"method\":\"m\"}\n"]
      case .contentLength:
        [1, 2].map { "Content-Length: 23\r\n\r\n{\"id\":\($0),\r\n\"method\":\"m\"}" }
      }
    #expect(Set(server.heard) == Set(asked))
  }

  @Test func `what is not the answer is told and counted`() throws {
    let scene = try TransportScene()
    let script = """
      read line; echo Searching...; echo '{"jsonrpc":"2.0","method":"log"}'
      echo '{"jsonrpc":"2.0","id":7,"method":"ask"}'; echo '\(Self.result(8))'; echo '[1]'; echo '{}'
      echo '\(Self.result(7))'; cat
      """
    let transport = Self.child(script, scene)
    scene.onEvent { if case .answered = $0 { scene.end() } }
    transport.begin(Self.exchange(7), Array("{}".utf8))
    scene.run()
    #expect(transport.skippedCount == 5)
    let others = [
      #"{"jsonrpc":"2.0","method":"log"}"#, #"{"jsonrpc":"2.0","id":7,"method":"ask"}"#, Self.result(8),
      "[1]", "{}",
    ]
    #expect(scene.events == others.map { .gave(7, $0) } + [.answered(7, Self.result(7))])
  }

  @Test(arguments: [
    "{", "[INFO] ready", "{1: 2}", #"{"id":8,"result":}"#, #"{"id":7,"method":"m","params":}"#,
  ])
  func `what a child prints besides is skipped, whatever it begins with`(noise: String) throws {
    let scene = try TransportScene()
    let transport = Self.child("read line; echo '\(noise)'; echo '\(Self.result(7))'; cat", scene)
    scene.onEvent { if case .answered = $0 { scene.end() } }
    transport.begin(Self.exchange(7), Array("{}".utf8))
    scene.run()
    #expect(scene.events == [.gave(7, noise), .answered(7, Self.result(7))])
    #expect(transport.skippedCount == 1)
  }

  @Test func `over a socket, what is no JSON ends its exchange`() throws {
    let scene = try TransportScene()
    let server = try Server(toleratesNoise: false, scene)
    server.answer = { stream, _ in _ = stream.write(Array("[INFO] ready\n".utf8)) }
    scene.onEvent { _ in scene.end() }
    server.transport?.begin(Self.exchange(7), Array("{}".utf8))
    scene.run()
    #expect(scene.events == [.failed(7, wasSent: true, "answer is no JSON")])
  }

  @Test(arguments: [
    #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}"#,
    #"{"jsonrpc":"2.0","id":7,"result":1,"error":{"code":1,"message":"m"}}"#, #"{"id":7,"result":1}"#,
    #"{"jsonrpc":"2.0","id":7,"result":\#(String(repeating: "[", count: 200) + String(repeating: "]", count: 200))}"#,
  ])
  func `an answer that may be wrong is for others to judge`(answer: String) throws {
    let scene = try TransportScene()
    let transport = Self.child("read line; echo '\(answer)'", scene)
    scene.onEvent { _ in scene.end() }
    transport.begin(Self.exchange(7), Array("{}".utf8))
    scene.run()
    #expect(scene.events == [.answered(7, answer)])
  }

  @Test(arguments: [
    ("read line; exit 3", "exited with status 3"),
    (#"read line; echo '{"jsonrpc":"2.0","id":7,"result":}'; cat"#, "answer is no JSON"),
    ("read line; printf '{%02000000d}\\n' 0; cat", "too long: the answer is longer than messageBytes"),
  ])
  func `one that is not answered fails, and may have been heard`(script: String, reason: String) throws {
    let scene = try TransportScene()
    let transport = Self.child(script, scene)
    scene.onEvent { _ in scene.end() }
    transport.begin(Self.exchange(7), Array("{}".utf8))
    scene.run()
    #expect(scene.events == [.failed(7, wasSent: true, reason)])
  }

  @Test func `one whose connection cannot be made was not heard`() throws {
    let scene = try TransportScene()
    let transport = Self.transport(to: .unix(path: "/lastword/none"), scene)
    scene.onEvent { _ in scene.end() }
    transport.begin(Self.exchange(7), Array("{}".utf8))
    scene.run()
    #expect(scene.events == [.failed(7, wasSent: false, "ENOENT: no such file or directory")])
  }

  @Test func `a message without a task that does not arrive is lost`() throws {
    let scene = try TransportScene()
    let transport = Self.transport(to: .unix(path: "/lastword/none"), scene)
    scene.onEvent { _ in scene.end() }
    transport.begin(Self.exchange(nil), Array("{}".utf8))
    scene.run()
    #expect(scene.events == [.lost("ENOENT: no such file or directory")])
  }

  @Test func `to abort one is to close its connection, and nobody else's`() throws {
    let scene = try TransportScene()
    let server = try Server(scene)
    server.answer = { _, _ in
      guard server.streams.count == 2, !server.heard.contains("") else { return }
      server.transport?.abort(TaskID(rawValue: 1))
      server.transport?.abort(TaskID(rawValue: 9))
    }
    server.onEnded = {
      guard server.endedCount == 1 else { return }
      for stream in server.streams { _ = stream.write(Array((Self.result(2) + "\n").utf8)) }
    }
    scene.onEvent { _ in scene.after(milliseconds: 1) { scene.end() } }
    server.transport?.begin(Self.exchange(1), Array("{}".utf8))
    server.transport?.begin(Self.exchange(2), Array("{}".utf8))
    scene.run()
    #expect(scene.events == [.answered(2, Self.result(2))])
  }

  @Test func `one that is aborted at once is never sent`() throws {
    let scene = try TransportScene()
    let server = try Server(scene)
    server.transport?.begin(Self.exchange(1), Array("{}".utf8))
    server.transport?.abort(TaskID(rawValue: 1))
    server.transport?.begin(Self.exchange(2), Array("{}".utf8))
    server.transport?.disconnect()
    scene.after(milliseconds: 1) { scene.end() }
    scene.run()
    #expect(scene.events == [] && server.heard.allSatisfy(\.isEmpty))
  }

  @Test func `a child that works for nobody ends`() throws {
    let scene = try TransportScene()
    let transport = Self.child("echo $$ >&2; sleep 1000", scene)
    scene.onEvent { event in
      guard case .said(let child) = event else { return }
      #expect(isRunning(child))
      transport.abort(TaskID(rawValue: 1))
      scene.when({ !isRunning(child) }, { scene.end() })
    }
    transport.begin(Self.exchange(1), Array("{}".utf8))
    scene.run()
    #expect(scene.events.count == 1)
  }

  @Test func `a message larger than any socket buffer arrives whole`() throws {
    let scene = try TransportScene()
    let server = try Server(scene)
    let message = Array("{\"x\":\"\(String(repeating: "x", count: 16 << 20))\"}".utf8)
    server.answer = { stream, _ in
      if server.heardByteCount == message.count + 1 { _ = stream.write(Array((Self.result(1) + "\n").utf8)) }
    }
    scene.onEvent { _ in scene.end() }
    server.transport?.begin(Self.exchange(1), message)
    scene.run()
    #expect(scene.events == [.answered(1, Self.result(1))])
  }

  // MARK: Notifications

  private static func notification(_ task: UInt64, remainingMilliseconds: UInt64 = 60_000) -> Exchange {
    Exchange(
      task: TaskID(rawValue: task), isNotification: true, remainingMilliseconds: remainingMilliseconds,
      traceparent: [])
  }

  @Test func `a notification is delivered when its server has heard that nothing follows, and closes`() throws
  {
    let scene = try TransportScene()
    let server = try Server(scene)
    server.answer = { stream, _ in _ = stream.write(Array("{ no answer\n".utf8)) }
    server.onEnded = {
      #expect(scene.events == [])
      for stream in server.streams { stream.close() }
    }
    scene.onEvent { _ in scene.end() }
    server.transport?.begin(Self.notification(4), Array("{}".utf8))
    scene.run()
    #expect(server.heard == ["{}\n"] && scene.events == [.delivered(4)])
  }

  @Test func `a server that keeps its connection open has taken it all the same`() throws {
    let scene = try TransportScene()
    let server = try Server(scene)
    scene.onEvent { _ in scene.end() }
    server.transport?.begin(Self.notification(4, remainingMilliseconds: 2_000), Array("{}".utf8))
    scene.run()
    #expect(server.heard == ["{}\n"] && scene.events == [.delivered(4)])
  }

  @Test func `a notification that cannot be delivered is lost`() throws {
    let scene = try TransportScene()
    let transport = Self.transport(to: .unix(path: "/lastword/none"), scene)
    scene.onEvent { _ in scene.end() }
    transport.begin(Self.notification(4), Array("{}".utf8))
    scene.run()
    #expect(scene.events == [.failed(4, wasSent: false, "ENOENT: no such file or directory")])
  }

  @Test func `a notification that is not taken has as much time as its caller`() throws {
    let scene = try TransportScene()
    let server = try Server(scene)
    let transport = try #require(server.transport)
    server.answer = { stream, _ in stream.stopReading() }
    scene.onEvent { _ in scene.end() }
    transport.begin(
      Self.notification(4, remainingMilliseconds: 2_000), [UInt8](repeating: 0x20, count: 32 << 20))
    scene.run()
    #expect(server.heardByteCount < 32 << 20)
    #expect(scene.events == [.failed(4, wasSent: true, "not taken in its time")])
  }

  @Test func `all of many notifications at once are delivered`() throws {
    let scene = try TransportScene()
    let server = try Server(scene)
    let transport = try #require(server.transport)
    server.answer = { stream, _ in stream.close() }
    let count = 200
    scene.onEvent { _ in if scene.events.count == count { scene.end() } }
    for number in 0..<count {
      transport.begin(Self.notification(UInt64(number)), Array("{\"n\":\(number)}".utf8))
    }
    scene.run()
    #expect(Set(server.heard) == Set((0..<count).map { "{\"n\":\($0)}\n" }))
    #expect(Set(scene.events) == Set((0..<count).map { .delivered(UInt64($0)) }))
  }

  @Test func `a child works on a notification to its end, which delivers it`() throws {
    let scene = try TransportScene()
    let transport = Self.child("cat >&2; sleep 1.2; echo done >&2", scene)
    scene.onEvent { if case .delivered = $0 { scene.end() } }
    transport.begin(Self.notification(4), Array("{}".utf8))
    scene.run()
    #expect(scene.events == [.said("{}"), .said("done"), .delivered(4)])
  }

  @Test func `a child that fails has lost its notification`() throws {
    let scene = try TransportScene()
    let transport = Self.child("cat >/dev/null; exit 3", scene)
    scene.onEvent { _ in scene.end() }
    transport.begin(Self.notification(4), Array("{}".utf8))
    scene.run()
    #expect(scene.events == [.failed(4, wasSent: true, "exited with status 3")])
  }

  @Test(
    arguments: [
      ("exec <&-; sleep 0.5", 60_000, "exited with status 0"),
      ("exec >&-; sleep 0.5; cat >/dev/null", 60_000, "exited with status 0"),
      ("exec <&-; sleep 1000", 1_500, "not taken in its time"),
    ] as [(String, UInt64, String)])
  func `a child that takes no more in the middle of a notification has lost it`(
    script: String, remainingMilliseconds: UInt64, reason: String
  ) throws {
    let scene = try TransportScene()
    let transport = Self.child("head -c 1 >/dev/null; \(script)", scene)
    scene.onEvent { _ in scene.end() }
    // More than a pipe holds, of which the rest is on its way.
    transport.begin(
      Self.notification(4, remainingMilliseconds: remainingMilliseconds),
      [UInt8](repeating: 0x20, count: 100_000))
    scene.run()
    #expect(scene.events == [.failed(4, wasSent: true, reason)])
  }

  @Test func `a child that takes longer than its notification's time is ended`() throws {
    let scene = try TransportScene()
    let transport = Self.child("echo $$ >&2; exec sleep 1000", scene)
    scene.onEvent { event in
      guard case .delivered = event else { return }
      scene.when({ scene.lines.allSatisfy { !isRunning($0) } }, { scene.end() })
    }
    transport.begin(Self.notification(4, remainingMilliseconds: 2_000), Array("{}".utf8))
    scene.run()
    #expect(scene.lines.count == 1 && scene.events.last == .delivered(4))
  }

  @Test func `a message without a task is lost when too many are on their way`() throws {
    let scene = try TransportScene()
    let server = try Server(scene)
    let limit = DedicatedTransport.ownMessageLimit
    for _ in 0..<limit + 2 { server.transport?.begin(Self.exchange(nil), Array("{}".utf8)) }
    #expect(scene.events == [])
    scene.when({ server.heard.count { !$0.isEmpty } == limit && scene.events.count == 2 }, { scene.end() })
    scene.run()
    #expect(scene.events == [TransportEvent](repeating: .lost("too much is on its way already"), count: 2))
  }

  // MARK: Opening

  /// A connection that opens when the test says so.
  private final class SlowConnection: ByteTransport {
    let id: UpstreamID
    var delegate: (any UpstreamTransportDelegate)?
    let name = "slow"
    let isWriting = false
    let hasEndedWell = true
    let endsWithItsWork = false
    private let onConnect: (SlowConnection) -> Void

    init(_ id: UpstreamID, onConnect: @escaping (SlowConnection) -> Void) {
      self.id = id
      self.onConnect = onConnect
    }

    func connect() { onConnect(self) }
    func disconnect() {}
    func end() {}
    func write(_ chunks: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Int {
      unsafe chunks.reduce(0) { $0 + $1.count }
    }
  }

  @Test func `no more connections are opened at once than may be`() throws {
    let scene = try TransportScene()
    var opening: [SlowConnection] = []
    let transport = Self.transport(named: "slow", framing: .lines, scene) {
      SlowConnection($0) { opening.append($0) }
    }
    for task in 1...9 as ClosedRange<UInt64> { transport.begin(Self.exchange(task), Array("{}".utf8)) }
    #expect(opening.count == 3)
    opening[0].delegate?.transportConnected(TransportScene.id)
    #expect(opening.count == 4)
    opening[1].delegate?.transport(TransportScene.id, disconnected: "no")
    #expect(opening.count == 5 && scene.events == [.failed(2, wasSent: false, "no")])
    transport.abort(TaskID(rawValue: 3))
    #expect(opening.count == 6)
    // One that is given up while it waits is not opened, and takes nobody's place.
    transport.abort(TaskID(rawValue: 7))
    transport.abort(TaskID(rawValue: 4))
    #expect(opening.count == 7)
    transport.abort(TaskID(rawValue: 1))
    #expect(opening.count == 7)
    for connection in opening.dropFirst(4) { connection.delegate?.transportConnected(TransportScene.id) }
    #expect(opening.count == 8)
    scene.end()
    scene.run()
    // The transport holds this list, and each in it the transport.
    opening.removeAll()
  }
}
