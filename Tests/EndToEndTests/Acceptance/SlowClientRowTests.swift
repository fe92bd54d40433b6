import TestSupport
import Testing

/// Clients that stop in the middle of a message, never end one, or do not read.
@Suite struct SlowClientRowTests {
  // MARK: Not sending

  @Test(arguments: Transport.all)
  func `half a message is waited for only so long`(transport: Transport) throws {
    let scene = try Scene(over: transport, bounds: "messageMs = 300")
    _ = try scene.client.begin(request(1, "m"))
    try scene.expectError(transport == .post ? -32600 : -32700)
    try scene.expectClosed()
  }

  @Test(.forLines(.headers), arguments: ["Content-Length: 49\r\n\r\n{", "Content-Le"])
  func `half a header, or less than it says, is waited for only so long`(text: String) throws {
    let scene = try Scene(bounds: "messageMs = 300")
    try scene.socket.send(bytes: Array(text.utf8))
    // The body behind a header is no line.
    let heard = try scene.client.expect()
    #expect(heard.isError(-32700, id: "null") || heard.hasPrefix("Content-Length: "), "\(heard)")
    while try scene.client.receive() != nil {}
    try scene.expectClosed()
  }

  @Test(.forLines(.firstBytes)) func `half of a method's name is waited for no longer`() throws {
    let scene = try Scene(bounds: "messageMs = 300")
    try scene.socket.send(bytes: Array("POS".utf8))
    try scene.expectError(-32700)
    try scene.expectClosed()
  }

  @Test(arguments: Transport.all)
  func `bytes that drip do not put the deadline off`(transport: Transport) throws {
    let scene = try Scene(over: transport, bounds: "messageMs = 300")
    // So long that the drops do not end it.
    _ = try scene.client.begin(request(1, String(repeating: "m", count: 1_000_000)))
    try expectCutOff(scene)
  }

  @Test(.forLines(.headers)) func `bytes that drip behind a header do not, either`() throws {
    let scene = try Scene(bounds: "messageMs = 300")
    try scene.socket.send(bytes: Array("Content-Length: 4000000\r\n\r\n".utf8))
    try expectCutOff(scene)
  }

  private func expectCutOff(_ scene: Scene, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let watchdog = ContinuousClock.now + .seconds(10)
    while !scene.socket.isClosedByPeer(), ContinuousClock.now < watchdog {
      _ = try? scene.socket.send(bytes: [UInt8(ascii: "x")])
      try scene.passTurns(1)
    }
    #expect(scene.socket.isClosedByPeer(), sourceLocation: sourceLocation)
    try scene.expectOthersServed(sourceLocation: sourceLocation)
    try scene.expectBystanderUnharmed(sourceLocation: sourceLocation)
  }

  @Test(.forLines(.firstBytes))
  func `a connection that says nothing at all is waited for only so long`() throws {
    let scene = try Scene(bounds: "firstByteMs = 300")
    try scene.expectClosed()
  }

  @Test(arguments: Transport.all)
  func `an endless message is refused at the limit and never stored`(transport: Transport) throws {
    let growthBytes = 16 * 1024 * 1024
    let mebibytes = transport == .lines ? 128 : 32
    let scene = try Scene(over: transport)
    let before = try scene.gateway.program.peakResidentBytes()
    let socket = scene.socket
    let more = Self.part([UInt8](repeating: UInt8(ascii: "x"), count: 1024 * 1024), over: transport)
    try socket.send(bytes: Self.beginning(over: transport))
    for _ in 0..<5 { try socket.send(bytes: more) }
    if transport == .post {
      let answer = try socket.expectAnswer()
      #expect(answer.status == 413 && answer.content.isError(-32086, id: "null"), "\(answer)")
      // It is read for a while, as else the answer would not arrive, and then cut off.
      for _ in 0..<mebibytes where (try? socket.send(bytes: more)) == nil { break }
      try scene.expectOthersServed()
      try scene.expectBystanderUnharmed()
    } else {
      try scene.expectError(-32086)
      for _ in 0..<mebibytes { try socket.send(bytes: more) }
      #expect(!socket.isClosedByPeer())
      try socket.send(bytes: transport == .lines ? [0x0a] : LineSocket.frame(0, []))
      try scene.expectKept()
    }
    #expect(try scene.gateway.program.peakResidentBytes() - before < growthBytes)
  }

  /// The first bytes of a message whose length is not said.
  private static func beginning(over transport: Transport) -> [UInt8] {
    let start = Array(#"{"jsonrpc":"2.0","id":1,"method":""#.utf8)
    switch transport {
    case .lines: return start
    case .webSocket: return LineSocket.frame(WebSocketPeer.text, start, isLast: false)
    case .post:
      let fields = "Host: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
      return Array("POST / HTTP/1.1\r\n\(fields)\r\n".utf8) + part(start, over: transport)
    }
  }

  private static func part(_ bytes: [UInt8], over transport: Transport) -> [UInt8] {
    switch transport {
    case .lines: bytes
    case .webSocket: LineSocket.frame(0, bytes, isLast: false)
    case .post: Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [0x0d, 0x0a]
    }
  }

  // MARK: Not reading

  @Test(arguments: Transport.all)
  func `a client that does not read is not read from, and is served again when it does`(transport: Transport)
    throws
  {
    let (mostBytes, growthBytes, turns) = (64 * 1024 * 1024, 4 * 1024 * 1024, 200)
    let scene = try Scene(over: transport, bounds: "clientOutputSoftBytes = 65536")
    let before = try scene.gateway.program.peakResidentBytes()
    let ping = scene.client.carried(Array(PostScene.ping.utf8))
    let many = Array(repeatElement(ping, count: 1000).joined())
    var sentBytes = 0
    var turnsBlocked = 0
    let socket = scene.socket
    while turnsBlocked < turns && sentBytes < mostBytes {
      let count = try socket.sendSome(many[(sentBytes % many.count)...])
      sentBytes += count
      turnsBlocked = count == 0 ? turnsBlocked + 1 : 0
      if count == 0 { try scene.passTurns(1) }
    }
    #expect(sentBytes < mostBytes, "it went on reading")
    #expect(try scene.gateway.program.peakResidentBytes() - before < growthBytes)
    let rest = sentBytes % ping.count
    let pong = #"{"jsonrpc":"2.0","id":1,"result":null}"#
    // All POSTs came over one connection.
    func expect() throws -> String {
      transport == .post ? try String(socket.expectAnswer().content.dropLast()) : try scene.client.expect()
    }
    for _ in 0..<sentBytes / ping.count { #expect(try expect() == pong) }
    if rest > 0 {
      try socket.send(bytes: Array(ping[rest...]))
      #expect(try expect() == pong)
    }
    try scene.expectKept()
  }

  @Test(arguments: Transport.all(but: [.post: .oneAtATime]))
  func `a client that leaves too much unread is disconnected, and its work cancelled`(transport: Transport)
    throws
  {
    let (count, turnsBetween) = (64, 10)
    let scene = try Scene(
      over: transport, bounds: "clientOutputSoftBytes = 65536\nclientOutputHardBytes = 1048576")
    for id in 1...count { try scene.client.send(request(id, "m")) }
    let asked = try (1...count).map { _ in try scene.upstream.asked() }
    let large = String(repeating: "x", count: 1024 * 1024)
    var unanswered = asked[...]
    // Together more than the buffers between can hold.
    while !unanswered.isEmpty, !scene.upstream.hasNews {
      try scene.upstream.answer(unanswered.removeFirst().id!, large)
      try scene.passTurns(turnsBetween)
    }
    #expect(!unanswered.isEmpty)
    // Another loop may have the bystander, which tells what comes last otherwise.
    var (cancels, missing): ([Int], Set<Int>) = ([], Set(unanswered.map(\.id!)))
    while !missing.isEmpty {
      try cancels.append(#require(scene.upstream.asked().cancelled))
      missing.remove(cancels[cancels.count - 1])
    }
    cancels += try scene.upstreamHeard()
    #expect(Set(cancels).count == cancels.count)
    // It may be cut off in the middle.
    while !scene.socket.isClosedByPeer() {}
    try scene.expectBystanderUnharmed()
  }

  @Test(arguments: Transport.all(but: [.post: .oneAtATime]))
  func `a client that reads nothing for too long is disconnected`(transport: Transport) throws {
    let scene = try Scene(over: transport, bounds: "clientOutputSoftBytes = 1024\nstallMs = 300")
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
