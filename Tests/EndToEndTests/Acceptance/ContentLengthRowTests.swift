import TestSupport
import Testing

/// Messages with a header before them.
@Suite(.forLines(.headers)) struct ContentLengthRowTests {
  private static let ping = #"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#
  private static let pong = #"{"jsonrpc":"2.0","id":1,"result":null}"#

  static let badHeaders: [Input] = [
    header("no length", "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n"),
    header("-1", "Content-Length: -1\r\n\r\n"), header("+5", "Content-Length: +5\r\n\r\n"),
    header("0x5", "Content-Length: 0x5\r\n\r\n"), header("12abc", "Content-Length: 12abc\r\n\r\n"),
    header("1 2", "Content-Length: 1 2\r\n\r\n"), header("nothing", "Content-Length: \r\n\r\n"),
    header("2^63", "Content-Length: 9223372036854775808\r\n\r\n"),
    header("40 digits", "Content-Length: \(String(repeating: "9", count: 40))\r\n\r\n"),
    header("two lengths", "Content-Length: 49\r\nContent-Length: 50\r\n\r\n"),
    header("two equal lengths", "Content-Length: 49\r\ncontent-length: 49\r\n\r\n"),
    header("a bare LF after the field", "Content-Length: 49\n\r\n"),
    header("a bare LF for the empty line", "Content-Length: 49\r\n\n"),
    header(
      "8 KiB and a byte", "Content-Length: 49\r\nC: \(String(repeating: "x", count: 8192 - 26))\r\n\r\n"),
    header("a header without end", "C: \(String(repeating: "x", count: 9000))"),
    header("no method that is known", "COPY /a HTTP/1.1\r\nHost: example.org\r\n\r\n"),
  ]

  private static func header(_ name: String, _ text: String) -> Input { Input(name, text + ping) }

  @Test(arguments: badHeaders)
  func `a bad header is a parse error and the end of the connection`(input: Input) throws {
    let scene = try Scene()
    try scene.socket.send(bytes: input.bytes)
    let answer = try scene.socket.expectFrame()
    #expect(answer.isError(-32700, id: "null"), "\(answer)")
    try scene.expectClosed()
  }

  @Test func `a bad header after a good message ends the connection, too`() throws {
    let scene = try Scene()
    try scene.socket.send(frame: Self.ping)
    #expect(try scene.socket.expectFrame() == Self.pong)
    try scene.socket.send(bytes: Array((Self.ping + "\n").utf8))
    #expect(try scene.socket.expectFrame().isError(-32700, id: "null"))
    try scene.expectClosed()
  }

  @Test(arguments: [
    "Content-Length: 49\r\n\r\n", "content-length:49\r\n\r\n", "CONTENT-LENGTH: \t049 \r\n\r\n",
    "Content-Type: x\r\nContent-Length: 49\r\n\r\n",
    "Content-Length: 49\r\nC: \(String(repeating: "x", count: 8192 - 27))\r\n\r\n",
  ])
  func `a good header is served, up to 8 KiB`(header: String) throws {
    let scene = try Scene()
    try scene.socket.send(bytes: Array((header + Self.ping).utf8))
    #expect(try scene.socket.expectFrame() == Self.pong)
    try scene.expectFramesKept()
  }

  @Test func `a body over the limit is skipped and never stored`() throws {
    let (bodyBytes, growthBytes) = (128 * 1024 * 1024, 8 * 1024 * 1024)
    let scene = try Scene()
    let before = try scene.gateway.program.peakResidentBytes()
    try scene.socket.send(bytes: Array("Content-Length: \(bodyBytes)\r\n\r\n".utf8))
    #expect(try scene.socket.expectFrame().isError(-32086, id: "null"))
    let part = [UInt8](repeating: 0x0a, count: 1024 * 1024)
    for _ in 0..<bodyBytes / part.count { try scene.socket.send(bytes: part) }
    try scene.expectFramesKept()
    #expect(try scene.gateway.program.peakResidentBytes() - before < growthBytes)
  }

  @Test func `a body one byte over the limit is skipped, and one of the limit is served`() throws {
    let scene = try Scene(bounds: "messageBytes = 1024")
    for (extra, code) in [(1, -32086), (0, nil)] {
      let start = #"{"jsonrpc":"2.0","id":1,"method":"lastword.ping","params":[""#
      let count = 1024 - start.utf8.count - 3 + extra
      try scene.socket.send(frame: start + String(repeating: "x", count: count) + "\"]}")
      #expect(try Reply(scene.socket.expectFrame()).code == code)
    }
    try scene.expectFramesKept()
  }

  @Test(arguments: ["{", "", " ", "\r\n", "nothing", "{\"jsonrpc\":\"2.0\",}", "\u{FEFF}{}"])
  func `a body that is no JSON is a parse error, and the next one is served`(body: String) throws {
    let scene = try Scene()
    try scene.socket.send(frame: body)
    #expect(try scene.socket.expectFrame().isError(-32700, id: "null"))
    try scene.expectFramesKept()
  }

  @Test func `one byte a segment is served`() throws {
    let scene = try Scene()
    scene.socket.sendAtOnce()
    let body = request(1, "m", "[1]")
    for byte in Array("Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8) {
      try scene.socket.send(bytes: [byte])
    }
    let line = try scene.upstream.expect()
    let id = try #require(line.upstreamID)
    #expect(line == #"{"jsonrpc":"2.0","id":\#(id),"method":"m","params":[1]}"#)
    try scene.upstream.answer(id, "whole")
    #expect(try scene.socket.expectFrame() == #"{"jsonrpc":"2.0","id":1,"result":"whole"}"#)
    try scene.expectFramesKept()
  }

  @Test func `a hundred frames in a segment are served`() throws {
    let scene = try Scene()
    let frames = (1...100).map { id -> String in
      let body = request(id, "m\(id)")
      return "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
    try scene.socket.send(bytes: Array(frames.joined().utf8))
    let asked = try frames.map { _ in try scene.upstream.asked() }
    #expect(asked.map(\.method) == (1...100).map { "m\($0)" })
    for one in asked { try scene.upstream.answer(one.id!, one.method) }
    for id in 1...100 {
      #expect(try scene.socket.expectFrame() == #"{"jsonrpc":"2.0","id":\#(id),"result":"m\#(id)"}"#)
    }
    try scene.expectFramesKept()
  }

  @Test func `a batch in a frame is answered in one`() throws {
    let scene = try Scene()
    try scene.socket.send(frame: "[\(Self.ping),\n\(request(2, "m"))]")
    try scene.upstream.answer(scene.upstream.asked().id!, "framed")
    #expect(
      try scene.socket.expectFrame() == #"[\#(Self.pong),{"jsonrpc":"2.0","id":2,"result":"framed"}]"#)
    try scene.socket.send(frame: "[]")
    #expect(try scene.socket.expectFrame().isError(-32600, id: "null"))
    try scene.expectFramesKept()
  }

  @Test(arguments: ["Content-Length: 60\r\n\r\n" + request(1, "m"), "Content-Length: 49\r\n", "Con"])
  func `an end in the middle of a frame is told of and closes, and nothing is forwarded`(text: String) throws
  {
    let scene = try Scene()
    try scene.socket.send(bytes: Array(text.utf8))
    scene.socket.finish()
    #expect(try scene.socket.expectFrame().isError(-32700, id: "null"))
    try scene.expectClosed()
  }

  @Test func `line breaks between tokens do not make two messages of one`() throws {
    let scene = try Scene()
    try scene.socket.send(
      frame:
        "{\"jsonrpc\":\"2.0\",\r\n\"id\":1,\"method\":\"m\",\n\"params\":[1,\r\n{\"jsonrpc\":\"2.0\"}]\n}")
    let line = try scene.upstream.expect()
    let id = try #require(line.upstreamID)
    #expect(line == #"{"jsonrpc":"2.0","id":\#(id),"method":"m","params":[1,  {"jsonrpc":"2.0"}]}"#)
    try scene.upstream.answer(id, "one")
    #expect(try scene.socket.expectFrame() == #"{"jsonrpc":"2.0","id":1,"result":"one"}"#)
    try scene.expectFramesKept()
  }
}
