import TestSupport
import Testing

/// Clients that leave, stop reading, stop sending or are none.
@Suite struct ClientRowTests {
  // MARK: Leaving

  @Test func `after a half-close a client still hears its replies, and then the end`() throws {
    let scene = try Scene()
    for id in 1...3 { try scene.client.send(request(id, "m")) }
    scene.client.finish()
    let asked = try (1...3).map { _ in try scene.upstream.asked() }
    for one in asked { try scene.upstream.answer(one.id!, "in time") }
    #expect(try scene.client.replies(3).map(\.result) == ["in time", "in time", "in time"])
    try scene.expectClosed()
  }

  @Test func `a reset cancels each request once, and leaves nothing behind`() throws {
    let scene = try Scene()
    let keys = (1...20).map { "k\($0)" }
    for (index, key) in keys.enumerated() { try scene.client.send(request(index, "m", key: key)) }
    try scene.client.send(request(100, "queued", key: "k1", policy: "wait"))
    let asked = try keys.map { _ in try scene.upstream.asked() }
    #expect(try scene.client.isInStep())
    scene.client.reset()
    let cancels = try keys.map { _ in try scene.upstream.asked() }
    #expect(cancels.allSatisfy { $0.method == "$/cancelRequest" })
    #expect(Set(cancels.map(\.cancelled)) == Set(asked.map(\.id)))
    for one in asked { try scene.upstream.answer(one.id!, "for nobody") }
    try scene.expectOthersServed()
    try scene.expectBystanderUnharmed()
    for key in keys { #expect(try scene.taskCount(ofKey: key) == 0) }
  }

  @Test(arguments: [("", 0), (#"eof = "cancel""#, 1)])
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

  @Test func `where the end of a client's sending is its end, each request is cancelled once`() throws {
    let scene = try Scene(listen: #"eof = "cancel""#)
    for id in 1...3 { try scene.client.send(request(id, "m", key: "k\(id)")) }
    let asked = try (1...3).map { _ in try scene.upstream.asked() }
    scene.client.finish()
    let cancels = try (1...3).map { _ in try scene.upstream.asked() }
    #expect(Set(cancels.map(\.cancelled)) == Set(asked.map(\.id)))
    for one in asked { try scene.upstream.answer(one.id!, "for nobody") }
    try scene.expectClosed()
  }

  @Test(arguments: ["7", "8", #""7""#, "7.0", "[]", "null"])
  func `cancelling what is unknown or answered does nothing`(id: String) throws {
    let scene = try Scene()
    try scene.client.send(request(7, "m"))
    try scene.upstream.answer(scene.upstream.asked().id!, "answered")
    #expect(try scene.client.reply().result == "answered")
    try scene.client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":\#(id)}}"#)
    try scene.client.send(#"{"jsonrpc":"2.0","method":"lastword.cancel","params":{"id":\#(id)}}"#)
    try scene.expectKept()
  }

  // MARK: Not for us

  @Test(arguments: [
    Input("GET", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    Input("POST", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"),
    Input("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), Input("TLS hello", tlsHello),
    Input("SSH", "SSH-2.0-OpenSSH_9.2\r\n"),
  ])
  func `another protocol on our port is a parse error and the end of the connection`(input: Input) throws {
    let scene = try Scene()
    try scene.client.send(bytes: input.bytes)
    try scene.expectError(-32700)
    try scene.expectClosed()
  }

  /// The beginning of what TLS clients send; every one names its groups, in an extension of the number 10.
  private static let tlsHello: [UInt8] =
    [0x16, 3, 1, 0, 63, 1, 0, 0, 59, 3, 3] + [UInt8](repeating: 0xa5, count: 32)
    + [0, 0, 2, 0x13, 1, 1, 0, 0, 16, 0, 10, 0, 4, 0, 2, 0, 29, 0, 13, 0, 4, 0, 2, 4, 3]

  // MARK: Slow

  @Test(arguments: [#"{"jsonrpc":"2.0","id":1,"#, "Content-Length: 49\r\n\r\n{", "Content-Le"])
  func `half a message is waited for only so long`(text: String) throws {
    let scene = try Scene(bounds: "messageMs = 300")
    try scene.client.send(bytes: Array(text.utf8))
    try scene.expectClosed()
  }

  @Test(arguments: [#"{"jsonrpc":"2.0","id":1,"method":""#, "Content-Length: 4000000\r\n\r\n"])
  func `bytes that drip do not put the deadline off`(start: String) throws {
    let scene = try Scene(bounds: "messageMs = 300")
    try scene.client.send(bytes: Array(start.utf8))
    let watchdog = ContinuousClock.now + .seconds(10)
    while !scene.client.isClosedByPeer(), ContinuousClock.now < watchdog {
      _ = try? scene.client.send(bytes: [UInt8(ascii: "x")])
      try scene.passTurns(1)
    }
    #expect(scene.client.isClosedByPeer())
    try scene.expectOthersServed()
    try scene.expectBystanderUnharmed()
  }

  @Test func `a connection that says nothing at all is waited for only so long`() throws {
    let scene = try Scene(bounds: "firstByteMs = 300")
    try scene.expectClosed()
  }

  @Test func `an endless line is refused at the limit and never stored`() throws {
    let (lineBytes, growthBytes) = (128 * 1024 * 1024, 16 * 1024 * 1024)
    let scene = try Scene()
    let before = try scene.gateway.program.peakResidentBytes()
    let part = [UInt8](repeating: UInt8(ascii: "x"), count: 1024 * 1024)
    try scene.client.send(bytes: Array(#"{"jsonrpc":"2.0","id":1,"method":""#.utf8))
    for _ in 0..<5 { try scene.client.send(bytes: part) }
    try scene.expectError(-32086)
    for _ in 0..<lineBytes / part.count { try scene.client.send(bytes: part) }
    #expect(!scene.client.isClosedByPeer())
    try scene.client.send("")
    try scene.expectKept()
    #expect(try scene.gateway.program.peakResidentBytes() - before < growthBytes)
  }

  // MARK: Not reading

  @Test func `a client that does not read is not read from, and is served again when it does`() throws {
    let (mostBytes, growthBytes, turns) = (64 * 1024 * 1024, 4 * 1024 * 1024, 200)
    let scene = try Scene(bounds: "clientOutputSoftBytes = 65536")
    let before = try scene.gateway.program.peakResidentBytes()
    let ping = Array((#"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"# + "\n").utf8)
    let many = Array(repeatElement(ping, count: 1000).joined())
    var sentBytes = 0
    var turnsBlocked = 0
    while turnsBlocked < turns && sentBytes < mostBytes {
      let count = try scene.client.sendSome(many[(sentBytes % many.count)...])
      sentBytes += count
      turnsBlocked = count == 0 ? turnsBlocked + 1 : 0
      if count == 0 { try scene.passTurns(1) }
    }
    #expect(sentBytes < mostBytes, "it went on reading")
    #expect(try scene.gateway.program.peakResidentBytes() - before < growthBytes)
    let rest = sentBytes % ping.count
    for _ in 0..<sentBytes / ping.count {
      #expect(try scene.client.expect() == #"{"jsonrpc":"2.0","id":1,"result":null}"#)
    }
    if rest > 0 {
      try scene.client.send(bytes: Array(ping[rest...]))
      _ = try scene.client.expect()
    }
    try scene.expectKept()
  }

  @Test func `a client that leaves too much unread is disconnected, and its work cancelled`() throws {
    let (count, turnsBetween) = (64, 10)
    let scene = try Scene(bounds: "clientOutputSoftBytes = 65536\nclientOutputHardBytes = 1048576")
    for id in 1...count { try scene.client.send(request(id, "m")) }
    let asked = try (1...count).map { _ in try scene.upstream.asked() }
    let large = String(repeating: "x", count: 1024 * 1024)
    var unanswered = asked[...]
    // Together more than the buffers between can hold.
    while !unanswered.isEmpty, !scene.upstream.hasNews {
      try scene.upstream.answer(unanswered.removeFirst().id!, large)
      try scene.passTurns(turnsBetween)
    }
    let cancels = try scene.upstreamHeard()
    #expect(Set(cancels).count == cancels.count)
    #expect(!unanswered.isEmpty && Set(cancels).isSuperset(of: unanswered.map(\.id!)))
    while try scene.client.receive() != nil {}
    try scene.expectBystanderUnharmed()
  }

  @Test func `a client that reads nothing for too long is disconnected`() throws {
    let scene = try Scene(bounds: "clientOutputSoftBytes = 1024\nstallMs = 300")
    let (count, large) = (8, String(repeating: "x", count: 3 * 1024 * 1024))
    for id in 0...count { try scene.client.send(request(id, "m")) }
    let asked = try (0...count).map { _ in try scene.upstream.asked() }
    for one in asked.dropLast() { try scene.upstream.answer(one.id!, large) }
    #expect(try scene.upstream.asked().cancelled == asked.last!.id)
    try scene.expectOthersServed()
    try scene.expectBystanderUnharmed()
  }
}
