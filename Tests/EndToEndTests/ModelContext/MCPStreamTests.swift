import Foundation
import TestSupport
import Testing

/// What sessions of the Model Context Protocol are told besides answers, and streams that are not there, or not read.
@Suite struct MCPStreamTests {
  enum Way: CaseIterable { case reset, replaced }

  private func note(_ number: Int, byteCount: Int) -> String {
    let text = "\(number) " + String(repeating: "x", count: byteCount)
    return #"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"\#(text)"}}"#
  }

  private func progress(_ token: String, _ number: Int) -> String {
    #"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":\#(token),"progress":\#(number)}}"#
  }

  private func asking(_ id: Int, token: String) -> String {
    request(id, "m", #"{"_meta":{"progressToken":\#(token)}}"#)
  }

  /// The data of the next event.
  private func event(_ client: LineSocket) throws -> String {
    while true {
      let line = try client.expect()
      if line.hasPrefix("data: ") { return String(line.dropFirst(6)) }
    }
  }

  @Test(arguments: Way.allCases)
  func `a stream that is not read holds nothing up once it has gone, or another takes its place`(_ way: Way)
    throws
  {
    let scene = try MCPServerScene()
    let (session, server) = try scene.begin()
    let unread = try scene.open(session)
    let client = try scene.post(request(1, "m"), session)
    let asked = try #require(server.asked().id)
    // More than sockets on the way hold: the rest waits.
    let count = 200
    for number in 0..<count { try server.send(note(number, byteCount: 100_000)) }
    try server.answer(asked, "done")
    if way == .reset {
      unread.reset()
    } else {
      let reader = try scene.open(session)
      while try !event(reader).prefix(100).contains(#"{"data":"\#(count - 1) "#) {}
    }
    // As an event, or alone.
    while try !client.expect().suffix(10).contains("done") {}
    withExtendedLifetime(unread) {}
  }

  @Test func `a stream that is not read holds up no answer and no other stream, and loses nothing`() throws {
    let scene = try MCPServerScene()
    let (session, server) = try scene.begin()
    let unread = try scene.open(session)
    // More than sockets on the way hold: the rest waits.
    let count = 200
    for number in 0..<count { try server.send(note(number, byteCount: 100_000)) }
    let ping = try scene.post(#"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#, session)
    #expect(try ping.expectAnswer().content == #"{"jsonrpc":"2.0","id":1,"result":null}"# + "\n")
    let quick = try scene.post(request(2, "m"), session)
    try server.answer(#require(server.asked().id), "done")
    #expect(try quick.expectAnswer().content == #"{"jsonrpc":"2.0","id":2,"result":"done"}"# + "\n")
    let reporting = try scene.post(asking(3, token: "\"a\""), session)
    let asked = try #require(server.asked().id)
    try server.send(progress("\"a\"", 1))
    #expect(try event(reporting).contains(#""progressToken":"a","progress":1"#))
    try server.send(progress("\"a\"", 2))
    try server.answer(asked, "done")
    #expect(try event(reporting).contains(#""progressToken":"a","progress":2"#))
    #expect(try event(reporting) == #"{"jsonrpc":"2.0","id":3,"result":"done"}"#)
    // Nobody has read or closed it so far: all is there, in its order.
    for number in 0..<count {
      let next = try event(unread).prefix(100)
      #expect(next.contains(#"{"data":"\#(number) "#), "\(next)")
    }
  }

  @Test func `an answer waits behind what was said of its request over its stream, and holds up no other`()
    throws
  {
    let scene = try MCPServerScene()
    let (session, server) = try scene.begin()
    let slow = try scene.post(asking(1, token: "\"a\""), session)
    let asked = try #require(server.asked().id)
    let count = 200
    for number in 0..<count {
      let text = "\(number) " + String(repeating: "x", count: 100_000)
      let params = #"{"progressToken":"a","progress":\#(number),"message":"\#(text)"}"#
      try server.send(#"{"jsonrpc":"2.0","method":"notifications/progress","params":\#(params)}"#)
    }
    try server.answer(asked, "done")
    let ping = try scene.post(#"{"jsonrpc":"2.0","id":2,"method":"lastword.ping"}"#, session)
    #expect(try ping.expectAnswer().status == 200)
    for number in 0..<count {
      let next = try event(slow).prefix(150)
      #expect(next.contains(#""message":"\#(number) "#), "\(next)")
    }
    #expect(try event(slow) == #"{"jsonrpc":"2.0","id":1,"result":"done"}"#)
  }

  @Test func `a session for whose streams more waits than may be unread ends`() throws {
    let scene = try MCPServerScene(
      bounds: "clientOutputSoftBytes = 500_000\nclientOutputHardBytes = 1_000_000")
    let (session, server) = try scene.begin()
    let unread = try scene.open(session)
    let client = try scene.post(request(1, "m"), session)
    #expect(try server.asked().method == "m")
    // Its connection closes with the session.
    for number in 0..<200 {
      do { try server.send(note(number, byteCount: 100_000)) } catch { break }
    }
    let answer = try client.expectAnswer()
    #expect(answer.content.isError(-32800, id: "1"), "\(answer)")
    #expect(try scene.post(request(2, "m"), session).expectAnswer().status == 404)
    withExtendedLifetime(unread) {}
  }

  @Test func `answers pass what is said to a client that takes no stream, and the newest of that is kept`()
    throws
  {
    let scene = try MCPServerScene()
    let (session, server) = try scene.begin()
    let client = try scene.post(request(1, "m"), session, onlyJSON)
    let asked = try #require(server.asked().id)
    let question = #"{"jsonrpc":"2.0","id":77,"method":"roots/list"}"#
    try server.send(question)
    let count = 200
    for number in 0..<count { try server.send(note(number, byteCount: 1_000)) }
    try server.answer(asked, "done")
    #expect(try client.expectAnswer().content == #"{"jsonrpc":"2.0","id":1,"result":"done"}"# + "\n")
    // What nobody hears is answered for its client.
    #expect(try server.expect().isError(-32603, id: "77"))
    let next = try scene.post(request(2, "m"), session, onlyJSON)
    try server.answer(#require(server.asked().id), "done")
    #expect(try next.expectAnswer().status == 200)
    let listening = try scene.open(session)
    let first = try event(listening)
    #expect(!first.contains(#""data":"0 "#) && !first.contains("roots"), "\(first.prefix(100))")
    while try !event(listening).contains(#"{"data":"\#(count - 1) "#) {}
  }

  @Test func `an answer that is not read holds no other one up`() throws {
    let scene = try MCPServerScene()
    let (session, server) = try scene.begin()
    let unread = try scene.post(request(1, "m"), session)
    let long = try #require(server.asked().id)
    try server.answer(long, String(repeating: "x", count: 3_900_000))
    let client = try scene.post(request(2, "m"), session)
    try server.answer(#require(server.asked().id), "done")
    #expect(try client.expectAnswer().content == #"{"jsonrpc":"2.0","id":2,"result":"done"}"# + "\n")
    #expect(try unread.expectAnswer().content.utf8.count > 3_900_000)
  }

  @Test func `progress of a request whose connection has gone is not told to another one`() throws {
    let scene = try MCPServerScene()
    let (session, server) = try scene.begin()
    let gone = try scene.post(asking(1, token: "\"a\""), session)
    _ = try server.asked()
    let other = try scene.post(asking(2, token: "\"b\""), session)
    let asked = try #require(server.asked().id)
    try server.send(progress("\"a\"", 1))
    #expect(try event(gone).contains(#""progressToken":"a""#))
    gone.reset()
    // It has been noticed once something of another connection has come behind it.
    #expect(try scene.post(#"{"jsonrpc":"2.0","method":"n"}"#, session).expectAnswer().status == 202)
    #expect(try server.asked().method == "n")
    try server.send(progress("\"a\"", 2))
    try server.send(progress("\"b\"", 3))
    try server.answer(asked, "done")
    let heard = try other.expectAnswer().content
    #expect(heard.contains(#""progressToken":"b""#) && !heard.contains(#""progressToken":"a""#), "\(heard)")
    #expect(try event(scene.open(session)).contains(#""progressToken":"a","progress":2"#))
  }

  @Test func `a session of which a request is under way does not idle, though its connection has gone`()
    throws
  {
    let scene = try MCPServerScene(bounds: "mcpIdleMs = 100")
    let (session, server) = try scene.begin()
    let gone = try scene.post(request(1, "m"), session)
    let asked = try #require(server.asked().id)
    gone.reset()
    // It has been noticed once something of another connection has come behind it.
    #expect(try scene.post(#"{"jsonrpc":"2.0","method":"n"}"#, session).expectAnswer().status == 202)
    #expect(try server.asked().method == "n")
    // Another one that began later has idled for long enough.
    let (_, idle) = try scene.begin()
    #expect(try idle.receive() == nil)
    let client = try scene.post(request(2, "m"), session)
    let next = try #require(server.asked().id)
    try server.answer(asked, "late")
    try server.answer(next, "done")
    #expect(try client.expectAnswer().content == #"{"jsonrpc":"2.0","id":2,"result":"done"}"# + "\n")
  }

  @Test func `a content that grows too long for a bound that a reload makes smaller is refused`() throws {
    let scene = try MCPServerScene(bounds: "messageBytes = 4000")
    let (session, server) = try scene.begin()
    let bytes = MCPSessionTests.post(
      request(5, "m", #"["\#(String(repeating: "x", count: 3_000))"]"#), session)
    let client = try scene.connect()
    try client.send(bytes: Array(bytes.dropLast(2_000)))
    // It has come once another one has been served behind it.
    #expect(
      try scene.post(#"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#, session).expectAnswer().status
        == 200)
    try scene.reload("messageBytes = 4000", as: "messageBytes = 2000")
    try client.send(bytes: Array(bytes.suffix(2_000)))
    let answer = try client.expectAnswer()
    #expect(answer.status == 413 && answer.content.isError(-32086, id: "null"), "\(answer)")
    withExtendedLifetime(server) {}
  }
}
