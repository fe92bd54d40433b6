import Foundation
import TestSupport
import Testing

/// From where requests come that share a key, as those hear it who watch.
@Suite struct OriginTests {
  private let (ann, ben): (MadeToken, MadeToken)
  private let scene: PostScene

  init() throws {
    (ann, ben) = (try MadeToken(), try MadeToken())
    scene = try PostScene(
      listen: "auth = \"required\"",
      more: """
        [[principal]]
        name = "ann"
        namespace = "team"
        \(ann.kept)
        [[principal]]
        name = "ben"
        namespace = "team"
        \(ben.kept)
        """)
  }

  private func tab() throws -> WebSocketPeer {
    try WebSocketPeer(scene.connect(), "Authorization: Bearer \(ann.token)\r\n")
  }

  private func post(_ content: String, _ fields: String = "") throws -> LineSocket {
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(content, "Authorization: Bearer \(ben.token)\r\n\(fields)"))
    return client
  }

  @Test func `a tab and a script that supersede each other both tell how they came`() throws {
    let events = try LiveEvents(of: scene.gateway)
    let tab = try tab()
    try tab.send(request(1, "old", key: "k", policy: "cancel"))
    #expect(try events.origins(1) == ["a websocket ann"])
    #expect(try scene.upstream.asked().method == "old")
    let script = try post(request(2, "newer", key: "k", policy: "cancel"))
    #expect(try events.origins(1) == ["a http ben"])
    #expect(try tab.expect().isError(-32080, id: "1"), "they share the key")
    try tab.send(request(3, "newest", key: "k", policy: "cancel"))
    #expect(try events.origins(1) == ["a websocket ann"])
    #expect(try script.expectAnswer().content.isError(-32080, id: "2"))
  }

  @Test func `who joins, and who is refused at once, is told of by its own way`() throws {
    let events = try LiveEvents(of: scene.gateway)
    let first = try post(request(1, "m", key: "k", policy: "preferPrevious"), "Accept: text/event-stream\r\n")
    #expect(try events.origins(1) == ["a sse ben"])
    let asked = try scene.upstream.asked()
    let tab = try tab()
    try tab.send(request(2, "m", key: "k", policy: "preferPrevious"))
    #expect(try events.origins(1) == ["j websocket ann"])
    // It is answered in the turn in which it came.
    let busy = try post(request(3, "another", key: "k", policy: "preferPrevious"))
    #expect(try busy.expectAnswer().content.isError(-32081, id: "3"))
    #expect(try events.origins(1) == ["r http ben"])
    try scene.upstream.answer(#require(asked.id), "shared")
    #expect(try tab.expect() == #"{"jsonrpc":"2.0","id":2,"result":"shared"}"#)
    #expect(try first.expectAnswer().content.contains("shared"))
  }

  @Test func `lines and Content-Length are told apart`() throws {
    let events = try LiveEvents(of: scene.gateway)
    let login = request(0, "lastword.authenticate", #"{"token":"\#(ann.token)"}"#)
    let (lines, heads) = (try scene.connect(), try scene.connect())
    try lines.send(login)
    try lines.send(request(1, "m", key: "k", policy: "wait"))
    #expect(try events.origins(1) == ["a lines ann"])
    for text in [login, request(1, "m", key: "k", policy: "wait")] {
      try heads.send(bytes: Array("Content-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8))
    }
    #expect(try events.origins(1) == ["a content-length ann"])
  }
}
