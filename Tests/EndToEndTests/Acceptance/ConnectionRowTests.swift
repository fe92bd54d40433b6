import Glibc
import TestSupport
import Testing

/// More connections than there may be.
@Suite struct ConnectionRowTests {
  private static let ping = #"{"jsonrpc":"2.0","id":1,"method":"lastword.ping"}"#
  private static let pong = #"{"jsonrpc":"2.0","id":1,"result":null}"#

  @Test(arguments: Transport.all(but: [.post: .makesRoom]))
  func `a connection over the bound hears so, and one is served again when another closes`(
    transport: Transport
  ) throws {
    // Another loop would hear a moment later that there is room again.
    let scene = try Scene(
      over: transport, bounds: "connections = 2", environment: RunningGateway.oneLoop)
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

  /// The gateway itself waits so long, for something newer.
  private func expectAnswer(
    to client: LineSocket, from upstream: LineSocket, afterMilliseconds delay: Int
  ) throws {
    try client.send(request(2, "m", key: "k", task: #","debounceMs":\#(delay)"#))
    let sent = try upstream.expect()
    let id = try #require(sent.firstMatch(of: /"id":(\d+)/), "\(sent)").1
    try upstream.send(#"{"jsonrpc":"2.0","id":\#(id),"result":3}"#)
    #expect(try Reply(client.expect()).result == "3")
  }

  @Test(.forLines(.handshake)) func `without descriptors it neither spins nor forgets those that wait`()
    throws
  {
    let (clientCount, requests, requestMilliseconds, spentMilliseconds) = (24, 100, 20, 500)
    let listener = try ListeningSocket()
    // Each loop has descriptors of its own.
    let gateway = try RunningGateway(
      upstream: listener.address, descriptorLimit: 22, environment: RunningGateway.oneLoop)
    let (upstream, served) = (try listener.accept(), try gateway.connect())
    #expect(try served.isInStep())
    var clients = try (0..<clientCount).map { _ in try gateway.connect() }
    for client in clients { try client.send(Self.ping) }
    try gateway.awaitLog("cannot accept")
    let before = try gateway.program.processorMilliseconds()
    // Two seconds at least, in which it tries again every so often and has nothing to do otherwise.
    for _ in 0..<requests {
      try expectAnswer(to: served, from: upstream, afterMilliseconds: requestMilliseconds)
    }
    #expect(try gateway.program.processorMilliseconds() - before < spentMilliseconds)
    // Those that were accepted are served, and make room one after the other.
    while !clients.isEmpty { #expect(try clients.removeFirst().expect() == Self.pong) }
    #expect(try gateway.connect().isInStep())
    #expect(gateway.stop() == 0)
  }

  @Test(.forLines(.pages)) func `without descriptors for its pages it says so now and then only`() throws {
    let listener = try ListeningSocket()
    // Each loop has descriptors of its own.
    let gateway = try RunningGateway(
      upstream: listener.address, ["--admin", "127.0.0.1:0"], descriptorLimit: 22,
      environment: RunningGateway.oneLoop)
    let (upstream, client) = (try listener.accept(), try gateway.connect())
    #expect(try client.isInStep())
    let readers = try (0..<24).map { _ in try LineSocket(#require(gateway.adminAddress)) }
    try gateway.awaitLog("[WRN] cannot accept at the admin pages: EMFILE")
    // It has tried again several times by then.
    try expectAnswer(to: client, from: upstream, afterMilliseconds: 500)
    gateway.program.signal(SIGHUP)
    var next = try #require(gateway.program.errorLine())
    // So few descriptors are told of each time.
    if next.contains("connections at once") { next = try #require(gateway.program.errorLine()) }
    #expect(next.hasSuffix("[INF] configuration reloaded"), "\(next)")
    for reader in readers { reader.close() }
  }
}
