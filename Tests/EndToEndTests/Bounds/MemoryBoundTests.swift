import TestSupport
import Testing

/// What all clients together may have the gateway hold.
@Suite struct MemoryBoundTests {
  private let directory: TemporaryDirectory
  /// Each loop has an equal part.
  private static let bytes = 16_777_216 * RunningGateway.loops

  init() throws { directory = try TemporaryDirectory() }

  @Test func `of many that do not end a message those with most are closed, and others are served`() throws {
    let gateway = try RunningGateway(bounds: "memoryBytes = \(Self.bytes)", in: directory)
    let honest = try gateway.connect()
    let half = [UInt8](repeating: UInt8(ascii: " "), count: 4 * 1024 * 1024 - 1_000)
    var greedy: [LineSocket] = []
    for _ in 0..<16 {
      let socket = try gateway.connect()
      // It may be closed in the middle of it.
      try? socket.send(bytes: Array("{".utf8) + half)
      greedy.append(socket)
      #expect(try honest.isInStep())
    }
    try gateway.awaitLog("for which most was held")
    let metrics = try gateway.metrics()
    #expect(metrics["lastword_held_bytes"] ?? .infinity <= Double(Self.bytes))
    let closed = metrics["lastword_client_connections_closed_for_memory_total"] ?? 0
    #expect(closed >= Double(16 - 5 * RunningGateway.loops) && closed < 16, "\(closed)")
  }

  @Test func `an answer that many wait for and do not read is held once`() throws {
    let gateway = try RunningGateway(bounds: "memoryBytes = \(Self.bytes)", in: directory)
    let honest = try gateway.connect()
    let text = String(repeating: "x", count: 256 * 1024)
    let greedy = try (0..<16).map { _ in try gateway.connect() }
    let key = #"{"key":"k","policy":"preferPrevious"}"#
    let ask =
      #"{"jsonrpc":"2.0","id":1,"method":"sleep","params":{"ms":2000,"q":"\#(text)"},"task":\#(key)}"#
    try greedy[0].send(ask)
    _ = try eventually("it runs") {
      try honest.call(#"{"jsonrpc":"2.0","id":1,"method":"lastword.inspect","params":{"key":"k"}}"#).contains(
        "running") ? true : nil
    }
    for socket in greedy { for _ in 0..<4 { try socket.send(ask) } }
    #expect(try honest.isInStep())
    let first = try greedy[0].expect()
    #expect(first.utf8.count > text.utf8.count)
    #expect(try honest.isInStep())
    let metrics = try gateway.metrics()
    #expect(metrics["lastword_client_connections_closed_for_memory_total"] == 0)
    for socket in greedy {
      for _ in 0..<(socket === greedy[0] ? 3 : 4) { #expect(try socket.expect() == first) }
    }
  }
}
