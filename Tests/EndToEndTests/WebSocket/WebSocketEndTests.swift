import Foundation
import TestSupport
import Testing

/// How a WebSocket ends, from either side, and what that takes back.
@Suite struct WebSocketEndTests {
  // MARK: The client's end

  /// What a client does to leave.
  enum Leaving: CaseIterable {
    case close
    case fin
    case reset
    case fault
  }

  @Test(arguments: Leaving.allCases)
  func `whoever leaves takes back what is under way, whatever eof says`(leaving: Leaving) throws {
    let scene = try WebSocketScene(listen: #"eof = "reply""#)
    let peer = try scene.open()
    try peer.send(request(1, "m"))
    try peer.send(request(2, "m", key: "k"))
    let asked = try (1...2).map { _ in try scene.upstream.asked() }
    switch leaving {
    case .close: try peer.sendClose(1001)
    case .fin: peer.socket.finish()
    case .reset: peer.socket.reset()
    case .fault: try peer.send(WebSocketPeer.binary, [0])
    }
    let cancels = try (1...2).map { _ in try scene.upstream.asked().cancelled }
    #expect(Set(cancels) == Set(asked.map(\.id)))
    switch leaving {
    case .close: try peer.expectClose(1001)
    case .fin: #expect(try peer.socket.seenFrame() == nil)
    case .reset: break
    case .fault: try peer.expectClose(1003)
    }
    try scene.expectServed(scene.open())
    _ = try eventually("nobody is there") {
      try scene.gateway.metrics()["lastword_client_connections"] == 0 ? true : nil
    }
  }

  @Test func `what stands before a Close is done, and what stands behind it is not`() throws {
    let scene = try WebSocketScene()
    let peer = try scene.open()
    let told = Array(#"{"jsonrpc":"2.0","method":"told"}"#.utf8)
    let frame = LineSocket.frame(WebSocketPeer.text, told)
    try peer.socket.send(
      bytes: frame + LineSocket.frame(WebSocketPeer.close, [3, 0xe8])
        + LineSocket.frame(WebSocketPeer.text, Array(request(1, "late").utf8)))
    try peer.expectClose(1000)
    #expect(try scene.upstream.asked().method == "told")
    try scene.expectServed(scene.open())
  }

  @Test func `half a message at the end is none`() throws {
    let scene = try WebSocketScene()
    let peer = try scene.open()
    let bytes = Array(request(1, "half").utf8)
    try peer.send(WebSocketPeer.text, bytes, isLast: false)
    try peer.sendClose(1000)
    try peer.expectClose(1000)
    let other = try scene.open()
    try other.socket.send(bytes: Array(LineSocket.frame(WebSocketPeer.text, bytes).dropLast()))
    other.socket.finish()
    #expect(try other.socket.seenFrame() == nil)
    try scene.expectServed(scene.open())
  }

  @Test func `a Close gets its answer behind what was said before, in the middle of a long text`() throws {
    let scene = try WebSocketScene(bounds: "messageBytes = 16777216\nclientOutputHardBytes = 67108864")
    let peer = try scene.open()
    try peer.send(request(1, "m"))
    let large = String(repeating: "x", count: 8 << 20)
    try scene.upstream.answer(#require(scene.upstream.asked().id), large)
    // Its beginning has come, and nobody reads the rest.
    _ = try eventually("it comes") { peer.socket.hasNews ? true : nil }
    try peer.sendClose(1000)
    var last: SeenFrame?
    while let frame = try peer.socket.seenFrame() { last = frame }
    #expect(last?.opcode == WebSocketPeer.close)
  }

  // MARK: The gateway's end

  @Test func `a gateway that stops answers what is open, and then says that it goes`() throws {
    let scene = try WebSocketScene(bounds: "", listen: "")
    let (peer, idle) = (try scene.open(), try scene.open())
    #expect(try idle.isInStep())
    try peer.send(request(1, "m"))
    let asked = try scene.upstream.asked()
    scene.gateway.program.signal(SIGTERM)
    try scene.gateway.awaitLog("draining")
    #expect(try peer.call(request(2, "late")).isError(-32085, id: "2"))
    try scene.upstream.answer(#require(asked.id), "in time")
    #expect(try peer.reply().result == "in time")
    try peer.expectClose(1001)
    try idle.expectClose(1001)
    #expect(scene.gateway.program.exitStatus() == 0)
  }

  @Test func `where there is no room for one more, it is told in words and closed`() throws {
    let scene = try WebSocketScene(
      listen: #"auth = "required""#,
      more: "[[principal]]\nname = \"ada\"\nconnections = 1\nusers = [\"\(getuid())\"]", isUnix: true,
      // Each loop has room for one.
      environment: RunningGateway.oneLoop)
    // It is one of HTTP at first, which are none of their principal's.
    let socket = try scene.gateway.connect()
    try socket.send(bytes: Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    let head = try #require(try socket.responseHead())
    _ = try socket.taken(Int(head.fields["content-length"] ?? "") ?? 0)
    let other = try scene.gateway.connect()
    #expect(try other.isInStep())
    let peer = try WebSocketPeer(socket)
    #expect(try peer.expect().isError(-32082, id: "null"))
    try peer.expectClose(1013)
    other.finish()
    #expect(try other.receive() == nil)
    let last = try scene.open()
    #expect(try last.isInStep())
  }

  // MARK: Keeping it alive

  @Test func `who says nothing is asked, and is cut off without an answer`() throws {
    let scene = try WebSocketScene(bounds: "pingMs = 200")
    let peer = try scene.open()
    try peer.send(request(1, "m"))
    let asked = try scene.upstream.asked()
    #expect(try peer.socket.seenFrame() == SeenFrame(WebSocketPeer.ping, []))
    #expect(try scene.upstream.asked().cancelled == asked.id)
    #expect(try peer.socket.seenFrame() == nil)
  }

  @Test func `who answers is kept, as is who says anything else`() throws {
    let scene = try WebSocketScene(bounds: "pingMs = 200")
    let peer = try scene.open()
    for round in 0..<6 {
      #expect(try peer.socket.seenFrame() == SeenFrame(WebSocketPeer.ping, []))
      if round % 2 == 0 { try peer.send(WebSocketPeer.pong, []) } else { #expect(try peer.isInStep()) }
    }
    try scene.expectServed(peer)
  }

  @Test func `a reload has those asked who are there already`() throws {
    let scene = try WebSocketScene(bounds: "pingMs = 0")
    let peer = try scene.open()
    #expect(try peer.isInStep())
    try scene.reload("pingMs = 0", as: "pingMs = 100")
    #expect(try peer.socket.seenFrame() == SeenFrame(WebSocketPeer.ping, []))
  }

  @Test func `who reads a long reply slowly is not cut off, though it says nothing`() throws {
    let scene = try WebSocketScene(
      bounds: "pingMs = 2000\nmessageBytes = 16777216\nclientOutputHardBytes = 67108864")
    let peer = try scene.open()
    try peer.send(request(1, "m"))
    let large = String(repeating: "x", count: 12 << 20)
    try scene.upstream.answer(#require(scene.upstream.asked().id), large)
    // It takes much longer than it would take to ask, and to wait for an answer; each pause is much shorter.
    var seen = 0
    while seen < large.utf8.count {
      seen += try #require(try peer.socket.taken(64 * 1024)).count
      usleep(40_000)
    }
    #expect(seen >= large.utf8.count)
  }
}
