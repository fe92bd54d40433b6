#if HTTPUpstreams
import GatewayCore
import LibUV
import Testing
import Upstreams

/// How many connections there are, which request gets which, and that none is sent twice.
@Suite struct HTTPConnectionTests {
  @Test func `requests one after the other share a connection`() throws {
    try HTTPScene.play(serving: { _ in .answer("{}") }) { scene in
      for task in 1...100 as ClosedRange<UInt64> {
        scene.begin(task)
        scene.run { scene.heard.count == 1 + Int(task) }
        #expect(scene.heard.last == .answered(task, "{}"))
      }
      #expect(scene.server.requests.count == 100)
      #expect(scene.server.connections == 1)
    }
  }

  @Test func `as many requests as there may be connections run at once`() throws {
    let gate = Gate()
    defer { gate.open() }
    try HTTPScene.play({ $0.connections = 50 }, serving: { gate.pass($0) }) { scene in
      for task in 1...60 as ClosedRange<UInt64> { scene.begin(task) }
      // None is answered before all fifty have arrived.
      scene.run { scene.requests.count == 50 }
      #expect(scene.server.connections == 50)
      #expect(scene.heard == [.connected])
      gate.open()
      scene.run { scene.heard.count == 61 }
      #expect(scene.heard.allSatisfy { if case .failed = $0 { false } else { true } })
      #expect(scene.server.requests.count == 60)
      #expect(scene.server.connections == 50)
    }
  }

  @Test func `what has to wait is sent in the order in which it came`() throws {
    try HTTPScene.play({ $0.connections = 1 }, serving: { _ in .answer("{}") }) { scene in
      for task in 1...20 as ClosedRange<UInt64> { scene.begin(task, "\(task)") }
      scene.run { scene.heard.count == 21 }
      #expect(
        scene.server.requests.map { String(decoding: $0.body, as: UTF8.self) } == (1...20).map { "\($0)" })
      #expect(scene.server.connections == 1)
    }
  }

  @Test func `a reset gives up what is under way and what waits, and what comes behind it goes on`() throws {
    let gate = Gate()
    defer { gate.open() }
    try HTTPScene.play({ $0.connections = 1 }, serving: { gate.pass($0) }) { scene in
      for task in 1...3 as ClosedRange<UInt64> { scene.begin(task, "\(task)") }
      scene.run { scene.requests.count == 1 }
      scene.transport.reset()
      scene.abort(1)
      gate.open()
      scene.begin(4, "4")
      scene.run { scene.heard.count == 2 }
      #expect(scene.heard == [.connected, .answered(4, "{}")])
      #expect(scene.server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["1", "4"])
    }
  }

  @Test func `what is given up while it waits is never sent`() throws {
    let gate = Gate()
    defer { gate.open() }
    try HTTPScene.play({ $0.connections = 1 }, serving: { gate.pass($0) }) { scene in
      for task in 1...4 as ClosedRange<UInt64> { scene.begin(task, "\(task)") }
      scene.run { scene.requests.count == 1 }
      scene.abort(2)
      scene.abort(3)
      gate.open()
      scene.run { scene.heard.count == 3 }
      #expect(scene.heard == [.connected, .answered(1, "{}"), .answered(4, "{}")])
      #expect(scene.server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["1", "4"])
    }
  }

  @Test func `a request that is given up closes its connection, and nothing is heard of it`() throws {
    let serving: @Sendable (HTTPTestRequest) -> HTTPTestReply = {
      $0.body == [0x31] ? .nothing : .answer("{}")
    }
    try HTTPScene.play({ $0.connections = 1 }, serving: serving) { scene in
      scene.begin(1, "1")
      scene.begin(2, "2")
      scene.run { scene.requests.count == 1 }
      scene.abort(1)
      scene.run { scene.closed == [1] && scene.heard.count == 2 }
      scene.abort(1)
      scene.begin(3, "3")
      scene.run { scene.heard.count == 3 }
      #expect(scene.heard == [.connected, .answered(2, "{}"), .answered(3, "{}")])
    }
  }

  @Test(arguments: [(60_000, 60), (1_500, 2), (0, nil)] as [(Int, Int32?)])
  func `a server that says nothing is asked whether it is still there`(milliseconds: Int, seconds: Int32?)
    throws
  {
    try HTTPScene.play({ $0.endpoint.keepAliveMilliseconds = milliseconds }, serving: { _ in .nothing }) {
      scene in
      scene.begin(1)
      scene.run { scene.requests.count == 1 }
      #expect(TestSocket.probeSeconds(connectedTo: scene.server.port) == seconds)
    }
  }

  /// As long as a child process had it, too, closing it would tell the server nothing.
  @Test func `a child process does not get a connection`() throws {
    try HTTPScene.play(serving: { _ in .nothing }) { scene in
      scene.begin(1)
      scene.run { scene.requests.count == 1 }
      #expect(TestSocket.isInherited(connectedTo: scene.server.port) == false)
    }
  }

  @Test func `a request that is given up at once is never sent`() throws {
    try HTTPScene.play(serving: { _ in .answer("{}") }) { scene in
      scene.begin(1, "1")
      scene.abort(1)
      scene.begin(2, "2")
      scene.run { scene.heard.count == 2 }
      #expect(scene.heard == [.connected, .answered(2, "{}")])
      #expect(scene.server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["2"])
    }
  }

  /// libcurl by itself sends a request again whose connection had been used before and breaks without an answer.
  @Test(arguments: [2, 1 << 20])
  func `a request that upstream may have got is never sent again`(byteCount: Int) throws {
    let message = String(repeating: " ", count: byteCount)
    let serving: @Sendable (HTTPTestRequest) -> HTTPTestReply = { $0.number == 1 ? .answer("{}") : .close }
    try HTTPScene.play(serving: serving) { scene in
      scene.begin(1, message)
      scene.run { scene.heard.count == 2 }
      scene.begin(2, message)
      scene.run { scene.heard.count == 3 }
      guard case .failed(2, wasSent: true, let reason) = scene.heard[2] else {
        Issue.record("\(scene.heard[2])")
        return
      }
      #expect(!reason.isEmpty)
      #expect(scene.server.requests.map(\.number) == [1, 2])
      // Another one is served, over a connection of its own.
      scene.begin(3)
      scene.run { scene.heard.count == 4 }
      #expect(scene.heard[3] == .answered(3, "{}"))
      #expect(scene.server.requests.count == 3)
    }
  }

  @Test func `a connection that was closed while it was idle is not used again`() throws {
    try HTTPScene.play(serving: { _ in .answerAndClose("{}") }) { scene in
      for task in 1...3 as ClosedRange<UInt64> {
        scene.begin(task)
        scene.run { scene.heard.count == 1 + Int(task) && scene.closed.count == Int(task) }
        #expect(scene.heard.last == .answered(task, "{}"))
      }
      #expect(scene.server.connections == 3)
    }
  }

  @Test
  func `an answer that comes without a request is nobody's, and the next request gets another connection`()
    throws
  {
    let (first, second) = (Gate(), Gate())
    let stray = #"{"jsonrpc":"2.0","id":1,"result":1}"#
    let serving: @Sendable (HTTPTestRequest) -> HTTPTestReply = {
      $0.connection == 1 ? .answerAgain(stray, behind: first, opening: second) : .answer("{}")
    }
    try HTTPScene.play({ $0.connections = 1 }, serving: serving) { scene in
      scene.begin(1)
      scene.run { scene.heard.count == 2 }
      first.open()
      // From now on it has come.
      second.wait()
      scene.begin(2)
      scene.run { scene.heard.count == 3 && scene.closed == [1] }
      #expect(scene.heard == [.connected, .answered(1, stray), .answered(2, "{}")])
      #expect(scene.server.requests.map(\.connection) == [1, 2])
    }
  }

  @Test func `behind an answer to another request a connection is not used again`() throws {
    let other = #"{"jsonrpc":"2.0","id":9,"result":1}"#
    try HTTPScene.play(
      { $0.connections = 1 }, serving: { $0.connection == 1 ? .answer(other) : .answer("{}") }
    ) {
      scene in
      scene.begin(1)
      scene.run { scene.heard.count == 2 }
      scene.begin(2)
      scene.run { scene.heard.count == 3 && scene.closed == [1] }
      #expect(scene.heard == [.connected, .answered(1, other), .answered(2, "{}")])
      #expect(scene.server.requests.map(\.connection) == [1, 2])
    }
  }

  @Test(arguments: [1, nil] as [UInt64?])
  func `a notification that is taken does not keep its connection, though the answer goes on`(task: UInt64?)
    throws
  {
    let serving: @Sendable (HTTPTestRequest) -> HTTPTestReply = {
      $0.connection == 1 ? .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{") : .answer("{}")
    }
    try HTTPScene.play({ $0.connections = 1 }, serving: serving) { scene in
      scene.begin(task, remainingMilliseconds: HTTPScene.dayMilliseconds, isNotification: true)
      scene.begin(2)
      scene.run { scene.heard.last == .answered(2, "{}") && scene.closed == [1] }
      #expect(
        scene.heard == (task == nil ? [.connected] : [.connected, .delivered(1)]) + [.answered(2, "{}")])
    }
  }

  @Test func `notifications whose answers end share a connection`() throws {
    try HTTPScene.play({ $0.connections = 1 }, serving: { _ in .answer("{}") }) { scene in
      for task in 1...3 as ClosedRange<UInt64> {
        scene.begin(task, isNotification: true)
        scene.run { scene.heard.last == .delivered(task) }
      }
      #expect(scene.server.connections == 1)
    }
  }

  @Test func `after disconnecting nothing is heard, and connecting again works`() throws {
    let serving: @Sendable (HTTPTestRequest) -> HTTPTestReply = {
      $0.body == [0x31] ? .nothing : .answer("{}")
    }
    try HTTPScene.play({ $0.connections = 2 }, serving: serving) { scene in
      for task in 1...3 as ClosedRange<UInt64> { scene.begin(task, "1") }
      scene.run { scene.requests.count == 2 }
      scene.transport.disconnect()
      scene.run { scene.closed.count == 2 }
      #expect(scene.heard == [.connected])
      scene.transport.connect()
      scene.begin(1, "2")
      scene.run { scene.heard.count == 3 }
      #expect(scene.heard == [.connected, .connected, .answered(1, "{}")])
      #expect(scene.server.requests.count == 3)
    }
  }

  @Test func `whoever hears an answer may begin and give up requests, and disconnect`() throws {
    let serving: @Sendable (HTTPTestRequest) -> HTTPTestReply = {
      $0.body == [0x33] ? .nothing : .answer("{}")
    }
    try HTTPScene.play({ $0.connections = 3 }, serving: serving) { scene in
      scene.onHeard = { heard in
        switch heard {
        case .answered(1, _):
          scene.abort(3)
          scene.begin(4)
        case .answered(4, _):
          scene.begin(5)
          scene.transport.disconnect()
          scene.transport.connect()
          scene.begin(6)
        default: break
        }
      }
      scene.begin(3, "3")
      scene.run { scene.requests.count == 1 }
      scene.begin(1)
      scene.run { scene.heard.last == .answered(6, "{}") }
      #expect(
        scene.heard == [.connected, .answered(1, "{}"), .answered(4, "{}"), .connected, .answered(6, "{}")])
    }
  }
}
#endif
