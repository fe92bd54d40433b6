#if HTTPUpstreams
import Testing
import Upstreams

/// Answers that come as event streams: what is said before them, and when they are over.
@Suite struct HTTPEventStreamTests {
  private static let piece = #"{"jsonrpc":"2.0","method":"lastword.piece","params":{"id":1,"value":"a"}}"#

  private static func result(_ task: UInt64) -> String {
    #"{"jsonrpc":"2.0","id":\#(task),"result":"\#(task)"}"#
  }

  private static func event(_ data: String) -> String { "data: \(data)\n\n" }

  @Test func `each event is told as it comes, and the response ends the exchange`() throws {
    let events = [
      ": comment\n\n", "event: message\nid: 7\n" + Self.event(Self.piece), "data:\n\n",
      Self.event(Self.result(9)), Self.event(Self.result(1)), Self.event(Self.piece),
    ]
    try HTTPScene.play(serving: { _ in .events(events) }) { scene in
      scene.begin(1)
      scene.run { scene.heard.count == 4 }
      #expect(
        scene.heard == [
          .connected, .gave(1, Self.piece), .gave(1, Self.result(9)), .answered(1, Self.result(1)),
        ])
    }
  }

  @Test func `an event may come in parts, in several lines, behind any break`() throws {
    let events = ["data: {\"jsonrpc\":\"2.0\",\r", "data: \"id\":1,\r\nda", "ta: \"result\":1}\n", "\n"]
    try HTTPScene.play(serving: { _ in .events(events) }) { scene in
      scene.begin(1)
      scene.run { scene.heard.count == 2 }
      #expect(scene.heard.last == .answered(1, "{\"jsonrpc\":\"2.0\",\n\"id\":1,\n\"result\":1}"))
    }
  }

  @Test func `a stream that ends with its answer leaves its connection for the next request`() throws {
    let serving: @Sendable (HTTPTestRequest) -> HTTPTestReply = {
      .events([Self.event(Self.result(UInt64($0.number)))])
    }
    try HTTPScene.play({ $0.connections = 1 }, serving: serving) { scene in
      for task in 1...3 as ClosedRange<UInt64> {
        scene.begin(task)
        scene.run { scene.heard.last == .answered(task, Self.result(task)) }
      }
      #expect(scene.server.connections == 1)
    }
  }

  @Test func `a stream that goes on behind its answer is closed after a while`() throws {
    let serving: @Sendable (HTTPTestRequest) -> HTTPTestReply = { _ in
      .events([Self.event(Self.result(1))], ends: false)
    }
    try HTTPScene.play(serving: serving) { scene in
      scene.transport.lingerMilliseconds = 1
      scene.begin(1)
      scene.run { scene.closed.contains(1) }
      #expect(scene.heard == [.connected, .answered(1, Self.result(1))])
    }
  }

  @Test func `streams that go on behind their answers are closed soon when requests wait for connections`()
    throws
  {
    let serving: @Sendable (HTTPTestRequest) -> HTTPTestReply = {
      .events([Self.event(Self.result(UInt64($0.body.count)))], ends: false)
    }
    try HTTPScene.play({ $0.connections = 2 }, serving: serving) { scene in
      scene.transport.lingerMilliseconds = HTTPScene.dayMilliseconds
      for task in 1...6 as ClosedRange<UInt64> { scene.begin(task, String(repeating: " ", count: Int(task))) }
      scene.run { scene.heard.count == 7 }
      #expect(Set(scene.server.requests.map(\.connection)) == Set(1...6))
      #expect(scene.heard.dropFirst().allSatisfy { if case .answered = $0 { true } else { false } })
    }
  }

  @Test func `a stream that ends without an answer is a failure`() throws {
    try HTTPScene.play(serving: { _ in .events([Self.event(Self.piece)]) }) { scene in
      scene.begin(1)
      scene.run { scene.heard.count == 3 }
      #expect(
        scene.heard == [
          .connected, .gave(1, Self.piece),
          .failed(1, wasSent: true, "the event stream ended without an answer"),
        ])
    }
  }

  @Test func `an event that is no JSON ends the exchange`() throws {
    try HTTPScene.play(serving: { _ in .events([Self.event("{"), Self.event(Self.result(1))], ends: false) })
    { scene in
      scene.begin(1)
      scene.run { scene.heard.count == 2 && scene.closed == [1] }
      #expect(scene.heard.last == .failed(1, wasSent: true, "an event is no JSON"))
    }
  }

  @Test func `an event is as long as a message may be, and not longer`() throws {
    let answer = Self.result(1)
    for (limit, isTaken) in [(answer.utf8.count + 6, true), (answer.utf8.count + 5, false)] {
      try HTTPScene.play({ $0.messageLimitBytes = limit }, serving: { _ in .events([Self.event(answer)]) }) {
        scene in
        scene.begin(1)
        scene.run { scene.heard.count == 2 }
        let failure = HTTPScene.Heard.failed(
          1, wasSent: true, "too long: the answer is larger than \(limit) bytes")
        #expect(scene.heard.last == (isTaken ? .answered(1, answer) : failure))
      }
    }
  }

  @Test func `whoever hears an event may give its request up, and hears no more of it`() throws {
    let serving: @Sendable (HTTPTestRequest) -> HTTPTestReply = {
      $0.body == [0x31]
        ? .events([Self.event(Self.piece), Self.event(Self.piece), Self.event(Self.result(1))])
        : .answer("{}")
    }
    try HTTPScene.play({ $0.connections = 1 }, serving: serving) { scene in
      scene.onHeard = { heard in
        guard case .gave = heard else { return }
        scene.abort(1)
        scene.begin(2)
      }
      scene.begin(1, "1")
      scene.run { scene.heard.last == .answered(2, "{}") }
      #expect(scene.heard == [.connected, .gave(1, Self.piece), .answered(2, "{}")])
    }
  }
}
#endif
