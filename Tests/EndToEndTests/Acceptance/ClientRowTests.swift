import TestSupport
import Testing

/// Clients that leave, take back what they asked, or speak something else.
@Suite struct ClientRowTests {
  // MARK: Leaving

  @Test(arguments: Transport.all(but: [.webSocket: .close]))
  func `after a half-close a client still hears its replies, and then the end`(transport: Transport) throws {
    let scene = try Scene(over: transport, listen: transport == .post ? #"eof = "reply""# : "")
    for id in 1...3 { try scene.client.send(request(id, "m")) }
    scene.client.finish()
    let asked = try (1...3).map { _ in try scene.upstream.asked() }
    for one in asked { try scene.upstream.answer(one.id!, "in time") }
    #expect(try scene.client.replies(3).map(\.result) == ["in time", "in time", "in time"])
    try scene.expectClosed()
  }

  @Test(arguments: Transport.all)
  func `a reset cancels each request once, and leaves nothing behind`(transport: Transport) throws {
    let scene = try Scene(over: transport)
    let keys = (1...20).map { "k\($0)" }
    for (index, key) in keys.enumerated() { try scene.client.send(request(index, "m", key: key)) }
    try scene.client.send(request(100, "queued", key: "k1", policy: "wait"))
    let asked = try keys.map { _ in try scene.upstream.asked() }
    #expect(try scene.client.isInStep())
    scene.client.leave()
    let cancels = try keys.map { _ in try scene.upstream.asked() }
    #expect(cancels.allSatisfy { $0.method == "$/cancelRequest" })
    #expect(Set(cancels.map(\.cancelled)) == Set(asked.map(\.id)))
    for one in asked { try scene.upstream.answer(one.id!, "for nobody") }
    try scene.expectOthersServed()
    try scene.expectBystanderUnharmed()
    for key in keys { #expect(try scene.taskCount(ofKey: key) == 0) }
  }

  @Test(.forLines(.commandLine), arguments: [("", 0), (#"eof = "cancel""#, 1)])
  func `a client process that exits with work in flight half-closes`(listen: String, cancels: Int) throws {
    let scene = try Scene(listen: listen)
    let program = try RunningProgram(
      Programs.lastword, ["call", "m", "--key", "k", "--to", scene.gateway.address])
    let asked = try scene.upstream.asked()
    #expect(asked.method == "m")
    program.kill()
    _ = program.exitStatus()
    for _ in 0..<cancels { #expect(try scene.upstream.asked().cancelled == asked.id) }
    // Without a cancel before it, this is the next that upstream hears.
    try scene.expectOthersServed()
    #expect(try scene.taskCount(ofKey: "k") == 1)
    try scene.upstream.answer(asked.id!, "for nobody")
    try scene.expectBystanderUnharmed()
    #expect(try scene.taskCount(ofKey: "k") == 0)
  }

  @Test(arguments: Transport.all)
  func `where the end of a client's sending is its end, each request is cancelled once`(transport: Transport)
    throws
  {
    let scene = try Scene(over: transport, listen: #"eof = "cancel""#)
    for id in 1...3 { try scene.client.send(request(id, "m", key: "k\(id)")) }
    let asked = try (1...3).map { _ in try scene.upstream.asked() }
    scene.client.finish()
    let cancels = try (1...3).map { _ in try scene.upstream.asked() }
    #expect(Set(cancels.map(\.cancelled)) == Set(asked.map(\.id)))
    for one in asked { try scene.upstream.answer(one.id!, "for nobody") }
    try scene.expectClosed(nil)
  }

  @Test(arguments: Transport.all, ["7", "8", #""7""#, "7.0", "[]", "null"])
  func `cancelling what is unknown or answered does nothing`(transport: Transport, id: String) throws {
    let scene = try Scene(over: transport)
    try scene.client.send(request(7, "m"))
    try scene.upstream.answer(scene.upstream.asked().id!, "answered")
    #expect(try scene.client.reply().result == "answered")
    try scene.client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(id)}}"#)
    try scene.client.send(#"{"jsonrpc":"2.0","method":"lastword.cancel","params":{"id":\#(id)}}"#)
    try scene.expectKept()
  }

  // MARK: Not for us

  @Test(
    .forLines(.firstBytes),
    arguments: [
      Input("no host", "GET / HTTP/1.1\r\n\r\n"),
      Input("no JSON", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"),
      Input("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    ])
  func `what is wrong with HTTP on our port is said in HTTP, and the connection ends`(input: Input) throws {
    let scene = try Scene()
    try scene.socket.send(bytes: input.bytes)
    var heard: [String] = []
    while let line = try scene.client.receive() { heard.append(line) }
    #expect(heard.first?.hasPrefix("HTTP/1.1 4") == true, "\(heard)")
    #expect(heard.contains { $0.contains("JSON") || $0.contains("jsonrpc") }, "\(heard)")
    try scene.expectClosed()
  }

  @Test(
    .forLines(.firstBytes),
    arguments: [Input("TLS hello", tlsHello), Input("SSH", "SSH-2.0-OpenSSH_9.2\r\n")])
  func `another protocol on our port is a parse error and the end of the connection`(input: Input) throws {
    let scene = try Scene()
    try scene.socket.send(bytes: input.bytes)
    try scene.expectError(-32700)
    try scene.expectClosed()
  }

  @Test(arguments: Transport.all)
  func `whoever goes on sending after its connection was ended is cut off`(transport: Transport) throws {
    let scene = try Scene(over: transport)
    let offence =
      switch transport {
      case .lines: Array("SSH-2.0-OpenSSH_9.2\n".utf8)
      case .webSocket: LineSocket.frame(WebSocketPeer.binary, [0])
      case .post: Array("POST / HTTP/1.1\r\n\r\n".utf8)
      }
    let socket = scene.socket
    try socket.send(bytes: offence)
    try expectEventually("it is told") { socket.hasNews }
    let mebibyte = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    var sentMebibytes = 0
    #expect(throws: (any Error).self) {
      while sentMebibytes < 4_096 {
        try socket.send(bytes: mebibyte)
        sentMebibytes += 1
      }
    }
    // What is forgotten, and what fits into the buffers of two sockets.
    #expect(sentMebibytes < 64)
    try scene.expectOthersServed()
  }

  /// The beginning of what TLS clients send; every one names its groups, in an extension of the number 10.
  private static let tlsHello: [UInt8] =
    [0x16, 3, 1, 0, 63, 1, 0, 0, 59, 3, 3] + [UInt8](repeating: 0xa5, count: 32)
    + [0, 0, 2, 0x13, 1, 1, 0, 0, 16, 0, 10, 0, 4, 0, 2, 0, 29, 0, 13, 0, 4, 0, 2, 4, 3]
}
