import Foundation
import TestSupport
import Testing

/// Sessions of the Model Context Protocol that clients have with the gateway over HTTP (decision 0052).
@Suite struct MCPSessionTests {
  static let initialize =
    #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#
  static let both = "Accept: application/json, text/event-stream\r\n"

  static func post(_ content: String, _ session: String?, _ fields: String = both) -> [UInt8] {
    let name = session.map { "Mcp-Session-Id: \($0)\r\n" } ?? ""
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\(name)\(fields)"
    return Array("\(head)Content-Length: \(content.utf8.count)\r\n\r\n\(content)".utf8)
  }

  static func head(_ method: String, _ session: String?, _ fields: String = "") -> [UInt8] {
    let name = session.map { "Mcp-Session-Id: \($0)\r\n" } ?? ""
    return Array("\(method) /mcp HTTP/1.1\r\nHost: localhost\r\n\(name)\(fields)\r\n".utf8)
  }

  static func open(_ session: String) -> [UInt8] {
    head("GET", session, "Accept: text/event-stream\r\n")
  }

  private func scene(_ bounds: String = "", listen: String = "", more: String = "") throws -> PostScene {
    try PostScene(bounds: bounds, listen: "mcpPath = \"/mcp\"\n\(listen)", more: more)
  }

  /// A session that has begun: its name.
  func begin(_ scene: PostScene, _ fields: String = both) throws -> String {
    let client = try scene.connect()
    try client.send(bytes: Self.post(Self.initialize, nil, fields))
    try scene.upstream.answer(#require(scene.upstream.asked().id), "welcome")
    let answer = try client.expectAnswer()
    #expect(answer.status == 200 && answer.content == #"{"jsonrpc":"2.0","id":0,"result":"welcome"}"# + "\n")
    #expect(answer["content-type"] == "application/json")
    return try #require(answer["mcp-session-id"])
  }

  /// The data of the next event.
  func event(_ client: LineSocket) throws -> String {
    while true {
      let line = try client.expect()
      if line.hasPrefix("data: ") { return String(line.dropFirst(6)) }
    }
  }

  /// The fields of a response that is a stream.
  func streamHead(_ client: LineSocket) throws -> [String: String] {
    #expect(try client.expect() == "HTTP/1.1 200 OK\r")
    var fields: [String: String] = [:]
    while case let line = try client.expect(), line != "\r" {
      let parts = line.dropLast().split(separator: ":", maxSplits: 1)
      fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    #expect(fields["content-type"] == "text/event-stream")
    return fields
  }

  // MARK: Beginning and ending

  @Test func `initialize begins a session, others go on with it, and DELETE ends it`() throws {
    let scene = try scene()
    let session = try begin(scene)
    #expect(session.utf8.count == 32)
    #expect(try begin(scene) != session)
    let client = try scene.connect()
    try client.send(bytes: Self.post(#"{"jsonrpc":"2.0","method":"n"}"#, session))
    #expect(try client.expectAnswer().status == 202)
    #expect(try scene.upstream.asked().method == "n")
    try client.send(bytes: Self.post(request(1, "m"), session))
    try scene.upstream.answer(#require(scene.upstream.asked().id), "done")
    let answer = try client.expectAnswer()
    #expect(answer.status == 200 && answer.content == #"{"jsonrpc":"2.0","id":1,"result":"done"}"# + "\n")
    try client.send(bytes: Self.head("DELETE", session))
    #expect(try client.expectAnswer().status == 204)
    try client.send(bytes: Self.post(request(2, "m"), session))
    #expect(try client.expectAnswer().status == 404)
  }

  @Test func `what belongs to no session is refused, and nothing of it goes on`() throws {
    let scene = try scene()
    let session = try begin(scene)
    let refused: [([UInt8], Int)] = [
      (Self.post(request(1, "m"), nil), 400), (Self.post(request(1, "m"), "x"), 404),
      (Self.post(Self.initialize, "x"), 404), (Self.post("[\(request(1, "m"))]", session), 400),
      (Self.post("nonsense", session), 400), (Self.post(" ", session), 400), (Self.post("[]", nil), 400),
      (Self.head("GET", session), 406), (Self.open("x"), 404), (Self.head("DELETE", "x"), 404),
      (Self.head("DELETE", nil), 400), (Self.head("GET", nil, "Accept: text/event-stream\r\n"), 400),
      (Self.post(request(1, "m"), session, "Accept: image/png\r\n"), 406),
      (Self.post(request(1, "m"), "\(session)\r\nMcp-Session-Id: \(session)"), 400),
    ]
    for (bytes, status) in refused {
      let answer = try scene.ask(bytes)
      #expect(answer.status == status, "\(String(decoding: bytes, as: UTF8.self)): \(answer)")
    }
    let ofSessions = "DELETE, GET, OPTIONS, POST"
    for (bytes, status, allowed) in [
      (Self.head("HEAD", session), 405, ofSessions), (Self.head("OPTIONS", nil), 204, ofSessions),
      (Self.head("GET", nil, "MCP-Protocol-Version: 2026-07-28\r\n"), 405, "OPTIONS, POST"),
    ] {
      let client = try scene.connect()
      try client.send(bytes: bytes)
      let answer = try client.expectAnswer(isToHead: bytes.starts(with: Array("HEAD".utf8)))
      #expect(answer.status == status && answer["allow"] == allowed, "\(answer)")
    }
    // Elsewhere nothing has changed.
    #expect(try scene.ask(Array("DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)).status == 405)
    try scene.expectUpstreamHeardNothing()
  }

  @Test func `what is no message is refused in its words, and what is one with an id under that`() throws {
    let scene = try scene("nestingLevels = 8")
    let session = try begin(scene)
    for invalid in ["{}", #"{"jsonrpc":"2.0"}"#, "7", #"{"jsonrpc":"2.0","id":{},"method":"m"}"#, #""m""#] {
      let answer = try scene.ask(Self.post(invalid, session))
      #expect(answer.status == 400 && answer.content.isError(-32600, id: "null"), "\(invalid): \(answer)")
    }
    for deep in [
      #"{"jsonrpc":"2.0","id":1,"method":"m","params":[[[[[[[[[]]]]]]]]]}"#, "[[[[[[[[[[]]]]]]]]]]",
    ] {
      let answer = try scene.ask(Self.post(deep, session))
      #expect(answer.status == 400 && answer.content.isError(-32700, id: "null"), "\(deep): \(answer)")
      #expect(answer.content.contains("parse error at byte "), "\(answer)")
    }
    let cut = try scene.ask(Self.post(#"{"jsonrpc":"2.0","id":1,"method":"m""#, session))
    #expect(cut.status == 400 && cut.content.contains(#""parse error at byte 36""#), "\(cut)")
    let named = try scene.ask(Self.post(#"{"jsonrpc":"2.0","id":1,"method":"m","params":7}"#, session))
    #expect(named.status == 200 && named.content.isError(-32600, id: "1"), "\(named)")
    // Nobody answers these, right or wrong.
    for silent in [
      #"{"jsonrpc":"2.0","method":"m","params":7}"#, #"{"jsonrpc":"2.0","result":1}"#,
      #"{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"m"}}"#,
    ] {
      let answer = try scene.ask(Self.post(silent, session))
      #expect(answer.status == 202, "\(silent): \(answer)")
    }
    try scene.expectUpstreamHeardNothing()
  }

  @Test func `a session that is left alone ends`() throws {
    let scene = try scene("mcpIdleMs = 100")
    let session = try begin(scene)
    try eventually("the session is over") {
      // A request would keep it: only a stream is asked for, and refused once it is over.
      Thread.sleep(forTimeInterval: 0.3)
      return try scene.ask(Self.head("DELETE", session)).status == 404 ? true : nil
    }
  }

  @Test func `where all connections are taken, sessions that have been quiet for longest make room`() throws {
    let scene = try scene("connections = 7")
    let quiet = try (0..<4).map { _ in try begin(scene) }
    let (watched, busy) = (try begin(scene), try begin(scene))
    let stream = try scene.connect()
    try stream.send(bytes: Self.open(watched))
    _ = try streamHead(stream)
    // Six sessions and the stream: whoever comes now takes the place of a quiet one.
    let asking = try scene.connect()
    try asking.send(bytes: Self.post(request(1, "m"), busy))
    let asked = try #require(scene.upstream.asked().id)
    #expect(try scene.ask(Self.post(#"{"jsonrpc":"2.0","method":"n"}"#, quiet[0])).status == 404)
    try scene.upstream.answer(asked, "done")
    #expect(try asking.expectAnswer().content == #"{"jsonrpc":"2.0","id":1,"result":"done"}"# + "\n")
    _ = stream
  }

  /// Most of them come when the turn is over, and are read behind it.
  @Test func `where all connections are taken and the gateway is busy, each newcomer has a place`() throws {
    let scene = try scene("connections = 80\nturnUs = 50")
    let clients = try (0..<40).map { _ in try scene.connect() }
    let initialize = Self.post(Self.initialize, nil)
    for round in 0..<2 {
      if round == 1 { scene.gateway.program.signal(SIGSTOP) }
      for client in clients { try client.send(bytes: initialize) }
      if round == 1 { scene.gateway.program.signal(SIGCONT) }
      for _ in clients { try scene.upstream.answer(#require(scene.upstream.asked().id), "welcome") }
      for client in clients { #expect(try client.expectAnswer().status == 200) }
    }
  }

  @Test func `where all connections are taken, a session whose request has lost its connection goes on`()
    throws
  {
    let scene = try scene("connections = 3")
    let main = try scene.connect()
    func begin() throws -> String {
      try main.send(bytes: Self.post(Self.initialize, nil))
      try scene.upstream.answer(#require(scene.upstream.asked().id), "welcome")
      return try #require(try main.expectAnswer()["mcp-session-id"])
    }
    let running = try begin()
    let client = try scene.connect()
    try client.send(bytes: Self.post(request(1, "m"), running))
    let asked = try #require(scene.upstream.asked().id)
    client.reset()
    try main.send(bytes: Self.post(#"{"jsonrpc":"2.0","method":"n"}"#, running))
    #expect(try main.expectAnswer().status == 202)
    #expect(try scene.upstream.asked().method == "n")
    // The second one takes the place of the first.
    let (quiet, _) = (try begin(), try begin())
    try main.send(bytes: Self.post(#"{"jsonrpc":"2.0","method":"o"}"#, running))
    #expect(try main.expectAnswer().status == 202)
    #expect(try scene.upstream.asked().method == "o", "its work has not been taken back")
    try scene.upstream.answer(asked, "done")
    try main.send(bytes: Self.post(#"{"jsonrpc":"2.0","method":"hidden"}"#, quiet))
    #expect(try main.expectAnswer().status == 404)
  }

  // MARK: Keys

  @Test func `a request of one POST supersedes that of another, and each hears over its own`() throws {
    let scene = try scene()
    let session = try begin(scene)
    let (older, newer) = (try scene.connect(), try scene.connect())
    try older.send(bytes: Self.post(request(1, "m", key: "k"), session))
    let first = try #require(scene.upstream.asked().id)
    try newer.send(bytes: Self.post(request(2, "m", key: "k"), session))
    let refusal = try older.expectAnswer()
    #expect(refusal.status == 200 && refusal.content.isError(-32080, id: "1"), "\(refusal)")
    #expect(try scene.upstream.asked().method == "$/cancelRequest")
    let asked = try scene.upstream.asked()
    try scene.upstream.answer(first, "stale")
    try scene.upstream.answer(#require(asked.id), "fresh")
    #expect(try newer.expectAnswer().content == #"{"jsonrpc":"2.0","id":2,"result":"fresh"}"# + "\n")
  }

  // MARK: Whose it is

  @Test func `a session is its principal's, by whatever token that comes`() throws {
    let (ada, adaAgain, bob) = (try MadeToken(), try MadeToken(), try MadeToken())
    let scene = try scene(
      listen: "auth = \"required\"",
      more: """
        [[principal]]
        name = "ada"
        tokens = ["\(ada.digest)", "\(adaAgain.digest)"]
        [[principal]]
        name = "bob"
        \(bob.kept)
        """)
    func fields(_ token: MadeToken) -> String { "\(Self.both)Authorization: Bearer \(token.token)\r\n" }
    #expect(try scene.ask(Self.post(Self.initialize, nil)).status == 401)
    #expect(try scene.ask(Self.post(Self.initialize, nil, "Authorization: Bearer x\r\n")).status == 401)
    let session = try begin(scene, fields(ada))
    for foreign in [Self.both, fields(bob), "\(Self.both)Authorization: Bearer x\r\n"] {
      #expect(try scene.ask(Self.post(request(1, "hidden"), session, foreign)).status == 404)
      #expect(try scene.ask(Self.head("DELETE", session, foreign)).status == 404)
    }
    for token in [adaAgain, ada, adaAgain] {
      let client = try scene.connect()
      try client.send(bytes: Self.post(request(1, "m"), session, fields(token)))
      try scene.upstream.answer(#require(scene.upstream.asked().id), "done")
      #expect(try client.expectAnswer().content == #"{"jsonrpc":"2.0","id":1,"result":"done"}"# + "\n")
    }
  }

  @Test func `for whom there is no room hears that, and when there may be`() throws {
    let made = try MadeToken()
    let scene = try scene(
      listen: "auth = \"required\"",
      more: "[[principal]]\nname = \"ada\"\nconnections = 1\n\(made.kept)")
    let fields = "\(Self.both)Authorization: Bearer \(made.token)\r\n"
    _ = try begin(scene, fields)
    let answer = try scene.ask(Self.post(Self.initialize, nil, fields))
    #expect(answer.status == 429 && answer["retry-after"] == "1", "\(answer)")
    #expect(answer.content.isError(-32082, id: "null") && answer["connection"] == "close", "\(answer)")
  }

  // MARK: Connections that go

  @Test func `whose connection goes is not taken back at once, but after mcpResumeMs`() throws {
    let scene = try scene("mcpResumeMs = 300")
    let session = try begin(scene)
    let client = try scene.connect()
    try client.send(bytes: Self.post(request(1, "m"), session))
    _ = try scene.upstream.asked()
    client.reset()
    let other = try scene.connect()
    try other.send(bytes: Self.post(#"{"jsonrpc":"2.0","method":"n"}"#, session))
    #expect(try other.expectAnswer().status == 202)
    #expect(try scene.upstream.asked().method == "n")
    let cancel = try scene.upstream.asked()
    #expect(cancel.method == "$/cancelRequest", "\(cancel)")
  }

  @Test func `what its client may not take back itself the gateway does`() throws {
    let made = try MadeToken()
    let scene = try scene(
      "mcpResumeMs = 300", listen: "auth = \"required\"",
      more: "[[principal]]\nname = \"ada\"\nmethods = [\"initialize\", \"m\"]\n\(made.kept)")
    let fields = "\(Self.both)Authorization: Bearer \(made.token)\r\n"
    let session = try begin(scene, fields)
    let client = try scene.connect()
    try client.send(bytes: Self.post(request(1, "m"), session, fields))
    let asked = try #require(scene.upstream.asked().id)
    client.reset()
    #expect(try scene.upstream.asked().cancelled == asked)
  }

  @Test func `a client that cancels in its protocol's words is understood`() throws {
    let scene = try scene()
    let session = try begin(scene)
    let (client, other) = (try scene.connect(), try scene.connect())
    try client.send(bytes: Self.post(request(1, "m"), session))
    _ = try scene.upstream.asked()
    try other.send(
      bytes: Self.post(
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#, session))
    #expect(try other.expectAnswer().status == 202)
    #expect(try client.expectAnswer().content.isError(-32800, id: "1"))
    #expect(try scene.upstream.asked().method == "$/cancelRequest")
  }

  // MARK: Streams

  /// With several loops each connection could come to another one.
  @Test(arguments: [1, 3])
  func `what an upstream says goes over the stream of what it is about, or over that of the GET`(loops: Int)
    throws
  {
    let directory = try TemporaryDirectory()
    let listener = try ListeningSocket()
    let path = directory.path + "/lastword.toml"
    let text = ConfigurationFile.text(
      bounds: "", address: "127.0.0.1:0", listen: "mcpPath = \"/mcp\"",
      upstream: "address = \"\(listener.address)\"\nperConnection = true\ncancel = \"mcp\"", more: "")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let gateway = try RunningGateway(
      ["--config", path], listen: [], reachesUpstream: false, environment: ["LASTWORD_LOOPS": "\(loops)"])
    let client = try gateway.connect()
    try client.send(bytes: Self.post(Self.initialize, nil))
    let upstream = try listener.accept()
    // Before there is any stream but that of initialize, it says something: the answer follows it.
    let asked = try upstream.asked()
    try upstream.send(#"{"jsonrpc":"2.0","method":"early"}"#)
    let session = try #require(streamHead(client)["mcp-session-id"])
    #expect(try event(client).contains("early"))
    try upstream.answer(#require(asked.id), "welcome")
    #expect(try event(client).contains("welcome"))
    // Nobody hears it yet.
    try upstream.send(#"{"jsonrpc":"2.0","method":"kept"}"#)
    let (first, second) = (try gateway.connect(), try gateway.connect())
    let tokens = ["\"a\"", "7"]
    for (stream, token) in zip([first, second], tokens) {
      try stream.send(
        bytes: Self.post(
          #"{"jsonrpc":"2.0","id":\#(token),"method":"m","params":{"_meta":{"progressToken":\#(token)}}}"#,
          session))
      if token == tokens[0] { #expect(try event(stream).contains("kept")) }
    }
    let ids = try (0..<2).map { _ in try #require(upstream.asked().id) }
    for token in tokens.reversed() {
      try upstream.send(
        #"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":\#(token),"progress":1}}"#
      )
    }
    #expect(try event(second).contains("\"progressToken\":7"))
    #expect(try event(first).contains("\"progressToken\":\"a\""))
    // A GET takes what belongs to none of them.
    let listening = try gateway.connect()
    try listening.send(bytes: Self.open(session))
    #expect(try listening.expect().hasPrefix("HTTP/1.1 200"))
    try upstream.send(#"{"jsonrpc":"2.0","id":5,"method":"ask"}"#)
    #expect(try event(listening).contains(#""method":"ask""#))
    let replying = try gateway.connect()
    try replying.send(bytes: Self.post(#"{"jsonrpc":"2.0","id":1,"result":"yes"}"#, session))
    #expect(try replying.expectAnswer().status == 202)
    #expect(try upstream.expect() == #"{"jsonrpc":"2.0","id":5,"result":"yes"}"#)
    // Another one replaces it.
    let again = try gateway.connect()
    try again.send(bytes: Self.open(session))
    #expect(try again.expect().hasPrefix("HTTP/1.1 200"))
    try upstream.send(#"{"jsonrpc":"2.0","method":"late"}"#)
    #expect(try event(again).contains("late"))
    for id in ids { try upstream.answer(id, "done") }
    #expect(try event(first).contains(#""id":"a","result""#))
    #expect(try event(second).contains(#""id":7,"result""#))
    // Its client ends the session: its upstream's connection goes, too.
    try replying.send(bytes: Self.head("DELETE", session))
    #expect(try replying.expectAnswer().status == 204)
    #expect(try upstream.receive() == nil)
  }
}
