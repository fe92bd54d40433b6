import Foundation
import TestSupport
import Testing

/// HTTP requests that ask for a WebSocket, right and wrong.
@Suite struct WebSocketHandshakeTests {
  private let scene: WebSocketScene

  init() throws { scene = try WebSocketScene() }

  private func head(_ request: [UInt8]) throws -> (status: Int, fields: [String: String])? {
    let socket = try scene.gateway.connect()
    try socket.send(bytes: request)
    return try socket.responseHead()
  }

  @Test func `the response is the one of the standard's example, and chooses no more than was offered`()
    throws
  {
    let plain = try scene.open()
    #expect(
      plain.fields == [
        "upgrade": "websocket", "connection": "Upgrade", "sec-websocket-accept": WebSocketPeer.accept,
      ])
    try scene.expectServed(plain)
    let offering = try scene.open(
      "Sec-WebSocket-Protocol: chat, lastword.1\r\nSec-WebSocket-Extensions: permessage-deflate\r\n")
    #expect(offering.fields["sec-websocket-protocol"] == "lastword.1")
    #expect(offering.fields["sec-websocket-extensions"] == nil)
    try scene.expectServed(offering)
    #expect(
      try scene.open("Sec-WebSocket-Protocol: LASTWORD.1, x\r\n").fields["sec-websocket-protocol"] == nil)
  }

  @Test func `another version is told the right one`() throws {
    for version in ["8", "14", "13, 8", ""] {
      let request = WebSocketPeer.request(
        "Sec-WebSocket-Version: \(version)\r\n", without: ["Sec-WebSocket-Version"])
      let head = try #require(try head(request))
      #expect(head.status == 426 && head.fields["sec-websocket-version"] == "13", "\(version): \(head)")
      #expect(
        head.fields["upgrade"] == "websocket" && head.fields["connection"]?.contains("close") == true,
        "\(head)")
    }
    let none = try #require(try head(WebSocketPeer.request(without: ["Sec-WebSocket-Version"])))
    #expect(none.status == 426)
    let twice = try #require(try head(WebSocketPeer.request("Sec-WebSocket-Version: 13\r\n")))
    #expect(twice.status == 426)
  }

  @Test(arguments: [
    "", "Sec-WebSocket-Key: c2hvcnQ=\r\n", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=\r\n",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZ!==\r\n", "Sec-WebSocket-Key:\r\n",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
  ])
  func `a key that is missing, wrong or there twice is refused`(field: String) throws {
    let socket = try scene.gateway.connect()
    try socket.send(bytes: WebSocketPeer.request(field, without: ["Sec-WebSocket-Key"]))
    let head = try #require(try socket.responseHead())
    #expect(head.status == 400)
    let length = try #require(Int(head.fields["content-length"] ?? ""))
    let content = try #require(try socket.taken(length))
    #expect(String(decoding: content, as: UTF8.self).isError(-32600, id: "null"))
    #expect(try socket.receive() == nil)
  }

  @Test func `what asks for no upgrade is answered as HTTP`() throws {
    // RFC 9110 section 7.8: HTTP/1.0 knows none, and both fields have to be there.
    #expect(try head(WebSocketPeer.request(line: "GET / HTTP/1.0"))?.status == 200)
    #expect(
      try head(WebSocketPeer.request("Connection: keep-alive\r\n", without: ["Connection"]))?.status == 404)
    #expect(try head(WebSocketPeer.request(without: ["Upgrade"]))?.status == 404)
    #expect(try head(WebSocketPeer.request("Upgrade: h2c\r\n", without: ["Upgrade"]))?.status == 404)
    #expect(try head(WebSocketPeer.request(line: "HEAD / HTTP/1.1"))?.status == 400)
    #expect(try head(WebSocketPeer.request(line: "OPTIONS * HTTP/1.1"))?.status == 400)
    // A POST is one, whatever it asks for besides.
    let ping = #"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#
    let post = WebSocketPeer.request(
      "Content-Type: application/json\r\nContent-Length: \(ping.utf8.count)\r\n", line: "POST / HTTP/1.1")
    #expect(try head(post + Array(ping.utf8))?.status == 200)
    #expect(try head(WebSocketPeer.request(line: "GET / HTTP/1.1", without: ["Host"]))?.status == 400)
    // Names have no size, and lists may have spaces.
    let strange = WebSocketPeer.request(
      "upgrade: h2c , WebSocket\r\nCONNECTION: foo ,UPGRADE\r\n", without: ["Upgrade", "Connection"])
    #expect(try head(strange)?.status == 101)
  }

  @Test func `a request in single bytes, and frames that come with it, are read alike`() throws {
    let socket = try scene.gateway.connect()
    socket.sendAtOnce()
    for byte in WebSocketPeer.request() { try socket.send(bytes: [byte]) }
    #expect(try socket.responseHead()?.status == 101)
    let ping = #"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#
    let frame = LineSocket.frame(WebSocketPeer.text, Array(ping.utf8))
    for cut in 0...frame.count {
      let peer = try scene.open(behind: Array(frame[..<cut]))
      try peer.socket.send(bytes: Array(frame[cut...]))
      #expect(try peer.expect() == #"{"jsonrpc":"2.0","id":1,"result":null}"#, "cut at \(cut)")
      #expect(try peer.isInStep())
    }
  }

  @Test func `a connection that has asked by HTTP before may become a WebSocket`() throws {
    let socket = try scene.gateway.connect()
    let ping = #"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#
    let post = """
      POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
      Content-Length: \(ping.utf8.count)\r\n\r\n\(ping)
      """
    let text = LineSocket.frame(WebSocketPeer.text, Array(ping.utf8))
    try socket.send(bytes: Array(post.utf8) + WebSocketPeer.request() + text)
    let head = try #require(try socket.responseHead())
    #expect(head.status == 200)
    _ = try socket.taken(Int(head.fields["content-length"] ?? "") ?? 0)
    #expect(try socket.responseHead()?.status == 101)
    #expect(try socket.seenFrame()?.content == Array(#"{"jsonrpc":"2.0","id":1,"result":null}"#.utf8))
  }

  @Test func `where protocols leave WebSockets out, the request is one of HTTP`() throws {
    let scene = try WebSocketScene(listen: #"protocols = ["lines", "http"]"#)
    let socket = try scene.gateway.connect()
    try socket.send(bytes: WebSocketPeer.request())
    #expect(try socket.responseHead()?.status == 404)
    let alone = try WebSocketScene(listen: #"protocols = ["websocket"]"#)
    let peer = try WebSocketPeer(alone.gateway.connect())
    #expect(try peer.isInStep())
    let post = try alone.gateway.connect()
    try post.send(bytes: Array("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}".utf8))
    let head = try #require(try post.responseHead())
    #expect(head.status == 426 && head.fields["upgrade"] == "websocket")
  }
}
