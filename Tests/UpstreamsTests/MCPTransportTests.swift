#if HTTPUpstreams
import Foundation
import Testing
import Upstreams

/// Sessions with servers of the Model Context Protocol: what is posted when, and what is made of what comes back.
@Suite struct MCPTransportTests {
  private static let initialize =
    #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#
  private static let welcome = #"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}"#
  private static let initialized = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#

  private static func call(_ id: Int, _ name: String = "t") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(name)"}}"#
  }

  private static func result(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":"\#(id)"}"# }

  private static func cancel(_ id: Int) -> String {
    #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"#
  }

  private static func event(_ data: String, id: String = "") -> String {
    (id.isEmpty ? "" : "id: \(id)\n") + "data: \(data)\n\n"
  }

  private static func isMethod(_ method: String, _ request: HTTPTestRequest) -> Bool {
    request.line.hasPrefix(method + " ")
  }

  /// A server that has sessions: `other` answers what belongs to none of their beginnings and ends.
  private static func sessions(
    _ other: @escaping @Sendable (HTTPTestRequest) -> HTTPTestReply = { _ in .nothing }
  ) -> @Sendable (HTTPTestRequest) -> HTTPTestReply {
    { request in
      let content = String(decoding: request.body, as: UTF8.self)
      if content == initialize {
        return .answerWith("Mcp-Session-Id:  s 1 \r\n", welcome)
      }
      if isMethod("DELETE", request) { return .empty(status: 204) }
      if content == initialized { return .empty(status: 202) }
      return other(request)
    }
  }

  private static func begin(_ scene: MCPScene) {
    scene.write(initialize)
    scene.run { scene.heard.count == 2 }
    scene.write(initialized)
    scene.run { scene.requests.count == 3 }
  }

  @Test func `a session has the name that its server gave it, and the revision that was agreed on`() throws {
    try MCPScene.play(serving: Self.sessions()) { scene in
      Self.begin(scene)
      #expect(scene.heard == [.connected, .line(Self.welcome)])
      #expect(scene.posted == [Self.initialize, Self.initialized, "GET"])
      #expect(scene.requests[0].values(of: "mcp-session-id") == [])
      #expect(scene.requests[0].values(of: "accept") == ["application/json, text/event-stream"])
      for request in scene.requests[1...] {
        #expect(request.values(of: "mcp-session-id") == ["s 1"])
        #expect(request.values(of: "mcp-protocol-version") == ["2025-06-18"])
      }
      #expect(scene.requests[2].values(of: "accept") == ["text/event-stream"])
      scene.transport.disconnect()
      scene.run { scene.posted.last == "DELETE" }
      #expect(scene.requests[3].values(of: "mcp-session-id") == ["s 1"])
    }
  }

  @Test func `nothing is posted before initialize is answered, and a notification before what follows it`()
    throws
  {
    let gate = Gate()
    let serving = Self.sessions { request in
      if String(decoding: request.body, as: UTF8.self).contains("n1") { _ = gate.pass(request) }
      return Self.isMethod("GET", request) ? .empty(status: 405) : .empty(status: 202)
    }
    try MCPScene.play(serving: serving) { scene in
      let notes = (1...2).map { #"{"jsonrpc":"2.0","method":"n\#($0)"}"# }
      scene.write(Self.initialize, Self.initialized, notes[0], notes[1])
      scene.run { scene.requests.count == 4 }
      let expected: Set = [Self.initialize, Self.initialized, "GET", notes[0]]
      #expect(Set(scene.posted) == expected)
      gate.open()
      scene.run { scene.requests.count == 5 }
      #expect(scene.posted.last == notes[1])
      #expect(scene.heard == [.connected, .line(Self.welcome)])
    }
  }

  @Test func `what follows a notification waits until that is taken, and for no more of what is said to it`()
    throws
  {
    let serving = Self.sessions { request in
      switch String(decoding: request.body, as: UTF8.self) {
      case Self.call(2): .answer(Self.result(2))
      case let content where content.contains("n1"): .raw("HTTP/1.1 202 Taken\r\nContent-Length: 9\r\n\r\n")
      default: .empty(status: Self.isMethod("GET", request) ? 405 : 202)
      }
    }
    try MCPScene.play(serving: serving) { scene in
      Self.begin(scene)
      scene.write(#"{"jsonrpc":"2.0","method":"n1"}"#, Self.call(2))
      scene.run { scene.heard.count == 3 }
      #expect(scene.heard.last == .line(Self.result(2)))
    }
  }

  @Test func `requests do not wait for each other's answers`() throws {
    try MCPScene.play(serving: Self.sessions()) { scene in
      Self.begin(scene)
      scene.write(Self.call(2), Self.call(3), Self.call(4))
      scene.run { scene.requests.count == 6 }
      #expect(Array(scene.posted[3...].sorted()) == [Self.call(2), Self.call(3), Self.call(4)])
    }
  }

  @Test func `what a stream says and asks are lines, and so is an answer in several lines`() throws {
    let asked = #"{"jsonrpc":"2.0","id":7,"method":"elicitation/create"}"#
    let serving = Self.sessions { request in
      if Self.isMethod("GET", request) { return .empty(status: 405) }
      return .events([
        Self.event(asked), "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":2,\ndata: \"result\":2}\n\n",
      ])
    }
    try MCPScene.play(serving: serving) { scene in
      Self.begin(scene)
      scene.write(Self.call(2))
      scene.run { scene.heard.count == 4 }
      #expect(
        Array(scene.heard[2...]) == [.line(asked), .line(#"{"jsonrpc":"2.0", "id":2, "result":2}"#)])
    }
  }

  @Test func `who is cancelled has its notification posted, and its stream is closed after a while`() throws {
    let serving = Self.sessions { request in
      let isCall = String(decoding: request.body, as: UTF8.self) == Self.call(2)
      return isCall ? .events([], ends: false) : .empty(status: Self.isMethod("GET", request) ? 405 : 202)
    }
    try MCPScene.play(serving: serving) { scene in
      Self.begin(scene)
      scene.write(Self.call(2))
      scene.run { scene.requests.count == 4 }
      scene.write(Self.cancel(2))
      scene.run { scene.closed == 1 }
      #expect(scene.posted.last == Self.cancel(2))
      #expect(scene.heard.count == 2)
    }
  }

  @Test func `from 2026-07-28 on the end of the stream is the cancel, and heads say what is asked`() throws {
    let modern =
      #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tä","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#
    let cancel =
      #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#
    try MCPScene.play(serving: { _ in .events([], ends: false) }) { scene in
      scene.write(modern)
      scene.run { scene.requests.count == 1 }
      #expect(scene.requests[0].values(of: "mcp-protocol-version") == ["2026-07-28"])
      #expect(scene.requests[0].values(of: "mcp-method") == ["tools/call"])
      #expect(scene.requests[0].values(of: "mcp-name") == ["=?base64?dMOk?="])
      scene.write(cancel)
      scene.run { scene.closed == 1 }
      #expect(scene.posted == [modern])
    }
  }

  @Test(arguments: [200, 404, 500])
  func `a server that refuses a request without its id is heard all the same`(status: Int) throws {
    let refusal = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#
    try MCPScene.play(serving: { _ in .answer(refusal, status: status) }) { scene in
      scene.write(Self.call(2))
      scene.run { scene.heard.count == 2 }
      #expect(
        scene.heard[1] == .line(#"{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"no"}}"#))
    }
  }

  @Test func `what is no answer fails its own request alone`() throws {
    let serving: @Sendable (HTTPTestRequest) -> HTTPTestReply = { request in
      switch String(decoding: request.body, as: UTF8.self) {
      case Self.call(2): .empty(status: 202)
      case Self.call(3): .answer("[", status: 200)
      case Self.call(4): .answer(Self.result(9))
      case Self.call(5): .close
      case Self.call(6): .events([Self.event(Self.result(9))])
      default: .answer(Self.result(7))
      }
    }
    try MCPScene.play(serving: serving) { scene in
      for id in 2...7 {
        scene.write(Self.call(id))
        scene.run {
          scene.heard.contains { if case .failed(UInt64(id), _, _) = $0 { true } else { id == 7 } }
        }
        // What answered another request carries nothing more.
        if id == 4 { scene.run { scene.closed == 1 } }
      }
      scene.run { scene.heard.last == .line(Self.result(7)) }
      let failed = scene.heard.compactMap { if case .failed(let id, true, _) = $0 { id } else { nil } }
      #expect(failed == [2, 3, 4, 5, 6])
    }
  }

  @Test func `a session that its server has ended is lost`() throws {
    let serving = Self.sessions { request in
      Self.isMethod("GET", request) ? .empty(status: 405) : .empty(status: 404)
    }
    try MCPScene.play(serving: serving) { scene in
      Self.begin(scene)
      scene.write(Self.call(2))
      scene.run { scene.heard.count == 3 }
      #expect(scene.heard[2] == .disconnected("HTTP 404: the server has ended the session"))
    }
  }

  @Test func `a stream that breaks off behind an event with an id is gone on with, and twice at most`() throws
  {
    let serving = Self.sessions { request in
      if request.values(of: "last-event-id") == ["e2"] { return .events([Self.event(Self.result(2))]) }
      if !request.values(of: "last-event-id").isEmpty { return .events([]) }
      if Self.isMethod("GET", request) { return .empty(status: 405) }
      let isFirst = String(decoding: request.body, as: UTF8.self) == Self.call(2)
      return .events(["retry: 1\nid: \(isFirst ? "e2" : "e3")\ndata:\n\n"])
    }
    try MCPScene.play(serving: serving) { scene in
      Self.begin(scene)
      scene.write(Self.call(2))
      scene.run { scene.heard.count == 3 }
      #expect(scene.heard[2] == .line(Self.result(2)))
      scene.write(Self.call(3))
      scene.run { scene.heard.count == 4 }
      #expect(scene.heard[3] == .failed(3, wasSent: true, "HTTP 200"))
      #expect(scene.posted.count { $0 == "GET" } == 4)
    }
  }

  @Test func `who refuses to go on with a stream has not answered what it was about`() throws {
    let refusal = #"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Method not allowed"}}"#
    let serving = Self.sessions { request in
      if Self.isMethod("GET", request) {
        return .raw(
          "HTTP/1.1 405 Not Allowed\r\nContent-Type: application/json\r\nContent-Length: \(refusal.utf8.count)"
            + "\r\n\r\n" + refusal)
      }
      return .events(["retry: 1\nid: e2\ndata:\n\n"])
    }
    try MCPScene.play(serving: serving) { scene in
      Self.begin(scene)
      scene.write(Self.call(2))
      scene.run { scene.heard.count == 3 }
      #expect(scene.heard[2] == .failed(2, wasSent: true, "HTTP 405 without an answer"))
    }
  }

  @Test func `who says a notification that is not taken hears of its loss`() throws {
    try MCPScene.play(serving: { _ in .empty(status: 400) }) { scene in
      scene.write(#"{"jsonrpc":"2.0","method":"n"}"#)
      scene.run { scene.heard.count == 2 }
      #expect(scene.heard[1] == .lost("HTTP 400"))
    }
  }
}

extension HTTPTestReply {
  /// An answer with another field.
  static func answerWith(_ header: String, _ body: String) -> HTTPTestReply {
    .raw(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\(header)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    )
  }
}
#endif
