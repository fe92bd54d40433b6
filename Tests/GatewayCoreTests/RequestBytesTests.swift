import GatewayCore
import JSONRPC
import Testing

/// What open requests ask has a part of the bound on memory: who asks most makes room for others.
@Suite struct RequestBytesTests {
  private func bench(
    _ requestBytes: Int, isConnected: Bool = false, _ change: (inout GatewayConfiguration) -> Void = { _ in }
  ) -> Bench {
    var configuration = GatewayConfiguration()
    configuration.memoryBytes = requestBytes * 4
    change(&configuration)
    return Bench(configuration, connected: isConnected)
  }

  /// A request of a key of its own that asks so many bytes.
  private func ask(_ id: Int, _ byteCount: Int, _ task: String = "") -> String {
    let params = "[" + String(repeating: "1", count: byteCount - #""m"[]"#.utf8.count) + "]"
    return line("\(id)", params: params, task: #"{"key":"k\#(id)"\#(task)}"#)
  }

  private func isRefused(_ heard: [String]) -> Bool {
    heard.count == 1 && heard[0].contains("-32082") && heard[0].contains("too many bytes of open requests")
  }

  @Test func `all of its part is given to one that is alone, and not a byte more`() {
    var bench = bench(10_000)
    let client = bench.connect()
    bench.send(ask(1, 4_000) + ask(2, 6_000), from: client)
    #expect(bench.heard(client) == [] && bench.core.requestByteCount == 10_000)
    bench.send(ask(3, 6), from: client)
    #expect(isRefused(bench.heard(client)) && bench.sink.closed.isEmpty)
  }

  @Test func `payloadBytes bounds it, too`() {
    var bench = bench(10_000) { $0.payloadBytes = 5_000 }
    let client = bench.connect()
    bench.send(ask(1, 5_000), from: client)
    #expect(bench.heard(client) == [])
    bench.send(ask(2, 6), from: client)
    #expect(isRefused(bench.heard(client)))
  }

  @Test func `a small one's request is taken at the cost of the one that asks most`() {
    var bench = bench(10_000)
    let (greedy, middling, small) = (bench.connect(), bench.connect(), bench.connect())
    bench.send(ask(1, 7_000), from: greedy)
    bench.send(ask(2, 3_000), from: middling)
    bench.send(ask(3, 1_000), from: small)
    #expect(bench.heard(small) == [] && bench.heard(middling) == [])
    #expect(bench.sink.closed == [greedy.slot] && bench.core.counters.clientsClosedForRoom == 1)
    #expect(bench.core.requestByteCount == 4_000)
    #expect(bench.core.requestByteCount(of: small) == 1_000)
  }

  @Test func `who would ask about as much as the one that asks most is refused itself`() {
    var bench = bench(10_000)
    let (greedy, other) = (bench.connect(), bench.connect())
    bench.send(ask(1, 7_000), from: greedy)
    bench.send(ask(2, 3_000), from: other)
    bench.send(ask(3, 2_000), from: other)
    #expect(isRefused(bench.heard(other)))
    bench.send(ask(4, 1_000), from: other)
    #expect(bench.heard(other) == [] && bench.sink.closed == [greedy.slot])
  }

  @Test func `who is gone makes no room`() {
    var bench = bench(10_000, isConnected: true)
    let (gone, joined, other) = (bench.connect(), bench.connect(), bench.connect())
    for client in [gone, joined] { bench.send(ask(1, 9_000, #","policy":"preferPrevious""#), from: client) }
    bench.core.clientDisconnected(gone)
    #expect(bench.core.requestByteCount == 9_000)
    bench.send(ask(2, 2_000), from: other)
    #expect(isRefused(bench.heard(other)) && bench.sink.closed.isEmpty)
  }

  @Test func `what is held for clients refuses no request`() {
    var bench = bench(10_000)
    let (greedy, honest) = (bench.connect(), bench.connect())
    bench.send("{" + String(repeating: " ", count: 13_000), from: greedy)
    bench.core.flush(into: &bench.sink)
    #expect(bench.core.clientByteCount > 13_000 && bench.sink.closed.isEmpty)
    bench.send(ask(1, 10_000), from: honest)
    #expect(bench.heard(honest) == [] && bench.sink.closed.isEmpty)
  }

  @Test func `what is sent and cannot be joined counts for nobody`() {
    var bench = bench(10_000, isConnected: true)
    let client = bench.connect()
    let params = "[\(String(repeating: "1", count: 9_000))]"
    for id in 1...5 { bench.send(line("\(id)", params: params), from: client) }
    #expect(bench.heard(client) == [] && bench.core.requestByteCount(of: client) == 0)
  }

  @Test func `what a cancelled one asked does not count any more, but for its method`() {
    var bench = bench(10_000, isConnected: true)
    let client = bench.connect()
    bench.send(ask(1, 9_000), from: client)
    _ = bench.asked()
    bench.send(line("2", "lastword.cancel", params: #"{"key":"k1"}"#), from: client)
    #expect(bench.core.requestByteCount(of: client) == #""m""#.utf8.count)
    bench.send(ask(3, 9_000), from: client)
    #expect(!bench.heard(client).contains { $0.contains("-32082") })
  }

  @Test func `a trace counts as it is kept`() {
    var bench = bench(10_000) { $0.upstreams[0].passesTask = true }
    let client = bench.connect()
    let trace = #","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01""#
    bench.send(ask(1, 1_000, trace), from: client)
    #expect(bench.core.requestByteCount > 1_000)
    #expect(bench.core.requestByteCount(of: client) == bench.core.requestByteCount)
    bench.core.clientDisconnected(client)
    #expect(bench.core.requestByteCount == 0 && bench.core.accountedRequestBytes == 0)
  }
}
