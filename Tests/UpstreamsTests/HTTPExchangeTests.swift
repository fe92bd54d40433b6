#if HTTPUpstreams
import Testing
import Upstreams

/// What goes over the wire, and what comes back to whom.
@Suite struct HTTPExchangeTests {
  private static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  @Test func `an answer comes back to the task that asked`() throws {
    try HTTPScene.play(serving: { .answer(String(decoding: $0.body, as: UTF8.self)) }) { scene in
      scene.begin(7, #"{"id":7}"#)
      scene.begin(8, #"{"id":8}"#)
      scene.run { scene.heard.count == 3 }
      #expect(scene.heard.contains(.answered(7, #"{"id":7}"#)))
      #expect(scene.heard.contains(.answered(8, #"{"id":8}"#)))
    }
  }

  @Test func `a request is a plain POST of the message`() throws {
    try HTTPScene.play(serving: { _ in .answer("{}") }) { scene in
      scene.begin(1, #"{"jsonrpc":"2.0","id":1,"method":"é"}"#)
      scene.run { scene.heard.count == 2 }
      let request = try #require(scene.server.requests.first)
      #expect(request.line == "POST /rpc HTTP/1.1")
      #expect(String(decoding: request.body, as: UTF8.self) == #"{"jsonrpc":"2.0","id":1,"method":"é"}"#)
      #expect(
        request.headers.sorted() == [
          "accept: application/json, text/event-stream", "content-length: 38",
          "content-type: application/json",
          "host: 127.0.0.1:\(scene.server.port)",
        ])
    }
  }

  @Test func `the configured headers, the time that is left and the trace go along`() throws {
    let change = { (endpoint: inout HTTPScene.Terms) in
      endpoint.headers = ["Authorization: Bearer x", "content-type: application/json-rpc"]
      endpoint.deadlineHeader = "X-Timeout-Ms"
    }
    try HTTPScene.play(change, serving: { _ in .answer("{}") }) { scene in
      scene.begin(1, remainingMilliseconds: 4321, traceparent: Self.trace)
      scene.run { scene.heard.count == 2 }
      let request = try #require(scene.server.requests.first)
      #expect(request.values(of: "authorization") == ["Bearer x"])
      #expect(request.values(of: "content-type") == ["application/json-rpc"])
      #expect(request.values(of: "x-timeout-ms") == ["4321"])
      #expect(request.values(of: "traceparent") == [Self.trace])
    }
  }

  @Test func `a trace that is no header value is left out`() throws {
    try HTTPScene.play(serving: { _ in .answer("{}") }) { scene in
      scene.begin(1, traceparent: "00\r\nX-Smuggled: 1")
      scene.run { scene.heard.count == 2 }
      let request = try #require(scene.server.requests.first)
      #expect(request.headers.allSatisfy { !$0.contains("smuggled") && !$0.contains("traceparent") })
    }
  }

  @Test func `chunks are put together`() throws {
    try HTTPScene.play(serving: { _ in .chunked([#"{"a":"#, "1", "}"]) }) { scene in
      scene.begin(1)
      scene.run { scene.heard.count == 2 }
      #expect(scene.heard.last == .answered(1, #"{"a":1}"#))
    }
  }

  @Test(arguments: [200, 302, 400, 500, 599]) func `a body is an answer whatever its status`(status: Int)
    throws
  {
    try HTTPScene.play(serving: { _ in .answer(#"{"error":{}}"#, status: status) }) { scene in
      scene.begin(1)
      scene.run { scene.heard.count == 2 }
      #expect(scene.heard.last == .answered(1, #"{"error":{}}"#))
    }
  }

  @Test(arguments: [200, 204, 401, 502]) func `a status without a body is a failure`(status: Int) throws {
    try HTTPScene.play(serving: { _ in .empty(status: status) }) { scene in
      scene.begin(1)
      scene.run { scene.heard.count == 2 }
      #expect(scene.heard.last == .failed(1, wasSent: true, "HTTP \(status)"))
    }
  }

  @Test func `where else to go is not followed`() throws {
    try HTTPScene.play(serving: { _ in .empty(status: 307, header: "Location: /elsewhere\r\n") }) { scene in
      scene.begin(1)
      scene.run { scene.heard.count == 2 }
      #expect(scene.heard.last == .failed(1, wasSent: true, "HTTP 307"))
      #expect(scene.server.requests.count == 1)
    }
  }

  @Test func `large messages go both ways`() throws {
    let message = "[" + String(repeating: "1,", count: 2 << 20) + "1]"
    try HTTPScene.play(serving: { .answer(String(decoding: $0.body, as: UTF8.self)) }) { scene in
      scene.begin(1, message)
      scene.run { scene.heard.count == 2 }
      #expect(scene.heard.last == .answered(1, message))
      // Leave to send it was not waited for.
      #expect(scene.server.requests.first?.values(of: "expect") == [])
    }
  }

  @Test func `a notification is delivered when its server says that it is`() throws {
    let replies: @Sendable (HTTPTestRequest) -> HTTPTestReply = {
      [.answer("{}"), .empty(status: 202), .empty(status: 500), .close][$0.body.count - 1]
    }
    try HTTPScene.play(serving: replies) { scene in
      for (task, message) in ["1", "22", "333", "4444"].enumerated() {
        scene.begin(UInt64(task), message, isNotification: true)
        scene.run { scene.heard.count == 2 + task }
      }
      #expect(
        scene.heard.prefix(4) == [
          .connected, .delivered(0), .delivered(1), .failed(2, wasSent: true, "HTTP 500"),
        ])
      guard case .failed(3, wasSent: true, _) = scene.heard[4] else { throw Unexpected(scene.heard[4]) }
    }
  }

  @Test func `of a message without a task only its loss is heard`() throws {
    let replies: @Sendable (HTTPTestRequest) -> HTTPTestReply = {
      [.answer("{}"), .empty(status: 500)][$0.body.count - 1]
    }
    try HTTPScene.play({ $0.connections = 1 }, serving: replies) { scene in
      for message in ["1", "22"] { scene.begin(nil, message) }
      scene.run { scene.heard.count == 2 }
      #expect(scene.heard == [.connected, .lost("HTTP 500")])
    }
  }
}
#endif
