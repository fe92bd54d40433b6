import TestSupport
import Testing

/// More connections than there may be.
@Suite struct ConnectionRowTests {
  private static let ping = #"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#

  @Test func `a connection over the bound hears so, and one is served again when another closes`() throws {
    let scene = try Scene(bounds: "connections = 2")
    for _ in 0..<3 {
      let over = try scene.gateway.connect()
      #expect(try over.expect().isError(-32082, id: "null"))
      #expect(try over.receive() == nil)
    }
    #expect(try scene.client.isInStep())
    scene.client.finish()
    #expect(try scene.client.receive() == nil)
    try scene.expectOthersServed()
    try scene.expectBystanderUnharmed()
  }

  @Test func `without descriptors it neither spins nor forgets those that wait`() throws {
    let (clientCount, warnings, pauseMilliseconds, spentMilliseconds) = (24, 10, 50, 200)
    let gateway = try RunningGateway(descriptorLimit: 20)
    var clients = try (0..<clientCount).map { _ in try gateway.connect() }
    for client in clients { try client.send(Self.ping) }
    try gateway.awaitLog("cannot accept")
    let (before, begin) = (try gateway.program.processorMilliseconds(), ContinuousClock.now)
    // It tries again every so often, and says so each time.
    for _ in 0..<warnings { try gateway.awaitLog("cannot accept") }
    #expect(begin + .milliseconds(warnings * pauseMilliseconds) < .now)
    #expect(try gateway.program.processorMilliseconds() - before < spentMilliseconds)
    // Those that were accepted are served, and make room one after the other.
    while !clients.isEmpty {
      #expect(try clients.removeFirst().expect() == #"{"jsonrpc":"2.0","id":1,"result":null}"#)
    }
    #expect(try gateway.connect().isInStep())
    #expect(gateway.stop() == 0)
  }
}
