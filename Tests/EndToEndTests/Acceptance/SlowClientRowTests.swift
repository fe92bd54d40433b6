import TestSupport
import Testing

/// Clients that stop in the middle of a message, never end one, or do not read.
@Suite struct SlowClientRowTests {
  // MARK: Not sending

  @Test(arguments: [#"{"jsonrpc":"2.0","id":1,"#, "Content-Length: 49\r\n\r\n{", "Content-Le"])
  func `half a message is waited for only so long`(text: String) throws {
    let scene = try Scene(bounds: "messageMs = 300")
    try scene.client.send(bytes: Array(text.utf8))
    // The body behind a header is no line.
    let heard = try scene.client.expect()
    #expect(heard.isError(-32700, id: "null") || heard.hasPrefix("Content-Length: "), "\(heard)")
    while try scene.client.receive() != nil {}
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
    // Answers may still be on their way when the client's time is over.
    let first = try scene.upstream.asked()
    let cancels = try [#require(first.cancelled)] + scene.upstreamHeard()
    #expect(Set(cancels).count == cancels.count && cancels.contains(asked.last!.id!))
    try scene.expectOthersServed()
    try scene.expectBystanderUnharmed()
  }
}
