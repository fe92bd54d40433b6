import Foundation
import TestSupport
import Testing

/// Requests that come by HTTP, with the real binary.
@Suite struct PostTests {
  // MARK: Messages

  @Test func `a request is answered by a response`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(request(7, "m", #"{"a":[1]}"#)))
    let asked = try scene.upstream.asked()
    #expect(asked.method == "m")
    try scene.upstream.answer(#require(asked.id), "done")
    let answer = try client.expectAnswer()
    #expect(answer.status == 200)
    #expect(answer.content == #"{"jsonrpc":"2.0","id":7,"result":"done"}"# + "\n")
    #expect(answer["content-type"] == "application/json")
    #expect(answer["x-content-type-options"] == "nosniff" && answer["cache-control"] == "no-store")
    #expect(answer["access-control-allow-origin"] == nil)
    try scene.expectKept(client)
  }

  @Test func `a batch is answered by one response`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    try client.send(bytes: PostScene.post("[\(PostScene.ping),\n7,\(request(2, "m"))]"))
    try scene.upstream.answer(#require(scene.upstream.asked().id), "done")
    let answer = try client.expectAnswer()
    #expect(answer.status == 200)
    let replies = try #require(
      try JSONSerialization.jsonObject(with: Data(answer.content.utf8)) as? [[String: Any]])
    #expect(replies.count == 3)
    try scene.expectKept(client)
  }

  @Test func `a notification is accepted once upstream has it`() throws {
    // Nobody listens there yet.
    let port = try ListeningSocket().port
    let gateway = try RunningGateway(upstream: "tcp:127.0.0.1:\(port)", reachesUpstream: false)
    let client = try gateway.connect()
    try client.send(bytes: PostScene.post(#"{"jsonrpc":"2.0","method":"n"}"#))
    #expect(try gateway.connect().isInStep())
    #expect(!client.hasNews)
    let upstream = try ListeningSocket(port: port).acceptGateway()
    #expect(try upstream.asked().method == "n")
    #expect(try client.expectAnswer().status == 202)
  }

  @Test func `a notification has no content as its response`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    try client.send(
      bytes: PostScene.post(#"[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","method":"o"}]"#))
    let answer = try client.expectAnswer()
    #expect(answer.status == 202 && answer["content-length"] == "0")
    #expect(try scene.upstream.asked().method == "n")
    #expect(try scene.upstream.asked().method == "o")
    try scene.expectKept(client)
  }

  @Test func `an error of upstream is an answer, whatever its code`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    for code in [-32601, -32080, -32000, 1] {
      try client.send(bytes: PostScene.post(request(1, "m")))
      let id = try #require(scene.upstream.asked().id)
      try scene.upstream.send(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"message":"m"}}"#)
      let answer = try client.expectAnswer()
      #expect(answer.status == 200 && answer.content.isError(code, id: "1"), "\(answer)")
    }
    try scene.expectKept(client)
  }

  // MARK: The way in

  @Test func `requests in one segment are answered in their order`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    let bytes = (1...8).flatMap { PostScene.post(request($0, "m\($0)")) }
    try client.send(bytes: bytes + Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    for id in 1...8 {
      let asked = try scene.upstream.asked()
      #expect(asked.method == "m\(id)")
      try scene.upstream.answer(#require(asked.id), "\(id)")
      #expect(try client.expectAnswer().content == #"{"jsonrpc":"2.0","id":\#(id),"result":"\#(id)"}"# + "\n")
    }
    #expect(try client.expectAnswer()["content-type"]?.hasPrefix("text/plain") == true)
    try scene.expectKept(client)
  }

  @Test func `more than is read ahead is answered all the same`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    let padding = String(repeating: "p", count: 1_000)
    let ping =
      #"{"jsonrpc":"2.0","id":"\#(String(padding.prefix(100)))","method":"lastword.ping","params":["\#(padding)"]}"#
    let count = 300
    try client.send(
      bytes: PostScene.post(request(1, "m")) + (0..<count).flatMap { _ in PostScene.post(ping) })
    try scene.upstream.answer(#require(scene.upstream.asked().id), "first")
    #expect(try client.expectAnswer().content.contains("first"))
    for _ in 0..<count { #expect(try client.expectAnswer().status == 200) }
    try scene.expectKept(client)
  }

  @Test func `it does not matter where a request is cut`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    client.sendAtOnce()
    let bytes = PostScene.post(PostScene.ping)
    for place in 1..<bytes.count {
      try client.send(bytes: Array(bytes[..<place]))
      try client.send(bytes: Array(bytes[place...]))
      #expect(try client.expectAnswer().content == PostScene.pong, "cut at \(place)")
    }
    for byte in bytes { try client.send(bytes: [byte]) }
    #expect(try client.expectAnswer().content == PostScene.pong)
  }

  @Test(arguments: [1, 2, 7, 1000], ["", ";a=b", ";a=\"b c\""])
  func `content may come in chunks`(chunkBytes: Int, extensions: String) throws {
    let scene = try PostScene()
    let client = try scene.connect()
    client.sendAtOnce()
    let bytes = PostScene.chunkedPost(
      PostScene.ping, chunkBytes: chunkBytes, extensions: extensions, trailer: "X-Sum: 1\r\nY: 2\r\n")
    try client.send(bytes: bytes + bytes)
    for _ in 0..<2 { #expect(try client.expectAnswer().content == PostScene.pong) }
    for place in stride(from: 1, to: bytes.count, by: 3) {
      try client.send(bytes: Array(bytes[..<place]))
      try client.send(bytes: Array(bytes[place...]))
      #expect(try client.expectAnswer().content == PostScene.pong, "cut at \(place)")
    }
    try scene.expectKept(client)
  }

  @Test func `line breaks in a content are between tokens`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    try client.send(
      bytes: PostScene.post("\r\n{\r\n\"jsonrpc\":\"2.0\",\n\"id\":1,\r\"method\":\"lastword.ping\"\n}\r\n\n")
    )
    #expect(try client.expectAnswer().content == PostScene.pong)
    let twice = try scene.ask(PostScene.post(PostScene.ping + "\n" + PostScene.ping))
    #expect(twice.status == 400 && twice.content.isError(-32700, id: "null"))
  }

  @Test func `who asks whether to go on is told to, and who is refused is told that instead`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    let bytes = PostScene.post(PostScene.ping, "Expect: 100-continue\r\n")
    try client.send(bytes: Array(bytes.dropLast(PostScene.ping.utf8.count)))
    #expect(try client.expectAnswer().status == 100)
    try client.send(bytes: Array(PostScene.ping.utf8))
    #expect(try client.expectAnswer().content == PostScene.pong)
    try scene.expectKept(client)
    let refused = PostScene.post(
      PostScene.ping, "Expect: 100-continue\r\n", type: "Content-Type: text/plain\r\n")
    try client.send(bytes: Array(refused.dropLast(PostScene.ping.utf8.count)))
    #expect(try client.expectAnswer().status == 415)
    #expect(try client.answer() == nil)
  }

  @Test func `an empty line before the first request is let go, and does a client of lines no harm`() throws {
    let scene = try PostScene()
    for cut in 0...4 {
      let client = try scene.connect()
      let bytes = Array("\r\n".utf8) + PostScene.post(PostScene.ping)
      try client.send(bytes: Array(bytes[..<cut]))
      try client.send(bytes: Array(bytes[cut...]))
      #expect(try client.expectAnswer().content == PostScene.pong)
      try scene.expectKept(client)
    }
    for text in ["\r\n", "\r\n\r\n", "\n", "\r\n \n"] {
      let lines = try scene.connect()
      try lines.send(bytes: Array(text.utf8))
      try lines.send(bytes: Array((PostScene.ping + "\n").utf8))
      #expect(try lines.expect() + "\n" == PostScene.pong)
    }
    let silent = try scene.connect()
    try silent.send(bytes: Array("\r\n".utf8))
    silent.finish()
    #expect(try silent.receive() == nil)
  }

  @Test func `one empty line may stand before a request that is not the first`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(PostScene.ping) + [0x0d, 0x0a])
    #expect(try client.expectAnswer().status == 200)
    try scene.expectKept(client)
  }

  @Test func `a connection is read on behind a batch that was handled in several turns`() throws {
    let scene = try PostScene(bounds: "turnMessages = 1")
    let client = try scene.connect()
    let batch = "[" + (0..<50).map { _ in PostScene.ping }.joined(separator: ",") + "]"
    for _ in 0..<3 {
      try client.send(bytes: PostScene.post(batch))
      #expect(try client.expectAnswer().content.hasPrefix("[{"))
    }
    try scene.expectKept(client)
  }

  @Test func `a flood of requests over one connection leaves others their turn, and each is answered`() throws
  {
    let scene = try PostScene()
    let (flood, other) = (try scene.connect(), try scene.connect())
    let get = Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    let count = 1_500
    try flood.send(bytes: (0..<count).flatMap { _ in get })
    try other.send(bytes: PostScene.post(PostScene.ping))
    #expect(try other.expectAnswer().content == PostScene.pong)
    for _ in 0..<count { #expect(try flood.expectAnswer().status == 200) }
    try scene.expectKept(flood)
  }

  @Test func `what is answered at once, as others wait for their turn, keeps its connection`() throws {
    let scene = try PostScene(bounds: "turnMessages = 1")
    let flood = try scene.connect()
    #expect(try flood.isInStep())
    let clients = try (0..<40).map { _ in try scene.connect() }
    for client in clients { try scene.expectKept(client) }
    // It finds all at once: as so much is held, it writes to clients before the turn ends.
    scene.gateway.program.signal(SIGSTOP)
    let (floodCount, count) = (2_000, 10)
    try flood.send(bytes: Array(String(repeating: PostScene.ping + "\n", count: floodCount).utf8))
    for client in clients {
      try client.send(bytes: (0..<count).flatMap { _ in PostScene.post(PostScene.ping) })
    }
    scene.gateway.program.signal(SIGCONT)
    for client in clients {
      for _ in 0..<count {
        let answer = try client.expectAnswer()
        #expect(answer.content == PostScene.pong && answer["connection"] == "keep-alive", "\(answer)")
      }
    }
    for _ in 0..<floodCount { #expect(try flood.expect() + "\n" == PostScene.pong) }
  }

  // MARK: Versions

  @Test func `HTTP 1.0 closes unless it asks not to`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(PostScene.ping, "Connection: keep-alive\r\n", version: "1.0"))
    let kept = try client.expectAnswer()
    #expect(kept.content == PostScene.pong && kept["connection"] == "keep-alive")
    try client.send(bytes: PostScene.post(PostScene.ping, version: "1.0"))
    let closed = try client.expectAnswer()
    #expect(closed.content == PostScene.pong && closed["connection"] == "close")
    #expect(try client.answer() == nil)
  }

  @Test func `HTTP 1.1 closes if it asks to`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    try client.send(
      bytes: PostScene.post(PostScene.ping, "Connection: Close\r\n") + PostScene.post(PostScene.ping))
    let answer = try client.expectAnswer()
    #expect(answer.content == PostScene.pong && answer["connection"] == "close")
    #expect(try client.answer() == nil)
  }

  @Test func `HTTP 1.0 gets no chunks`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    try client.send(
      bytes: PostScene.post(
        PostScene.ping, "Connection: keep-alive\r\nAccept: text/event-stream\r\n", version: "1.0"))
    let answer = try client.expectAnswer()
    #expect(answer["transfer-encoding"] == nil && answer["connection"] == "close")
    #expect(answer.content == "data: \(PostScene.pong)\n")
  }

  // MARK: Other methods

  @Test func `GET says what this is, HEAD the same without it, and OPTIONS what there is`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    func send(_ method: String, _ target: String = "/?x") throws {
      try client.send(bytes: Array("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    }
    try send("GET")
    let got = try client.expectAnswer()
    #expect(got.status == 200 && got.content.contains("JSON-RPC 2.0"))
    try send("HEAD")
    let head = try client.expectAnswer(isToHead: true)
    #expect(head.status == 200 && head["content-length"] == got["content-length"])
    try send("GET", "/readyz")
    #expect(try client.expectAnswer().status == 404, "there are no admin pages here")
    try send("OPTIONS")
    let options = try client.expectAnswer()
    #expect(options.status == 204 && options["allow"] == "GET, HEAD, OPTIONS, POST")
    #expect(options["content-length"] == nil)
    try send("OPTIONS", "*")
    let all = try client.expectAnswer()
    #expect(all.status == 204 && all["allow"] == options["allow"])
    try scene.expectKept(client)
  }

  @Test func `a refusal of HEAD has no content`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    try client.send(bytes: Array("HEAD / HTTP/1.1\r\nHost: evil.example\r\n\r\n".utf8))
    #expect(try client.expectAnswer(isToHead: true).status == 421)
    #expect(try client.receive() == nil)
  }

  // MARK: Event streams

  @Test func `a reply may be an event`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    for content in [PostScene.ping, "[\(PostScene.ping)]"] {
      try client.send(bytes: PostScene.post(content, "Accept: text/event-stream, application/json\r\n"))
      let answer = try client.expectAnswer()
      #expect(answer.status == 200 && answer["content-type"] == "text/event-stream")
      #expect(answer["x-accel-buffering"] == "no" && answer["cache-control"] == "no-store")
      let pong = PostScene.pong.dropLast()
      #expect(answer.content == "data: \(content.hasPrefix("[") ? "[\(pong)]" : String(pong))\n\n")
    }
    try client.send(
      bytes: PostScene.post(#"{"jsonrpc":"2.0","method":"n"}"#, "Accept: text/event-stream\r\n"))
    #expect(try client.expectAnswer().status == 202)
    try scene.expectKept(client)
  }

  // MARK: Long replies

  /// What comes before it is let go; it has to come.
  private func awaitLine(_ line: String, of client: LineSocket) throws {
    while try client.expect() != line {}
  }

  @Test(arguments: ["1.0", "1.1"])
  func `an event stream on which nothing comes gets comments until one comes`(version: String) throws {
    let scene = try PostScene(bounds: "eventCommentMs = 100")
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(request(1, "m"), "Accept: text/event-stream\r\n", version: version))
    let id = try #require(scene.upstream.asked().id)
    for _ in 0..<3 { try awaitLine(":", of: client) }
    try scene.upstream.answer(id, "done")
    try awaitLine(#"data: {"jsonrpc":"2.0","id":1,"result":"done"}"#, of: client)
  }

  @Test func `a reply that is no event stream gets no comments, nor does one where there are none`() throws {
    for (bound, accept) in [("100", "application/json"), ("0", "text/event-stream")] {
      let scene = try PostScene(bounds: "eventCommentMs = \(bound)")
      let client = try scene.connect()
      try client.send(bytes: PostScene.post(request(1, "m"), "Accept: \(accept)\r\n"))
      let id = try #require(scene.upstream.asked().id)
      // Another stream of comments shows that there was time for them.
      let other = try scene.connect()
      try other.send(bytes: PostScene.post(request(2, "m"), "Accept: text/event-stream\r\n"))
      let otherID = try #require(scene.upstream.asked().id)
      if bound != "0" { for _ in 0..<3 { try awaitLine(":", of: other) } }
      #expect(!client.hasNews)
      try scene.upstream.answer(id, "done")
      try scene.upstream.answer(otherID, "done")
      #expect(try client.expectAnswer().content.contains("\n:\n") == false)
    }
  }

  @Test(arguments: ["", "Accept: text/event-stream\r\n"])
  func `a reply larger than all buffers arrives whole, and the next request is served`(fields: String) throws
  {
    let scene = try PostScene(bounds: "clientOutputHardBytes = 33554432\nmessageBytes = 16777216")
    let client = try scene.connect()
    let long = String(repeating: "0123456789abcdef", count: 512 * 1024)
    try client.send(bytes: PostScene.post(request(1, "m"), fields) + PostScene.post(PostScene.ping))
    let id = try #require(scene.upstream.asked().id)
    let other = try scene.connect()
    try scene.upstream.answer(id, long)
    // The reply has come to the gateway, and nobody reads it.
    #expect(try other.isInStep())
    let answer = try client.expectAnswer()
    let reply = #"{"jsonrpc":"2.0","id":1,"result":"\#(long)"}"# + "\n"
    #expect(answer.content.utf8.count == (fields.isEmpty ? reply.utf8.count : reply.utf8.count + 7))
    #expect(answer.content == (fields.isEmpty ? reply : "data: \(reply)\n"))
    #expect(try client.expectAnswer().content == PostScene.pong)
    try scene.expectKept(client)
  }

  @Test(arguments: ["", "Accept: text/event-stream\r\n"])
  func `a reply that is cut off as nobody reads it does not look whole`(fields: String) throws {
    let scene = try PostScene(
      bounds: "clientOutputHardBytes = 67108864\nmessageBytes = 67108864\nstallMs = 500")
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(request(1, "m"), fields))
    let long = String(repeating: "0123456789abcdef", count: 2 * 1024 * 1024)
    try scene.upstream.answer(#require(scene.upstream.asked().id), long)
    try expectEventually("it is given up") { try scene.gateway.metrics()["lastword_client_connections"] == 0 }
    #expect(throws: LineSocket.Failure.self) { try client.answer() }
  }

  // MARK: What is left out

  @Test func `lines and headers are spoken where protocols have them`() throws {
    let line = Array((PostScene.ping + "\n").utf8)
    let header = Array("Content-Length: \(PostScene.ping.utf8.count)\r\n\r\n\(PostScene.ping)".utf8)
    let post = PostScene.post(PostScene.ping)
    func scene(_ protocols: String) throws -> PostScene {
      try PostScene(listen: "protocols = [\(protocols)]")
    }
    for protocols in [#""http""#, #""websocket""#, #""http", "websocket""#] {
      let scene = try scene(protocols)
      for bytes in [line, header] { _ = try scene.expectRefused(bytes, 400, -32600) }
      #expect(try scene.ask(post).status == (protocols.contains("http") ? 200 : 426))
    }
    for (spoken, other, protocols) in [(line, header, "lines"), (header, line, "content-length")] {
      let scene = try scene("\"\(protocols)\"")
      let served = try scene.connect()
      try served.send(bytes: spoken)
      #expect(
        try protocols == "lines"
          ? served.expect() + "\n" == PostScene.pong : served.expectFrame() + "\n" == PostScene.pong)
      let refused = try scene.connect()
      try refused.send(bytes: other)
      #expect(try refused.expect().isError(-32600, id: "null"))
      #expect(try refused.receive() == nil)
      // HTTP is no line, and is told so in its own words.
      let page = try scene.connect()
      try page.send(bytes: post)
      #expect(try page.expect().hasPrefix("HTTP/1.1 400 "))
    }
    let both = try scene(#""lines", "http""#)
    #expect(try both.connect().isInStep())
    _ = try both.expectRefused(header, 400, -32600)
  }

  @Test func `behind blank lines a header is no header either where none are spoken`() throws {
    let header = Array("Content-Length: \(PostScene.ping.utf8.count)\r\n\r\n\(PostScene.ping)".utf8)
    for protocols in [#""lines""#, #""lines", "http""#] {
      let scene = try PostScene(listen: "protocols = [\(protocols)]")
      for blank in ["\r\n", "\n", " \t\n\n", "\u{FEFF}"] {
        let client = try scene.connect()
        try client.send(bytes: Array(blank.utf8) + header)
        let answer = try client.expect()
        let what = "\(protocols), \(blank.debugDescription): \(answer)"
        #expect(answer.contains(#""error":{"code":-32"#), "\(what)")
        #expect(try client.receive() == nil)
      }
    }
  }

  // MARK: The same key

  @Test func `a POST supersedes a line of the same key, and a line a POST`() throws {
    let scene = try PostScene()
    let (lines, posts) = (try scene.connect(), try scene.connect())
    try lines.send(request(1, "a", key: "k"))
    let first = try #require(scene.upstream.asked().id)
    try posts.send(bytes: PostScene.post(request(2, "b", key: "k")))
    #expect(try lines.expect().isError(-32080, id: "1"))
    #expect(try scene.upstream.asked().cancelled == first)
    let second = try #require(scene.upstream.asked().id)
    try lines.send(request(3, "c", key: "k"))
    let superseded = try posts.expectAnswer()
    #expect(superseded.status == 200 && superseded.content.isError(-32080, id: "2"), "\(superseded)")
    #expect(try scene.upstream.asked().cancelled == second)
    try scene.upstream.answer(#require(scene.upstream.asked().id), "last")
    #expect(try lines.reply().result == "last")
    try scene.expectKept(posts)
  }

  // MARK: Who goes away

  @Test(arguments: ["a reset", "FIN", "a close"], ["", "eof = \"cancel\""])
  func `who goes away takes its request back`(how: String, listen: String) throws {
    let scene = try PostScene(listen: listen)
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(request(1, "m")))
    let id = try #require(scene.upstream.asked().id)
    switch how {
    case "a reset": client.reset()
    case "FIN": client.finish()
    default: client.close()
    }
    #expect(try scene.upstream.asked().cancelled == id)
    try scene.expectUpstreamHeardNothing()
    if how == "FIN" { #expect(try client.answer() == nil) }
  }

  @Test(arguments: ["a reset", "FIN"])
  func `so does who has sent more behind it than is read ahead`(how: String) throws {
    let scene = try PostScene()
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(request(1, "m")))
    let id = try #require(scene.upstream.asked().id)
    // More than is read ahead, and no more than the kernel surely keeps besides: an end behind that has not come yet.
    let long = request(2, "m", #"{"q":"\#(String(repeating: "x", count: 100 * 1024))"}"#)
    try client.send(bytes: PostScene.post(long))
    if how == "FIN" { client.finish() } else { client.reset() }
    #expect(try scene.upstream.asked().cancelled == id)
    try scene.expectUpstreamHeardNothing()
  }

  @Test func `who sends no more may wait for its replies, where eof says so`() throws {
    let scene = try PostScene(listen: "eof = \"reply\"")
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(request(1, "m")) + PostScene.post(request(2, "m")))
    client.finish()
    for id in 1...2 {
      try scene.upstream.answer(#require(scene.upstream.asked().id), "done")
      let answer = try client.expectAnswer()
      #expect(
        answer.status == 200 && answer.content == #"{"jsonrpc":"2.0","id":\#(id),"result":"done"}"# + "\n")
      // That nothing follows is not known while a request is still to be read.
      if id == 2 { #expect(answer["connection"] == "close") }
    }
    #expect(try client.answer() == nil)
  }

  @Test func `who has asked nothing, or half of it, is not waited for`() throws {
    let scene = try PostScene(listen: "eof = \"reply\"")
    for bytes in [PostScene.post(PostScene.ping), Array("\r\n".utf8) + PostScene.post(PostScene.ping)] {
      let client = try scene.connect()
      try client.send(bytes: bytes)
      #expect(try client.expectAnswer().content == PostScene.pong)
      client.finish()
      #expect(try client.answer() == nil)
    }
    let whole = PostScene.post(request(1, "m"))
    for count in [20, whole.count - 1] {
      let client = try scene.connect()
      try client.send(bytes: Array(whole[..<count]))
      client.finish()
      let answer = try client.expectAnswer()
      #expect(answer.status == 400 && answer["connection"] == "close", "\(answer)")
      #expect(try client.answer() == nil)
    }
    try scene.expectUpstreamHeardNothing()
  }

  @Test func `of half a content nothing is forwarded`() throws {
    let scene = try PostScene()
    let whole = PostScene.post(request(1, "m"))
    for left in [1, 5, whole.count / 2] {
      for leave in [LineSocket.reset, LineSocket.finish] {
        let client = try scene.connect()
        try client.send(bytes: whole.dropLast(left))
        leave(client)()
        #expect(try scene.connect().isInStep())
      }
    }
    try scene.expectUpstreamHeardNothing()
  }

  // MARK: Unix sockets

  @Test func `a Unix socket speaks HTTP, whatever the host`() throws {
    let scene = try PostScene(isUnix: true)
    let client = try scene.connect()
    let text = String(decoding: PostScene.post(PostScene.ping), as: UTF8.self)
    try client.send(bytes: Array(text.replacing("localhost", with: "anything.example").utf8))
    #expect(try client.expectAnswer().content == PostScene.pong)
    try scene.expectKept(client)
  }

  // MARK: Many

  @Test func `a thousand connections leave nothing behind`() throws {
    let scene = try PostScene()
    func descriptors() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(scene.gateway.program.identifier)/fd")
        .count
    }
    func come(_ count: Int) throws {
      for number in 0..<count {
        let client = try scene.connect()
        try client.send(bytes: PostScene.post(PostScene.ping))
        if number % 2 == 0 { #expect(try client.expectAnswer().status == 200) }
        if number % 3 == 0 { client.reset() } else { client.close() }
      }
    }
    try come(200)
    try expectEventually("all are gone") { try scene.gateway.metrics()["lastword_client_connections"] == 0 }
    let (before, bytes) = (try descriptors(), try scene.gateway.program.peakResidentBytes())
    try come(1_000)
    try expectEventually("descriptors are given back") { try descriptors() <= before }
    #expect(try scene.gateway.program.peakResidentBytes() - bytes < 8 << 20)
  }
}
