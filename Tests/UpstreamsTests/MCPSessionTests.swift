#if HTTPUpstreams
import Testing
import Upstreams

/// What becomes of sessions with servers of the Model Context Protocol that another one follows, or that never begin,
/// and of what is too long for the stream of one.
@Suite struct MCPSessionTests {
  private static let initialized = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#

  private static func initialize(_ id: Int) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#
  }

  private static func welcome(_ id: Int) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"result":{"protocolVersion":"2025-06-18"}}"#
  }

  private static func call(_ id: Int) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"t"}}"#
  }

  private static func result(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":"\#(id)"}"# }

  private static func cancel(_ id: Int) -> String {
    #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"#
  }

  private static func note(_ text: String) -> String {
    #"{"jsonrpc":"2.0","method":"note","params":["\#(text)"]}"#
  }

  private static func isMethod(_ method: String, _ request: HTTPTestRequest) -> Bool {
    request.line.hasPrefix(method + " ")
  }

  private static func session(of request: HTTPTestRequest) -> String {
    request.values(of: "mcp-session-id").first ?? ""
  }

  /// A server whose sessions are called as the requests that begin them: `s1`, `s9`. It answers calls, unless `other`
  /// has another reply.
  private static func sessions(
    _ other: @escaping @Sendable (HTTPTestRequest, String) -> HTTPTestReply? = { _, _ in nil }
  ) -> @Sendable (HTTPTestRequest) -> HTTPTestReply {
    { request in
      let content = String(decoding: request.body, as: UTF8.self)
      if let reply = other(request, content) { return reply }
      if isMethod("GET", request) { return .empty(status: 405) }
      if isMethod("DELETE", request) { return .empty(status: 204) }
      for id in 1...9 where content == initialize(id) {
        return .answerWith("Mcp-Session-Id: s\(id)\r\n", welcome(id))
      }
      for id in 1...9 where content == call(id) { return .answer(result(id)) }
      return .empty(status: 202)
    }
  }

  private static func begin(_ scene: MCPScene) {
    scene.write(initialize(1))
    scene.run { scene.heard.count == 2 }
    scene.write(initialized)
    scene.run { scene.requests.count == 3 }
  }

  /// In whose names a session was ended.
  private static func ended(_ scene: MCPScene) -> [String] {
    scene.requests.filter { isMethod("DELETE", $0) }.map { session(of: $0) }
  }

  private static func gets(_ scene: MCPScene) -> [HTTPTestRequest] {
    scene.requests.filter { isMethod("GET", $0) }
  }

  // MARK: One session behind the other

  @Test func `a session that another one follows is ended, and its stream is closed`() throws {
    let serving = Self.sessions { request, _ in
      Self.isMethod("GET", request) && Self.session(of: request) == "s1" ? .events([], ends: false) : nil
    }
    try MCPScene.play(serving: serving) { scene in
      Self.begin(scene)
      scene.write(Self.initialize(9))
      scene.run { scene.heard.count == 3 && scene.closed == 1 && !Self.ended(scene).isEmpty }
      #expect(scene.heard[2] == .line(Self.welcome(9)))
      #expect(Self.ended(scene) == ["s1"])
      scene.write(Self.initialized)
      scene.run { Self.gets(scene).count == 2 }
      #expect(Self.gets(scene).map { Self.session(of: $0) } == ["s1", "s9"])
      scene.transport.disconnect()
      scene.run { Self.ended(scene).count == 2 }
      #expect(Self.ended(scene) == ["s1", "s9"])
    }
  }

  @Test func `what a former session is not found for fails alone`() throws {
    let gate = Gate()
    let serving = Self.sessions { _, content in
      guard content == Self.call(2) else { return nil }
      gate.wait()
      return .empty(status: 404)
    }
    try MCPScene.play(serving: serving) { scene in
      Self.begin(scene)
      scene.write(Self.call(2))
      scene.run { scene.requests.count == 4 }
      scene.write(Self.initialize(9))
      scene.run { scene.heard.count == 3 }
      gate.open()
      scene.run { scene.heard.count == 4 }
      #expect(scene.heard[3] == .failed(2, wasSent: true, "HTTP 404"))
      scene.write(Self.call(3))
      scene.run { scene.heard.count == 5 }
      #expect(scene.heard[4] == .line(Self.result(3)))
      #expect(scene.requests.last.map { Self.session(of: $0) } == "s9")
    }
  }

  @Test func `who has asked for another session survives that the first is gone`() throws {
    let (answer, welcome) = (Gate(), Gate())
    let serving = Self.sessions { _, content in
      if content == Self.initialize(9) { welcome.wait() }
      guard content == Self.call(2) else { return nil }
      answer.wait()
      return .empty(status: 404)
    }
    try MCPScene.play(serving: serving) { scene in
      Self.begin(scene)
      scene.write(Self.call(2))
      scene.run { scene.requests.count == 4 }
      scene.write(Self.initialize(9))
      scene.run { scene.requests.count == 5 }
      answer.open()
      scene.run { scene.heard.count == 3 }
      #expect(scene.heard[2] == .failed(2, wasSent: true, "HTTP 404"))
      welcome.open()
      scene.run { scene.heard.count == 4 }
      #expect(scene.heard[3] == .line(Self.welcome(9)))
      scene.write(Self.call(3))
      scene.run { scene.heard.count == 5 }
      #expect(scene.heard[4] == .line(Self.result(3)))
      // Its server knows that.
      #expect(Self.ended(scene) == [])
    }
  }

  @Test func `of a former session only answers are heard`() throws {
    let gate = Gate()
    let serving = Self.sessions { _, content in
      guard content == Self.call(2) else { return nil }
      gate.wait()
      return .events([Self.note("late"), Self.result(2)].map { "data: \($0)\n\n" })
    }
    try MCPScene.play(serving: serving) { scene in
      Self.begin(scene)
      scene.write(Self.call(2))
      scene.run { scene.requests.count == 4 }
      scene.write(Self.initialize(9))
      scene.run { scene.heard.count == 3 }
      gate.open()
      scene.run { scene.heard.count == 4 }
      #expect(scene.heard[3] == .line(Self.result(2)))
    }
  }

  @Test func `a session goes on if its server refuses another one`() throws {
    let refusal = #"{"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"no"}}"#
    let serving = Self.sessions { _, content in content == Self.initialize(9) ? .answer(refusal) : nil }
    try MCPScene.play(serving: serving) { scene in
      Self.begin(scene)
      scene.write(Self.initialize(9), Self.call(2))
      scene.run { scene.heard.count == 4 }
      #expect(Array(scene.heard[2...]) == [.line(refusal), .line(Self.result(2))])
      #expect(scene.requests.last.map { Self.session(of: $0) } == "s1")
      #expect(Self.ended(scene) == [])
    }
  }

  // MARK: What never begins

  @Test func `an initialize that is never answered and is cancelled holds nothing back`() throws {
    let serving = Self.sessions { _, content in content == Self.initialize(1) ? .nothing : nil }
    try MCPScene.play(serving: serving) { scene in
      scene.write(Self.initialize(1), Self.call(2))
      scene.run { scene.requests.count == 1 }
      scene.write(Self.cancel(1))
      scene.run { scene.heard.count == 2 && scene.closed == 1 }
      #expect(scene.heard[1] == .line(Self.result(2)))
      #expect(scene.posted == [Self.initialize(1), Self.call(2)])
    }
  }

  @Test func `a session that a cancelled initialize has begun is ended`() throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nMcp-Session-Id: s1\r\n\r\n"
    let serving = Self.sessions { _, content in
      content == Self.initialize(1) ? .raw(head + "data: \(Self.note("wait"))\n\n") : nil
    }
    try MCPScene.play(serving: serving) { scene in
      scene.write(Self.initialize(1))
      scene.run { scene.heard.count == 2 }
      #expect(scene.heard[1] == .line(Self.note("wait")))
      scene.write(Self.cancel(1))
      scene.run { Self.ended(scene) == ["s1"] }
    }
  }

  @Test func `what is cancelled before it could be posted is not posted`() throws {
    let gate = Gate()
    let serving = Self.sessions { _, content in
      if content == Self.initialize(1) { gate.wait() }
      return nil
    }
    try MCPScene.play(serving: serving) { scene in
      scene.write(Self.initialize(1), Self.call(2), Self.call(3), Self.cancel(2))
      scene.run { scene.requests.count == 1 }
      gate.open()
      scene.run { scene.heard.count == 3 }
      #expect(Array(scene.heard[1...]) == [.line(Self.welcome(1)), .line(Self.result(3))])
      #expect(scene.posted == [Self.initialize(1), Self.call(3)])
    }
  }

  // MARK: What is too long

  @Test func `behind a message that is too long the stream goes on, and is not asked for that again`() throws
  {
    let long = String(repeating: "x", count: 1 << 20)
    let serving = Self.sessions { request, _ in
      guard Self.isMethod("GET", request) else { return nil }
      let events = ["a", long, "b", "c"].map { "data: \(Self.note($0))\n\n" }
      switch request.values(of: "last-event-id") {
      case []: return .events(["retry: 1\nid: e1\n" + events[0], "id: e2\n" + events[1]])
      case ["e2"]: return .events([events[2], events[1], events[3]], ends: false)
      // It has all that came behind e1 once more.
      default: return .events(["id: e2\n" + events[1]])
      }
    }
    try MCPScene.play(serving: serving) { scene in
      Self.begin(scene)
      scene.run { scene.heard.last == .line(Self.note("c")) }
      #expect(Self.gets(scene).count == 2)
      let lines = scene.heard[2...].compactMap { if case .line(let line) = $0 { line } else { nil } }
      try #require(lines.count == 5)
      #expect([0, 2, 4].map { lines[$0] } == ["a", "b", "c"].map(Self.note))
      // The core sees that it is too long, and by its beginning what it is.
      for line in [lines[1], lines[3]] {
        #expect(line.utf8.count == 1 << 20 + 1)
        #expect(line.hasPrefix(String(Self.note(long).prefix(4096)) + " "))
      }
    }
  }

  @Test func `what is too long for an answer is not asked for again`() throws {
    let long = String(repeating: "x", count: 1 << 20)
    let serving = Self.sessions { _, content in
      content == Self.call(2)
        ? .events(["retry: 1\nid: e1\ndata:\n\n", "data: \(Self.note(long))\n\n"]) : nil
    }
    try MCPScene.play(serving: serving) { scene in
      Self.begin(scene)
      scene.write(Self.call(2))
      scene.run { scene.heard.count == 3 }
      #expect(
        scene.heard[2] == .failed(2, wasSent: true, "the answer is larger than 1048576 bytes"))
      #expect(Self.gets(scene).count == 1)
    }
  }
}
#endif
