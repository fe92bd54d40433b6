#if HTTPUpstreams
import LibUV
import Testing
import Upstreams

/// What is said when there is no answer, and whether upstream may have got the request.
@Suite struct HTTPFailureTests {
  private static func failure(
    _ endpoint: (inout HTTPScene.Terms) -> Void = { _ in }, reply: HTTPTestReply = .answer("{}")
  ) throws -> HTTPScene.Heard? {
    var last: HTTPScene.Heard?
    try HTTPScene.play(endpoint, serving: { _ in reply }) { scene in
      scene.begin(1)
      scene.run { scene.heard.count == 2 }
      last = scene.heard.last
    }
    return last
  }

  @Test func `nobody listens`() throws {
    let listener = try TestSocket.listening(backlog: 1)
    let port = listener.port
    listener.close()
    let heard = try Self.failure { $0.url = "http://127.0.0.1:\(port)/" }
    guard case .failed(1, wasSent: false, let reason) = heard else { throw Unexpected(heard) }
    #expect(reason.contains("Failed to connect to 127.0.0.1 port \(port)"))
  }

  @Test func `nobody has the name`() throws {
    // Too long for a name, so that nobody is asked for it.
    let heard = try Self.failure { $0.url = "http://\(String(repeating: "a", count: 64)).invalid/" }
    guard case .failed(1, wasSent: false, let reason) = heard else { throw Unexpected(heard) }
    #expect(reason.contains("Could not resolve host"))
  }

  @Test(arguments: ["http://127.0.0.1:99999/", "http://[::/", "file:///etc/passwd"])
  func `the address is none`(url: String) throws {
    let heard = try Self.failure { $0.url = url }
    guard case .failed(1, wasSent: false, let reason) = heard else { throw Unexpected(heard) }
    #expect(!reason.isEmpty)
  }

  @Test func `a server that goes on in another protocol has not answered`() throws {
    let reply = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"
    let heard = try Self.failure(reply: .raw(reply))
    guard case .failed(1, wasSent: true, let reason) = heard else { throw Unexpected(heard) }
    #expect(reason == "HTTP 101: the server goes on in another protocol")
  }

  @Test func `a server that does not take the connection is given up`() throws {
    let listener = try TestSocket.listening(backlog: 0)
    defer { listener.close() }
    // From now on the kernel leaves whoever wants to connect without an answer.
    let first = try TestSocket.connected(to: listener.port)
    defer { first.close() }
    let heard = try Self.failure {
      $0.url = "http://127.0.0.1:\(listener.port)/"
      $0.connectMilliseconds = 50
    }
    guard case .failed(1, wasSent: false, let reason) = heard else { throw Unexpected(heard) }
    #expect(reason.contains("timed out") || reason.contains("Timeout"))
  }

  @Test func `no more connections are opened at once than may be`() throws {
    let listener = try TestSocket.listening(backlog: 0)
    defer { listener.close() }
    let first = try TestSocket.connected(to: listener.port)
    defer { first.close() }
    let change = { (terms: inout HTTPScene.Terms) in
      terms.url = "http://127.0.0.1:\(listener.port)/"
      terms.connectMilliseconds = 50
      terms.connectingLimit = 2
    }
    try HTTPScene.play(change, serving: { _ in .answer("{}") }) { scene in
      for task in 1...4 as ClosedRange<UInt64> { scene.begin(task) }
      scene.run { scene.heard.count >= 2 }
      // Those that were not tried yet keep to what is new.
      scene.bounds.connectMilliseconds = 60_000
      guard case .failed = scene.heard[1] else { throw Unexpected(scene.heard[1]) }
      scene.run { scene.heard.count == 3 }
      scene.abort(3)
      scene.abort(4)
      #expect(scene.heard.count == 3)
    }
  }

  @Test func `the other side speaks no TLS`() throws {
    var url = ""
    let heard = try Self.failure {
      $0.url = $0.url.replacing("http://", with: "https://")
      url = $0.url
    }
    guard case .failed(1, wasSent: false, let reason) = heard else { throw Unexpected(heard) }
    #expect(url.hasPrefix("https://") && !reason.isEmpty)
  }

  @Test func `the connection closes without a word`() throws {
    let heard = try Self.failure(reply: .close)
    guard case .failed(1, wasSent: true, let reason) = heard else { throw Unexpected(heard) }
    #expect(!reason.isEmpty)
  }

  @Test func `the connection closes in the middle of the answer`() throws {
    let heard = try Self.failure(reply: .half)
    guard case .failed(1, wasSent: true, let reason) = heard else { throw Unexpected(heard) }
    #expect(!reason.isEmpty)
  }

  @Test func `the answer's headers do not end`() throws {
    let heard = try Self.failure(reply: .endlessHeaders)
    #expect(heard == .failed(1, wasSent: true, "the answer's headers are larger than 65536 bytes"))
  }

  @Test(arguments: [HTTPTestReply.large(byteCount: 1001), .chunked(Array(repeating: "x", count: 1001))])
  func `an answer over the limit is none`(reply: HTTPTestReply) throws {
    let heard = try Self.failure({ $0.messageLimitBytes = 1000 }, reply: reply)
    #expect(heard == .failed(1, wasSent: true, "too long: the answer is larger than 1000 bytes"))
  }

  @Test(arguments: [HTTPTestReply.large(byteCount: 1000), .chunked(Array(repeating: "x", count: 1000))])
  func `an answer at the limit is one`(reply: HTTPTestReply) throws {
    let heard = try Self.failure({ $0.messageLimitBytes = 1000 }, reply: reply)
    #expect(heard == .answered(1, String(repeating: "x", count: 1000)))
  }

  @Test func `a new limit is that of the next answer`() throws {
    let reply = HTTPTestReply.large(byteCount: 1001)
    try HTTPScene.play({ $0.messageLimitBytes = 1000 }, serving: { _ in reply }) { scene in
      scene.begin(1)
      scene.run { scene.heard.count == 2 }
      scene.bounds.messageLimitBytes = 1001
      scene.begin(2)
      scene.run { scene.heard.count == 3 }
      #expect(scene.heard[1] == .failed(1, wasSent: true, "too long: the answer is larger than 1000 bytes"))
      #expect(scene.heard[2] == .answered(2, String(repeating: "x", count: 1001)))
    }
  }

  @Test(arguments: [
    HTTPTestReply.large(byteCount: 1 << 30),
    .chunked(Array(repeating: String(repeating: "x", count: 999), count: 9999)),
  ])
  func `an answer that goes on and on is cut off, and the next one is heard`(reply: HTTPTestReply) throws {
    let change = { (endpoint: inout HTTPScene.Terms) in
      endpoint.messageLimitBytes = 1 << 20
      endpoint.connections = 1
    }
    let serving: @Sendable (HTTPTestRequest) -> HTTPTestReply = {
      $0.connection == 1 ? reply : .answer("{}")
    }
    try HTTPScene.play(change, serving: serving) { scene in
      scene.begin(1)
      scene.begin(2)
      scene.run { scene.heard.count == 3 && scene.closed.count == 1 }
      #expect(
        scene.heard[1] == .failed(1, wasSent: true, "too long: the answer is larger than 1048576 bytes"))
      #expect(scene.heard[2] == .answered(2, "{}"))
    }
  }

  @Test func `more than may wait is refused, and what waits is not`() throws {
    let gate = Gate()
    defer { gate.open() }
    let large = String(repeating: " ", count: 30 << 20)
    try HTTPScene.play({ $0.connections = 1 }, serving: { gate.pass($0) }) { scene in
      scene.begin(1)
      for task in 2...4 as ClosedRange<UInt64> { scene.begin(task, large) }
      scene.begin(nil, large)
      scene.begin(5, large)
      scene.abort(5)
      scene.begin(7, large, isNotification: true)
      scene.run { scene.heard.count == 4 }
      let reason = "too much waits for it already"
      #expect(scene.heard == [.connected, .lost(reason), .refused(4, reason), .refused(7, reason)])
      scene.abort(2)
      gate.open()
      scene.run { scene.heard.count == 6 }
      #expect(scene.heard.suffix(2) == [.answered(1, "{}"), .answered(3, "{}")])
      #expect(scene.server.requests.count == 2)
      // What has left the line makes room in it.
      scene.begin(6, large)
      scene.run { scene.heard.count == 7 }
      #expect(scene.heard.last == .answered(6, "{}"))
    }
  }

  @Test func `a notification holds its connection no longer than its caller's time`() throws {
    let serving: @Sendable (HTTPTestRequest) -> HTTPTestReply = {
      $0.body == [0x31] ? .nothing : .answer("{}")
    }
    try HTTPScene.play({ $0.connections = 1 }, serving: serving) { scene in
      scene.begin(1, "1", remainingMilliseconds: 1_000, isNotification: true)
      scene.begin(2, "2")
      scene.begin(3, "3", remainingMilliseconds: 0, isNotification: true)
      scene.run { scene.heard.count == 4 }
      guard case .failed(1, wasSent: true, _) = scene.heard[1] else { throw Unexpected(scene.heard[1]) }
      #expect(
        Set(scene.heard.suffix(2).map { "\($0)" })
          == Set(
            [
              HTTPScene.Heard.answered(2, "{}"), .refused(3, "its time was over before it had a connection"),
            ].map { "\($0)" }))
    }
  }
}

struct Unexpected: Error {
  let heard: HTTPScene.Heard?
  init(_ heard: HTTPScene.Heard?) { self.heard = heard }
}
#endif
