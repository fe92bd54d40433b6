import Foundation
import TestSupport
import Testing

/// Who a POST is from.
@Suite struct PostTokenTests {
  private let made: MadeToken
  private let scene: PostScene

  init() throws {
    made = try MadeToken()
    scene = try PostScene(
      listen: "auth = \"required\"",
      more: "[[principal]]\nname = \"ada\"\n\(made.kept)")
  }

  private func post(_ content: String, _ fields: String) -> [UInt8] { PostScene.post(content, fields) }

  @Test(arguments: ["Bearer", "bearer", "BEARER"])
  func `the right token is known, by each POST anew`(scheme: String) throws {
    let client = try scene.connect()
    let fields = "Authorization: \(scheme) \(made.token)\r\n"
    for id in 1...2 {
      try client.send(bytes: post(request(id, "m"), fields))
      try scene.upstream.answer(#require(scene.upstream.asked().id), "done")
      let answer = try client.expectAnswer()
      #expect(
        answer.status == 200 && answer.content == #"{"jsonrpc":"2.0","id":\#(id),"result":"done"}"# + "\n")
    }
    try client.send(bytes: post(#"{"jsonrpc":"2.0","method":"n"}"#, fields))
    #expect(try client.expectAnswer().status == 202)
    #expect(try scene.upstream.asked().method == "n")
    try client.send(
      bytes: post("[\(PostScene.ping),\(PostScene.ping)]", fields + "Accept: text/event-stream\r\n"))
    let events = try client.expectAnswer()
    #expect(
      events.status == 200 && events.content.hasPrefix("data: [{") && !events.content.contains("ada"),
      "\(events)")
    // Who does not say it again is nobody.
    try client.send(bytes: post(request(3, "m"), ""))
    #expect(try client.expectAnswer().status == 401)
    #expect(try client.answer() == nil)
    try scene.expectNothingOf(made.token)
  }

  @Test(arguments: [
    "", "Authorization: Basic TOKEN\r\n", "Authorization: TOKEN\r\n", "Authorization: Bearer\r\n",
    "Authorization: Bearer TOKENx\r\n", "Authorization: Bearer x\r\n", "Authorization:\r\n",
    "Authorization: Bearer \"TOKEN\"\r\n", "Authorization: Bearer TOKEN TOKEN\r\n", "Cookie: token=TOKEN\r\n",
    "Authorization: Bearer \u{e9}\\\"\r\n", "Proxy-Authorization: Bearer TOKEN\r\n",
  ])
  func `without the right one it is 401, notifications and batches included`(fields: String) throws {
    let fields = fields.replacing("TOKEN", with: made.token)
    for content in [request(1, "m"), #"{"jsonrpc":"2.0","method":"n"}"#, "[\(request(1, "m"))]", "nonsense"] {
      for accept in ["", "Accept: text/event-stream\r\n"] {
        let client = try scene.connect()
        try client.send(
          bytes: post(content, fields + accept)
            + post(request(2, "hidden"), "Authorization: Bearer \(made.token)\r\n"))
        let answer = try client.expectAnswer()
        #expect(answer.status == 401 && answer["www-authenticate"] == "Bearer", "\(content): \(answer)")
        #expect(
          answer.content.isError(-32087, id: "null") && answer["connection"] == "close", "\(answer)")
        #expect(try client.answer() == nil)
      }
    }
    try scene.expectNothingOf(made.token)
  }

  @Test func `what a principal may not is 403, and what it may later 429 that says when`() throws {
    let made = try MadeToken()
    let scene = try PostScene(
      listen: "auth = \"required\"",
      more: """
        [[principal]]
        name = "ada"
        methods = ["m"]
        requestsPerSecond = 1
        \(made.kept)
        """)
    let fields = "Authorization: Bearer \(made.token)\r\n"
    let client = try scene.connect()
    try client.send(bytes: post(request(1, "other"), fields))
    let forbidden = try client.expectAnswer()
    #expect(forbidden.status == 403 && forbidden.content.isError(-32088, id: "1"), "\(forbidden)")
    #expect(forbidden["connection"] == "keep-alive" && forbidden["retry-after"] == nil)
    // One a second may come: of many at once the last comes too soon.
    let others = try (2...20).map { id in
      let other = try scene.connect()
      try other.send(bytes: post(request(id, "m"), fields))
      return other
    }
    let answer = try #require(others.last).expectAnswer()
    #expect(answer.status == 429 && answer["retry-after"] == "1", "\(answer)")
    #expect(answer.content.isError(-32082, id: "20") && answer["connection"] == "keep-alive", "\(answer)")
    try client.send(bytes: post("[\(request(300, "other"))]", fields))
    #expect(try client.expectAnswer().status == 200, "what a batch is answered is no status")
  }

  @Test func `two tokens are none`() throws {
    let one = "Authorization: Bearer \(made.token)\r\n"
    #expect(try scene.ask(post(PostScene.ping, one + one)).status == 400)
    try scene.expectNothingOf(made.token)
  }

  @Test func `a content may not say who it is from`() throws {
    let own = request(1, "lastword.authenticate", #"{"token":"\#(made.token)"}"#)
    let answer = try scene.ask(post(own, ""))
    #expect(answer.status == 401, "\(answer)")
    let batch = try scene.ask(post("[\(own),\(request(2, "m"))]", ""))
    #expect(batch.status == 401, "\(batch)")
    try scene.expectNothingOf(made.token)
  }

  @Test func `what is fed in pieces is refused once`() throws {
    let client = try scene.connect()
    client.sendAtOnce()
    for byte in post(request(1, "m"), "Authorization: Bearer x\r\n") {
      // What the gateway has closed may refuse the rest.
      do { try client.send(bytes: [byte]) } catch { break }
    }
    let answer = try client.expectAnswer()
    #expect(answer.status == 401, "\(answer)")
    #expect(try client.answer() == nil)
    try scene.expectNothingOf(made.token)
  }
}

extension PostScene {
  /// Upstream has heard nothing but what somebody known asks now.
  fileprivate func expectNothingOf(_ token: String) throws {
    let end = #"{"jsonrpc":"2.0","method":"end"}"#
    #expect(try ask(Self.post(end, "Authorization: Bearer \(token)\r\n")).status == 202)
    #expect(try upstream.asked().method == "end")
  }
}
