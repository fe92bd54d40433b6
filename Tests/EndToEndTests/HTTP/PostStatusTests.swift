import Foundation
import TestSupport
import Testing

/// Each status that is not 200, with its fields (decision 0042).
@Suite struct PostStatusTests {
  private static let host = "Host: localhost\r\n"
  private static let json = "Content-Type: application/json\r\n"

  private static func raw(_ text: String) -> Input { Input(text.debugDescription, text) }

  private static func post(_ fields: String, behind: String = "") -> Input {
    raw("POST / HTTP/1.1\r\n\(host)\(json)\(fields)\r\n\(behind)")
  }

  // MARK: What is no HTTP

  @Test(arguments: [
    raw("POST / HTTP/1.1\r\n\(json)Content-Length: 2\r\n\r\n{}"),
    raw("POST / HTTP/1.1\r\n\(host)\(host)\(json)Content-Length: 2\r\n\r\n{}"),
    raw("POST / HTTP/1.1\n\(host)\(json)Content-Length: 2\r\n\r\n{}"),
    raw("POST / HTTP/1.1\r\nHost: localhost\n\r\n"), raw("POST / HTTP/1.1\r\nHost : localhost\r\n\r\n"),
    raw("POST / HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n"),
    raw("POST / HTTP/1.1\r\n Host: localhost\r\n\r\n"),
    raw("POST  / HTTP/1.1\r\n"), raw("POST /\r\n"), raw("POST / HTTP/1.1 \r\n"), raw("POST / http/1.1\r\n"),
    raw("POST /a\u{1}b HTTP/1.1\r\n"), raw("POST / HTTP/1.1\r\(host)"),
    post("Content-Length: 2\r\nContent-Length: 2\r\n", behind: "{}"),
    post("Content-Length: 2\r\nContent-Length: 3\r\n", behind: "{}"),
    post("Content-Length: 2, 2\r\n", behind: "{}"), post("Content-Length: +2\r\n", behind: "{}"),
    post("Content-Length: 0x2\r\n", behind: "{}"), post("Content-Length: -2\r\n", behind: "{}"),
    post("Content-Length: 2 2\r\n", behind: "{}"), post("Content-Length:\r\n", behind: "{}"),
    post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", behind: "0\r\n\r\n"),
    post("Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", behind: "0\r\n\r\n"),
    post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", behind: "0\r\n\r\n"),
    post("Transfer-Encoding: chunked\r\n", behind: "x\r\n"),
    post("Transfer-Encoding: chunked\r\n", behind: "2\n{}"),
    post("Transfer-Encoding: chunked\r\n", behind: "2\r\n{}}\r\n"),
    post("Transfer-Encoding: chunked\r\n", behind: "-1\r\n"),
    post("Transfer-Encoding: chunked\r\n", behind: "ffffffffffffffffffff\r\n"), post(""),
    post("Content-Length: 0\r\n"),
    post("Content-Length: 3\r\n", behind: " \r\n"),
    post("Transfer-Encoding: chunked\r\n", behind: "0\r\n\r\n"),
    raw("GET / HTTP/1.1\r\n\(host)Content-Length: 2\r\n\r\n{}"), raw("HEAD / HTTP/1.1\r\n\r\n"),
    raw("POST / HTTP/1.0\r\n\(json)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    post(
      "Authorization: Bearer a\r\nOrigin: http://a\r\nOrigin: http://a\r\nContent-Length: 2\r\n", behind: "{}"
    ),
    post("Lastword-Session: short\r\nContent-Length: 2\r\n", behind: "{}"),
  ])
  func `what is no HTTP, or no POST, is 400, and nothing behind it is looked at`(input: Input) throws {
    let scene = try PostScene()
    _ = try scene.expectRefused(input.bytes + PostScene.post(PostScene.ping), 400, -32600)
    // The same behind a request that was as it should be.
    let client = try scene.connect()
    try client.send(
      bytes: PostScene.post(PostScene.ping) + input.bytes + PostScene.post(request(1, "hidden")))
    #expect(try client.expectAnswer().status == 200)
    let answer = try client.expectAnswer()
    #expect(answer.status == 400 && answer["connection"] == "close", "\(answer)")
    #expect(try client.answer() == nil)
    try scene.expectUpstreamHeardNothing()
  }

  @Test(arguments: ["{", "nonsense", "\u{0}", "[", "{}}", "Content-Length: 5", "\u{feff}{}"])
  func `a content that is no JSON is 400, and the connection stays`(content: String) throws {
    let scene = try PostScene()
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(content))
    let answer = try client.expectAnswer()
    #expect(answer.status == 400 && answer.content.isError(-32700, id: "null"), "\(answer)")
    try scene.expectKept(client)
  }

  @Test(arguments: [
    "1", "{}", "[]", "null", #"{"jsonrpc":"2.0","id":1}"#,
    #"{"jsonrpc":"2.0","id":1,"method":"lastword.no"}"#,
  ])
  func `a message that is none is an answer like others`(content: String) throws {
    let scene = try PostScene()
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(content))
    let answer = try client.expectAnswer()
    #expect(answer.status == 200 && answer.content.contains(#""error":{"code":-326"#), "\(answer)")
    try scene.expectKept(client)
  }

  // MARK: Other terms

  @Test func `other methods are 405, with those that there are`() throws {
    let scene = try PostScene()
    for method in ["PUT", "DELETE", "PATCH", "TRACE", "CONNECT"] {
      let answer = try scene.expectRefused(
        Array("\(method) / HTTP/1.1\r\n\(Self.host)\(Self.json)\r\n".utf8), 405, -32600)
      #expect(answer["allow"] == "GET, HEAD, OPTIONS, POST")
    }
  }

  @Test func `what cannot be given, or taken, is 406, 415, 417, 501, 505, 414`() throws {
    let scene = try PostScene()
    let ping = PostScene.ping
    _ = try scene.expectRefused(PostScene.post(ping, "Accept: text/html\r\n"), 406, -32600)
    _ = try scene.expectRefused(PostScene.post(ping, "Accept: application/json;q=0\r\n"), 406, -32600)
    _ = try scene.expectRefused(PostScene.post(ping, type: ""), 415, -32600)
    _ = try scene.expectRefused(PostScene.post(ping, type: "Content-Type: text/plain\r\n"), 415, -32600)
    _ = try scene.expectRefused(PostScene.post(ping, "Content-Encoding: gzip\r\n"), 415, -32600)
    _ = try scene.expectRefused(PostScene.post(ping, "Expect: 200-ok\r\n"), 417, -32600)
    _ = try scene.expectRefused(Self.post("Transfer-Encoding: gzip\r\n").bytes, 501, -32600)
    _ = try scene.expectRefused(Self.post("Transfer-Encoding: gzip, chunked\r\n").bytes, 501, -32600)
    _ = try scene.expectRefused(PostScene.post(ping, version: "2.0"), 505, -32600)
    let target = String(repeating: "x", count: 4_000)
    _ = try scene.expectRefused(Array("POST /\(target) HTTP/1.1\r\n\(Self.host)\r\n".utf8), 414, -32600)
    try scene.expectUpstreamHeardNothing()
  }

  @Test func `another host is 421`() throws {
    let scene = try PostScene(listen: #"hosts = ["gateway.example"]"#)
    for host in ["evil.example", "localhost.", "127.0.0.1.evil.example", ""] {
      _ = try scene.expectRefused(
        Array("POST / HTTP/1.1\r\nHost: \(host)\r\n\(Self.json)Content-Length: 2\r\n\r\n{}".utf8), 421, -32600
      )
    }
    for host in ["127.0.0.1", "[::1]:1", "LOCALHOST:7", "gateway.example:80"] {
      let text = String(decoding: PostScene.post(PostScene.ping), as: UTF8.self)
      #expect(try scene.ask(Array(text.replacing("localhost", with: host).utf8)).content == PostScene.pong)
    }
  }

  // MARK: Pages

  @Test func `a page comes only where its origin is named`() throws {
    let app = "https://app.example"
    let scene = try PostScene(listen: "origins = [\"\(app)\"]")
    for fields in [
      "Origin: https://evil.example\r\n", "Origin: null\r\n", "Origin: \(app).evil.example\r\n",
      "Origin: http://localhost\r\n", "Sec-Fetch-Site: cross-site\r\n", "Sec-Fetch-Site: same-site\r\n",
    ] {
      let answer = try scene.expectRefused(PostScene.post(PostScene.ping, fields), 403, -32088)
      #expect(answer["access-control-allow-origin"] == nil && answer["vary"] == "Origin")
    }
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(PostScene.ping, "Origin: \(app)\r\n"))
    let answer = try client.expectAnswer()
    #expect(answer.content == PostScene.pong)
    #expect(answer["access-control-allow-origin"] == app && answer["vary"] == "Origin")
    #expect(answer["access-control-allow-credentials"] == nil)
    // The next request of the same connection is not of a page.
    try client.send(bytes: PostScene.post(PostScene.ping))
    #expect(try client.expectAnswer()["access-control-allow-origin"] == nil)
    // Nor is what is no request.
    try client.send(bytes: PostScene.post(PostScene.ping, "Origin: \(app)\r\n") + Array("BAD\r\n".utf8))
    #expect(try client.expectAnswer()["access-control-allow-origin"] == app)
    let bad = try client.expectAnswer()
    #expect(bad.status == 400 && bad["access-control-allow-origin"] == nil && bad["vary"] == "Origin")
  }

  @Test func `a preflight hears what a page may send, if it may`() throws {
    let app = "https://app.example"
    let scene = try PostScene(listen: "origins = [\"\(app)\"]")
    let client = try scene.connect()
    func preflight(_ origin: String) -> [UInt8] {
      Array(
        ("OPTIONS / HTTP/1.1\r\n\(Self.host)Origin: \(origin)\r\nAccess-Control-Request-Method: POST\r\n"
          + "Access-Control-Request-Headers: content-type\r\n\r\n").utf8)
    }
    try client.send(bytes: preflight(app))
    let answer = try client.expectAnswer()
    #expect(answer.status == 204 && answer["access-control-allow-origin"] == app)
    #expect(answer["access-control-allow-methods"] == "POST")
    #expect(answer["access-control-allow-headers"]?.contains("content-type") == true)
    #expect(answer["vary"]?.hasPrefix("Origin") == true)
    try scene.expectKept(client)
    _ = try scene.expectRefused(preflight("https://evil.example"), 403, -32088)
  }

  @Test func `no page comes where none is named`() throws {
    let scene = try PostScene()
    let answer = try scene.expectRefused(
      PostScene.post(PostScene.ping, "Origin: http://localhost\r\n"), 403, -32088)
    #expect(answer["vary"] == nil && answer["cross-origin-resource-policy"] == "same-origin")
  }

  // MARK: Too large, too slow

  @Test func `a content is 413 one byte beyond its bound, by its length and by its chunks`() throws {
    let scene = try PostScene(bounds: "messageBytes = 1024")
    func padded(_ count: Int) -> String {
      PostScene.ping + String(repeating: " ", count: count - PostScene.ping.utf8.count)
    }
    #expect(try scene.ask(PostScene.post(padded(1024))).content == PostScene.pong)
    #expect(try scene.ask(PostScene.chunkedPost(padded(1024), chunkBytes: 100)).content == PostScene.pong)
    let head = PostScene.post("", length: 1025)
    _ = try scene.expectRefused(head, 413, -32086)
    _ = try scene.expectRefused(PostScene.post(padded(1025)), 413, -32086)
    _ = try scene.expectRefused(PostScene.post("", length: .max), 413, -32086)
    for chunkBytes in [1, 100, 1025] {
      _ = try scene.expectRefused(PostScene.chunkedPost(padded(1025), chunkBytes: chunkBytes), 413, -32086)
    }
    #expect(try scene.ask(PostScene.post(PostScene.ping)).status == 200)
  }

  @Test func `a head is 431 beyond its bound`() throws {
    let scene = try PostScene()
    let long = String(repeating: "x", count: 1_000_000)
    _ = try scene.expectRefused(PostScene.post(PostScene.ping, "X: \(long)\r\n"), 431, -32600)
    let many = String(repeating: "X: y\r\n", count: 100_000)
    _ = try scene.expectRefused(PostScene.post(PostScene.ping, many), 431, -32600)
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(PostScene.ping) + PostScene.post(PostScene.ping, "X: \(long)\r\n"))
    #expect(try client.expectAnswer().status == 200)
    #expect(try client.expectAnswer().status == 431)
    #expect(try client.answer() == nil)
  }

  @Test func `a head and a content that do not come in time are 408`() throws {
    let scene = try PostScene(bounds: "messageMs = 300")
    let whole = PostScene.post(request(1, "m"))
    for count in [7, 20, whole.count - 40, whole.count - 1] {
      for before in [[], PostScene.post(PostScene.ping)] {
        let client = try scene.connect()
        try client.send(bytes: before + whole[..<count])
        if !before.isEmpty { #expect(try client.expectAnswer().status == 200) }
        let answer = try client.expectAnswer()
        #expect(answer.status == 408 && answer["connection"] == "close", "\(count) bytes: \(answer)")
        #expect(try client.answer() == nil)
      }
    }
    let chunks = PostScene.chunkedPost(request(1, "m"), chunkBytes: 1).dropLast(7)
    _ = try scene.expectRefused(Array(chunks), 408, -32600)
    try scene.expectUpstreamHeardNothing()
  }

  @Test func `a content that never begins is not taken for one that needs no reply`() throws {
    let scene = try PostScene(bounds: "idleMs = 300\nmessageMs = 20000")
    _ = try scene.expectRefused(PostScene.post("", length: 10), 408, -32600)
  }

  @Test func `a connection that asks nothing closes after a while`() throws {
    let scene = try PostScene(bounds: "httpIdleMs = 300")
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(PostScene.ping))
    #expect(try client.expectAnswer().status == 200)
    #expect(try client.receive() == nil)
  }

  // MARK: What the gateway refuses

  @Test func `an upstream that is not there is 503, in a batch and as an event it is an answer`() throws {
    let port = try ListeningSocket().port
    let gateway = try RunningGateway(upstream: "tcp:127.0.0.1:\(port)", reachesUpstream: false)
    let client = try gateway.connect()
    try client.send(bytes: PostScene.post(request(1, "m")))
    try gateway.awaitLog("upstream")
    let answer = try client.expectAnswer()
    #expect(answer.status == 503 && answer.content.isError(-32084, id: "1"), "\(answer)")
    #expect(answer["connection"] == "keep-alive" && answer["retry-after"] == nil)
    try client.send(bytes: PostScene.post("[\(request(1, "m"))]"))
    #expect(try client.expectAnswer().status == 200)
    try client.send(bytes: PostScene.post(request(1, "m"), "Accept: text/event-stream\r\n"))
    #expect(try client.expectAnswer().status == 200)
    try client.send(bytes: PostScene.post(PostScene.ping))
    #expect(try client.expectAnswer().content == PostScene.pong)
  }

  @Test func `an upstream that is lost under way is an answer: it may have been done`() throws {
    let scene = try PostScene()
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(request(1, "m")))
    _ = try scene.upstream.asked()
    scene.upstream.reset()
    let answer = try client.expectAnswer()
    #expect(answer.status == 200 && answer.content.isError(-32084, id: "1"), "\(answer)")
    #expect(answer.content.contains("mayHaveCompleted"))
  }

  @Test func `an upstream of a connection's own is not for a POST`() throws {
    let scene = try PostScene(
      more:
        "[[upstream]]\nname = \"own\"\naddress = \"exec:cat\"\nperConnection = true\n[[route]]\nmethod = \"own/*\"\nupstream = \"own\""
    )
    let client = try scene.connect()
    try client.send(bytes: PostScene.post(request(1, "own/x")))
    let answer = try client.expectAnswer()
    #expect(answer.status == 200 && answer.content.isError(-32600, id: "1"), "\(answer)")
    try scene.expectKept(client)
  }
}
