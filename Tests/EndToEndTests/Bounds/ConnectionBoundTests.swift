import TestSupport
import Testing

/// What a connection may cost when its client does not read, does not write, or is one too many.
@Suite struct ConnectionBoundTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private var socket: String { directory.path + "/lw.sock" }

  @Test func `above the soft bound of its output nothing is read from a client, and nothing is lost`() throws
  {
    let gateway = try RunningGateway(
      bounds: "clientOutputSoftBytes = 1024", in: directory, listen: "unix:" + socket)
    let (deaf, other) = (try DeafClient(socket), try gateway.connect())
    let ping = Array((#"{"jsonrpc":"2.0","id":7,"method":"lastword.ping"}"# + "\n").utf8)
    let pings = Array(repeatElement(ping, count: 1_000).joined())
    // More than the sockets take on both ways: without the bound all of it would be read.
    let limitBytes = 64 * 1024 * 1024
    var (sent, refusedInARow) = (0, 0)
    while refusedInARow < 100 && sent < limitBytes {
      let count = try deaf.sendSome(of: pings[(sent % pings.count)...])
      sent += count
      refusedInARow = count == 0 ? refusedInARow + 1 : 0
      // A gateway that answers this has had its turn to read.
      if count == 0 { #expect(try other.isInStep()) }
    }
    #expect(sent < limitBytes)
    let answer = #"{"jsonrpc":"2.0","id":7,"result":null}"# + "\n"
    var missing = sent / ping.count * answer.utf8.count
    while missing > 0 {
      let count = try deaf.receive().count
      try #require(count > 0, "closed, and \(missing) bytes of answers are missing")
      missing -= count
    }
    #expect(missing == 0)
    #expect(try deaf.sendSome(of: pings[(sent % pings.count)...]) > 0)
    #expect(try String(decoding: deaf.receive(), as: UTF8.self).hasPrefix(answer))
  }

  @Test func `above the hard bound of its output a client is disconnected, and the others are not`() throws {
    let gateway = try RunningGateway(
      bounds: "clientOutputSoftBytes = 1024\nclientOutputHardBytes = 4096", in: directory,
      listen: "unix:" + socket)
    let (deaf, other) = (try DeafClient(socket), try gateway.connect())
    // More than a socket takes, and what the gateway has on its way into it.
    let params = "[\"" + String(repeating: "x", count: 3 * 1024 * 1024) + "\"]"
    try deaf.send(Array((request(1, "echo", params) + "\n").utf8))
    try deaf.awaitFirstByte()
    #expect(try other.isInStep())
    var received: [UInt8] = []
    while case let chunk = try deaf.receive(), !chunk.isEmpty { received += chunk }
    #expect(received.count < params.utf8.count)
    #expect(try other.isInStep() && gateway.connect().isInStep())
  }

  @Test func `connections`() throws {
    let gateway = try RunningGateway(bounds: "connections = 2", in: directory)
    let (first, second) = (try gateway.connect(), try gateway.connect())
    #expect(try first.isInStep() && second.isInStep())
    let third = try gateway.connect()
    #expect(try third.reply().code == -32082)
    #expect(try third.receive() == nil)
    first.finish()
    #expect(try first.receive() == nil)
    // With several loops another one hears a moment later that there is room.
    let fourth = try eventually("there is room for another") {
      let client = try gateway.connect()
      return RunningGateway.loops == 1 || (try? client.isInStep()) == true ? client : nil
    }
    #expect(try fourth.isInStep() && second.isInStep())
  }

  /// How long it takes until a client that sends no more than `beginning` is disconnected.
  private func patience(_ gateway: RunningGateway, _ beginning: String) throws -> Duration {
    let other = try gateway.connect()
    #expect(try other.isInStep())
    let clock = ContinuousClock()
    let begun = clock.now
    let client = try gateway.connect()
    if !beginning.isEmpty { try client.send(bytes: Array(beginning.utf8)) }
    // It may hear why.
    while try client.receive() != nil {}
    #expect(try other.isInStep())
    return clock.now - begun
  }

  @Test(arguments: [#"{"jsonrpc":"2.0""#, "Content-Length: 10\r\n\r\n{", "POS"])
  func `half a message`(half: String) throws {
    let waited = try patience(RunningGateway(bounds: "messageMs = 300\nfirstByteMs = 0", in: directory), half)
    // The loop's clock is read in whole milliseconds, once a turn.
    #expect(waited > .milliseconds(290))
  }

  @Test func `the first byte`() throws {
    let waited = try patience(RunningGateway(bounds: "messageMs = 0\nfirstByteMs = 300", in: directory), "")
    #expect(waited > .milliseconds(290))
  }
}
