import Foundation
import TestSupport
import Testing

/// Who may open a WebSocket, and how one says who one is.
@Suite struct WebSocketAccessTests {
  private func scene(bounds: String = "", _ made: MadeToken) throws -> WebSocketScene {
    try WebSocketScene(
      bounds: bounds, listen: #"auth = "required""#, more: "[[principal]]\nname = \"ada\"\n\(made.kept)")
  }

  private func authenticate(_ peer: WebSocketPeer, _ token: String) throws -> String {
    try peer.call(request(0, "lastword.authenticate", #"{"token":"\#(token)"}"#))
  }

  private static let isAda = #"{"jsonrpc":"2.0","id":0,"result":{"principal":"ada"}}"#

  // MARK: Tokens

  @Test func `the first message says who it is`() throws {
    let made = try MadeToken()
    let scene = try scene(made)
    let peer = try scene.open()
    #expect(try peer.isInStep())
    #expect(try peer.call(request(1, "m")).isError(-32087, id: "1"))
    #expect(try authenticate(peer, made.token + "x").isError(-32087, id: "0"))
    #expect(try authenticate(peer, made.token) == Self.isAda)
    try scene.expectServed(peer)
  }

  @Test func `a field of the request says who it is, before the frames that come with it`() throws {
    let made = try MadeToken()
    let scene = try scene(made)
    let field = "Authorization: Bearer \(made.token)\r\n"
    let first = LineSocket.frame(WebSocketPeer.text, Array(request(1, "m").utf8))
    let peer = try scene.open(field, behind: first)
    try scene.upstream.answer(#require(scene.upstream.asked().id), "a")
    #expect(try peer.expect() == #"{"jsonrpc":"2.0","id":1,"result":"a"}"#, "nothing else was said")
    #expect(try authenticate(peer, made.token) == Self.isAda)
    try scene.expectServed(peer)
    try scene.expectServed(scene.open("authorization:   bearer \(made.token)  \r\n"))
  }

  @Test func `whose token is nobody's is closed with 1008, and nothing of it is done`() throws {
    let made = try MadeToken()
    let scene = try scene(made)
    let first = LineSocket.frame(WebSocketPeer.text, Array(request(1, "m").utf8))
    let peer = try scene.open("Authorization: Bearer \(made.token)x\r\n", behind: first)
    try peer.expectClose(1008)
    let other = try scene.open("Authorization: Bearer x\r\n")
    try other.expectClose(1008)
    _ = try eventually("nobody is there") {
      try scene.gateway.metrics()["lastword_client_connections"] == 0 ? true : nil
    }
    try scene.expectServed(scene.open("Authorization: Bearer \(made.token)\r\n"))
  }

  @Test func `who is known by its token and finds no room is closed with 1013`() throws {
    let made = try MadeToken()
    let scene = try WebSocketScene(
      listen: #"auth = "required""#,
      more: "[[principal]]\nname = \"ada\"\nconnections = 1\n\(made.kept)")
    let field = "Authorization: Bearer \(made.token)\r\n"
    let first = try scene.open(field)
    try scene.expectServed(first)
    try scene.open(field).expectClose(1013)
    try scene.expectServed(first)
  }

  @Test func `what is no token is refused before there is a WebSocket`() throws {
    let made = try MadeToken()
    let scene = try scene(made)
    for value in ["Bearer", "bearer ", "Bearer \(made.token) \(made.token)", "Bearer a b"] {
      #expect(try status(scene, "Authorization: \(value)\r\n") == 401, "\(value)")
    }
    // Other schemes say nothing: it may still come as the first message.
    let peer = try scene.open("Authorization: Basic abc\r\n")
    #expect(try authenticate(peer, made.token) == Self.isAda)
  }

  @Test func `two tokens are none`() throws {
    let scene = try scene(MadeToken())
    let socket = try scene.gateway.connect()
    try socket.send(
      bytes: WebSocketPeer.request("Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"))
    let status = try #require(try socket.responseHead()).status
    #expect(status == 400 || status == 401)
  }

  @Test func `who has not said who it is has small bounds`() throws {
    let made = try MadeToken()
    let scene = try scene(bounds: "unauthenticatedBytes = 1024\nauthenticateAttempts = 2", made)
    let peer = try scene.open()
    try peer.send(request(1, "lastword.ping", "[\"\(String(repeating: "x", count: 1024))\"]"))
    #expect(try peer.expect().isError(-32086, id: "null"))
    #expect(try authenticate(peer, "wrong").isError(-32087, id: "0"))
    #expect(try authenticate(peer, "wrong").isError(-32087, id: "0"))
    while let frame = try peer.socket.seenFrame() {
      if frame.opcode == WebSocketPeer.close { #expect(frame.content.prefix(2) == [3, 0xf0]) }
    }
    try scene.expectServed(scene.open("Authorization: Bearer \(made.token)\r\n"))
  }

  @Test func `who takes too long to say who it is is told so and closed`() throws {
    let scene = try scene(bounds: "authenticateMs = 300", MadeToken())
    let peer = try scene.open()
    #expect(try peer.expect().isError(-32087, id: "null"))
    try peer.expectClose(1008)
  }

  @Test func `a reload that takes a token away closes its WebSockets, and takes their work back`() throws {
    let made = try MadeToken()
    let scene = try scene(made)
    let peer = try scene.open("Authorization: Bearer \(made.token)\r\n")
    try peer.send(request(1, "m"))
    let asked = try scene.upstream.asked()
    let digits = String(made.kept.split(separator: ":")[1].prefix(64))
    try scene.reload(digits, as: String(repeating: "0", count: 64))
    #expect(try peer.expect().isError(-32087, id: "null"))
    try peer.expectClose(1008)
    #expect(try scene.upstream.asked().cancelled == asked.id)
  }

  // MARK: Pages

  private func status(_ scene: WebSocketScene, _ fields: String, without: [String] = []) throws -> Int? {
    let socket = try scene.gateway.connect()
    try socket.send(bytes: WebSocketPeer.request(fields, without: without))
    return try socket.responseHead()?.status
  }

  @Test func `only pages that are named come in, and only under names that are known`() throws {
    let scene = try WebSocketScene(
      listen: "origins = [\"https://app.example\"]\nhosts = [\"gateway.example\"]")
    #expect(try status(scene, "Origin: https://app.example\r\n") == 101)
    for origin in [
      "https://evil.example", "null", "http://app.example", "https://app.example:8443", "http://localhost",
    ] {
      #expect(try status(scene, "Origin: \(origin)\r\n") == 403, "\(origin)")
    }
    #expect(try status(scene, "Sec-Fetch-Site: cross-site\r\n") == 403)
    #expect(try status(scene, "Host: gateway.example\r\n", without: ["Host"]) == 101)
    #expect(try status(scene, "Host: evil.example\r\n", without: ["Host"]) == 421)
    // Cookies say nothing about anybody.
    #expect(try status(scene, "Cookie: a=b\r\n") == 101)
  }

  @Test func `by default no page comes in`() throws {
    let scene = try WebSocketScene()
    #expect(try status(scene, "Origin: http://localhost:3000\r\n") == 403)
    #expect(try status(scene, "Origin: http://\(scene.gateway.address)\r\n") == 403)
    #expect(try status(scene, "") == 101)
  }

  @Test func `origins of a new configuration count for the next handshake`() throws {
    let scene = try WebSocketScene(listen: "origins = [\"https://old.example\"]")
    let old = try scene.open("Origin: https://old.example\r\n")
    try scene.reload("https://old.example", as: "https://new.example")
    #expect(try status(scene, "Origin: https://old.example\r\n") == 403)
    #expect(try status(scene, "Origin: https://new.example\r\n") == 101)
    try scene.expectServed(old)
  }

  // MARK: Other ways

  @Test func `a Unix socket carries WebSockets, too`() throws {
    let scene = try WebSocketScene(isUnix: true)
    let peer = try scene.open()
    #expect(try peer.isInStep())
    try scene.expectServed(peer)
    try peer.sendClose(1000)
    try scene.expectClosed(peer, 1000)
  }

  @Test func `a WebSocket under TLS is served, closed, and told when the gateway goes`() throws {
    let scene = try SecureScene(bounds: "messageBytes = 4194304")
    let body = #"""
      import struct
      upgrade = "Host: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      s.sendall(("GET / HTTP/1.1\r\n" + upgrade + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
      say(lines.readline().decode().rstrip())
      while lines.readline() != b"\r\n": pass
      def frame(opcode, content):
          count = len(content)
          long = count > 65535
          length = b"\xff" + struct.pack(">Q", count) if long else b"\xfe" + struct.pack(">H", count)
          if count < 126: length = bytes([0x80 | count])
          s.sendall(bytes([0x80 | opcode]) + length + bytes(4) + content)
      def seen():
          first, length = lines.read(2)
          if length == 126: length, = struct.unpack(">H", lines.read(2))
          if length == 127: length, = struct.unpack(">Q", lines.read(8))
          return first, lines.read(length)
      def whole():
          first, content = seen()
          while not first & 0x80:
              first, more = seen()
              content += more
          return content
      frame(1, b'{"jsonrpc":"2.0","id":1,"method":"echo","params":["a"]}')
      say(seen()[1].decode())
      frame(1, b'{"jsonrpc":"2.0","id":2,"method":"echo","params":["' + b"x" * 3000000 + b'"]}')
      say(len(whole()))
      frame(9, b"still there")
      say(seen())
      """#
    let closing = try scene.python(body + "\nframe(8, b\"\\x03\\xe8bye\")\nsay(seen(), lines.read())")
    let answers = [
      "HTTP/1.1 101 Switching Protocols", #"{"jsonrpc":"2.0","id":1,"result":["a"]}"#, "3000038",
      "(138, b'still there')",
    ]
    for answer in answers { #expect(closing.outputLine() == answer) }
    #expect(closing.outputLine() == #"(136, b'\x03\xe8') b''"#)
    let staying = try scene.python(body + "\nsay(seen(), lines.read())")
    for answer in answers { #expect(staying.outputLine() == answer) }
    scene.gateway.program.signal(SIGTERM)
    #expect(staying.outputLine() == #"(136, b'\x03\xe9') b''"#)
  }
}
