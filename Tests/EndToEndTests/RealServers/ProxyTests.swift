import TestSupport
import Testing

extension RealServerTests {
  /// Clients that come through a proxy of HTTP, over connections that it shares among them.
  @Suite struct ProxyTests {
    private static let session = "Lastword-Session: 0123456789abcdefghijkl\r\n"

    private func scene(
      _ kind: Proxy.Kind, bounds: String = "", listen: String = ""
    ) throws -> (scene: PostScene, proxy: Proxy) {
      let scene = try PostScene(bounds: bounds, listen: listen)
      return (scene, try Proxy(kind, before: scene.gateway.address))
    }

    @Test(arguments: Proxy.Kind.allCases)
    func `a POST is answered, and so is the next over the same connection`(kind: Proxy.Kind) throws {
      let (scene, proxy) = try scene(kind)
      for _ in 0..<3 {
        let client = try LineSocket(proxy.address)
        for id in 1...3 {
          try client.send(bytes: PostScene.post(request(id, "m")))
          try scene.upstream.answer(#require(scene.upstream.asked().id), "done")
          let answer = try client.expectAnswer()
          #expect(answer.status == 200, "\(answer)")
          #expect(answer.content == #"{"jsonrpc":"2.0","id":\#(id),"result":"done"}"# + "\n")
        }
        try client.send(bytes: PostScene.post("{"))
        #expect(try client.expectAnswer().status == 400)
      }
    }

    @Test(arguments: Proxy.Kind.allCases)
    func `who leaves the proxy takes the request back, and the others' stay`(kind: Proxy.Kind) throws {
      let (scene, proxy) = try scene(kind)
      let staying = try LineSocket(proxy.address)
      try staying.send(bytes: PostScene.post(request(1, "m")))
      let kept = try #require(scene.upstream.asked().id)
      for leave in [LineSocket.close, LineSocket.reset] {
        let leaving = try LineSocket(proxy.address)
        try leaving.send(bytes: PostScene.post(request(2, "m")))
        let id = try #require(scene.upstream.asked().id)
        leave(leaving)()
        #expect(try scene.upstream.asked().cancelled == id)
      }
      try scene.upstream.answer(kept, "done")
      #expect(try staying.expectAnswer().content == #"{"jsonrpc":"2.0","id":1,"result":"done"}"# + "\n")
    }

    @Test(arguments: Proxy.Kind.allCases)
    func `keys are those of a session, whichever connections its POSTs come over`(kind: Proxy.Kind) throws {
      let (scene, proxy) = try scene(kind, listen: #"scope = "connection""#)
      // The proxy has connections to share from now on.
      for _ in 0..<3 {
        let client = try LineSocket(proxy.address)
        try client.send(bytes: PostScene.post(PostScene.ping))
        #expect(try client.expectAnswer().content == PostScene.pong)
      }
      func ask(_ id: Int, _ fields: String) throws -> (client: LineSocket, asked: Int) {
        let client = try LineSocket(proxy.address)
        try client.send(
          bytes: PostScene.post(request(id, "m", key: "box", policy: "cancel"), fields))
        return (client, try #require(scene.upstream.asked().id))
      }
      let stranger = try ask(1, "")
      let older = try ask(2, Self.session)
      let newest = try LineSocket(proxy.address)
      try newest.send(
        bytes: PostScene.post(request(3, "m", key: "box", policy: "cancel"), Self.session))
      let superseded = try older.client.expectAnswer()
      #expect(superseded.status == 200 && superseded.content.isError(-32080, id: "2"), "\(superseded)")
      #expect(try scene.upstream.asked().cancelled == older.asked)
      try scene.upstream.answer(#require(scene.upstream.asked().id), "newest")
      #expect(try newest.expectAnswer().content.contains(#""result":"newest""#))
      try scene.upstream.answer(stranger.asked, "another's")
      #expect(try stranger.client.expectAnswer().content.contains(#""result":"another's""#))
    }

    @Test(arguments: Proxy.Kind.allCases)
    func `a WebSocket passes, and its end takes back what is under way`(kind: Proxy.Kind) throws {
      let (scene, proxy) = try scene(kind)
      for closes in [true, false] {
        let peer = try WebSocketPeer(LineSocket(proxy.address), "Sec-WebSocket-Protocol: lastword.1\r\n")
        #expect(peer.fields["sec-websocket-protocol"] == "lastword.1")
        try peer.send(request(1, "m"))
        try scene.upstream.answer(#require(scene.upstream.asked().id), "done")
        #expect(try peer.expect() == #"{"jsonrpc":"2.0","id":1,"result":"done"}"#)
        try peer.send(request(2, "m"))
        let id = try #require(scene.upstream.asked().id)
        if closes { try peer.sendClose(1000) } else { peer.socket.close() }
        #expect(try scene.upstream.asked().cancelled == id)
      }
    }

    @Test(arguments: Proxy.Kind.allCases)
    func `what an event stream says arrives at once`(kind: Proxy.Kind) throws {
      let (scene, proxy) = try scene(kind, bounds: "eventCommentMs = 100")
      let client = try LineSocket(proxy.address)
      try client.send(bytes: PostScene.post(request(1, "m"), "Accept: text/event-stream\r\n"))
      let id = try #require(scene.upstream.asked().id)
      // The reply is not there yet: nothing else could have brought them.
      for _ in 0..<2 { while try client.expect() != ":" {} }
      try scene.upstream.answer(id, "done")
      while try client.expect() != #"data: {"jsonrpc":"2.0","id":1,"result":"done"}"# {}
    }
  }
}
