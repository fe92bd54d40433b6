import GatewayCore
import JSONRPC
import Testing

/// What carries clients counts, and so do those who are no clients yet.
@Suite struct TransportBytesTests {
  /// - Parameter clientBytes: what may be held for clients, in sixteenths.
  private func bench(_ clientBytes: Int) -> Bench {
    var configuration = GatewayConfiguration()
    configuration.memoryBytes = clientBytes / 3 * 4
    return Bench(configuration)
  }

  private func half(_ byteCount: Int) -> String { "{\"" + String(repeating: "x", count: byteCount) }

  private func connect(_ count: Int, holding byteCount: Int, _ bench: inout Bench) -> [ClientID] {
    (0..<count).map { _ in
      let client = bench.connect()
      bench.core.transportHolds(byteCount, for: client)
      return client
    }
  }

  /// The shell has so many handshakes.
  private func shakeHands(_ count: Int, holding byteCount: Int, _ bench: inout Bench) {
    bench.sink.arriving = Array(repeating: byteCount, count: count)
    bench.core.arrivingHold(bench.sink.arrivingByteCount)
  }

  @Test func `it counts while its client is there, and goes with it`() {
    var bench = bench(96_000)
    let clients = connect(3, holding: 10_000, &bench)
    bench.core.flush(into: &bench.sink)
    #expect(bench.core.heldByteCount == 30_000 && bench.core.gauges.heldBytes == 30_000)
    #expect(clients.allSatisfy { bench.core.heldByteCount(of: $0) == 10_000 })
    bench.core.transportHolds(4_000, for: clients[0])
    bench.core.clientDisconnected(clients[1])
    #expect(bench.core.heldByteCount == 14_000)
    for client in [clients[0], clients[2]] { bench.core.clientDisconnected(client) }
    #expect(bench.core.heldByteCount == 0 && bench.core.leftovers == [])
    // Whoever has its place then is carried by a socket.
    #expect(bench.core.heldByteCount(of: bench.connect()) == 0)
  }

  @Test func `as much as the bound closes nobody, one byte more does`() {
    var bench = bench(96_000)
    let clients = connect(8, holding: 12_000, &bench)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed.isEmpty && bench.core.heldByteCount == 96_000)
    bench.core.transportHolds(12_001, for: clients[5])
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed == [clients[5].slot] && bench.core.heldByteCount == 84_000)
  }

  @Test func `those for whom most is held go, until a sixteenth is free`() {
    var bench = bench(96_000)
    let clients = connect(9, holding: 10_000, &bench)
    let plain = bench.connect()
    bench.send(half(2_000), from: clients[4])
    bench.send(half(5_000), from: plain)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed == [clients[4].slot])
    #expect(bench.core.heldByteCount <= 90_000)
    #expect(bench.core.counters.clientsClosedForRoom == 1)
  }

  @Test func `within a turn nobody is closed for what little is held where sessions hold more`() {
    var bench = bench(96_000)
    let plain = bench.connect()
    let clients = connect(9, holding: 10_000, &bench)
    bench.core.flush(into: &bench.sink)
    bench.send(half(8_000), from: plain)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed == [clients[8].slot])
  }

  @Test func `of who is given up nothing counts any more, whatever is said of it`() {
    var bench = bench(96_000)
    let clients = connect(2, holding: 40_000, &bench)
    bench.send(half(30_000), from: clients[1])
    bench.core.transportHolds(60_000, for: clients[1])
    #expect(bench.core.heldByteCount == 40_000)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed == [clients[1].slot] && bench.core.heldByteCount == 40_000)
  }

  // MARK: Who is no client yet

  @Test func `handshakes have what nobody else holds, and no more`() {
    var bench = bench(96_000)
    let clients = connect(5, holding: 10_000, &bench)
    shakeHands(4, holding: 10_000, &bench)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.arriving.count == 4 && bench.core.heldByteCount == 90_000)
    shakeHands(5, holding: 10_000, &bench)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.arriving.count == 4 && bench.sink.closed.isEmpty)
    bench.send(half(20_000), from: clients[0])
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.arriving.count < 3 && bench.sink.closed.isEmpty)
    #expect(bench.core.heldByteCount <= 96_000)
  }

  @Test func `handshakes that give way close nobody, however many there are`() {
    var bench = bench(96_000)
    _ = connect(9, holding: 10_000, &bench)
    for _ in 0..<20 {
      shakeHands(1_000, holding: 3_000, &bench)
      bench.core.flush(into: &bench.sink)
      #expect(bench.sink.arriving.count == 2)
    }
    #expect(bench.sink.closed.isEmpty && bench.core.counters.clientsClosedForRoom == 0)
  }

  @Test func `a sixteenth is for handshakes, whatever is held for clients`() {
    var bench = bench(96_000)
    let clients = connect(9, holding: 10_500, &bench)
    shakeHands(3, holding: 3_000, &bench)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.arriving.count == 2)
    #expect(bench.sink.closed == [clients[8].slot])
    #expect(bench.core.heldByteCount == 8 * 10_500 + 6_000)
  }

  @Test func `what is handed out within a turn closes nobody for handshakes`() {
    var bench = bench(96_000)
    let client = bench.connect()
    shakeHands(9, holding: 10_000, &bench)
    bench.core.flush(into: &bench.sink)
    bench.send(half(50_000), from: client)
    #expect(bench.core.counters.clientsClosedForRoom == 0)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed.isEmpty && bench.core.heldByteCount <= 96_000)
    #expect((1...4).contains(bench.sink.arriving.count))
  }

  @Test func `where there is no bound nobody gives way`() {
    var bench = bench(0)
    _ = connect(9, holding: 1 << 30, &bench)
    shakeHands(9, holding: 1 << 30, &bench)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed.isEmpty && bench.sink.arriving.count == 9)
    #expect(bench.core.heldByteCount == 18 << 30)
  }

  @Test func `another bound counts for what is there`() {
    var bench = bench(0)
    let clients = connect(4, holding: 10_000, &bench)
    bench.core.flush(into: &bench.sink)
    var configuration = GatewayConfiguration()
    configuration.memoryBytes = 48_000
    bench.core.reconfigure(configuration)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed == [clients[3].slot])
  }

  @Test func `of sessions that idle the newest go, whatever number they have for the core`() {
    var bench = bench(96_000)
    let clients = connect(9, holding: 10_000, &bench)
    bench.core.clientDisconnected(clients[2])
    bench.core.flush(into: &bench.sink)
    let newcomers = connect(2, holding: 10_000, &bench)
    #expect(newcomers[0].slot == clients[2].slot)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.closed == [newcomers[1].slot])
    _ = connect(1, holding: 10_000, &bench)
    bench.core.flush(into: &bench.sink)
    #expect(!bench.sink.closed.contains(newcomers[0].slot))
  }

  // MARK: Going back

  @Test func `memory goes back after a burst, however many sessions there are`() {
    var bench = bench(0)
    _ = connect(100, holding: 1 << 20, &bench)
    let client = bench.connect()
    bench.send(half(3_000_000), from: client)
    bench.core.flush(into: &bench.sink)
    bench.timePasses(1_000)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.memoryReturns == 0)
    bench.core.clientDisconnected(client)
    bench.core.flush(into: &bench.sink)
    bench.timePasses(100)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.memoryReturns == 1)
  }
}
