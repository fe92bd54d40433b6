import GatewayCore
import Testing

/// One answer for many requests.
@Suite struct SharedAnswerTests {
  @Test func `an answer that many of a client's requests share does not grow past its hard bound`() {
    var configuration = GatewayConfiguration()
    configuration.clientOutputHardBytes = 10_000
    var bench = Bench(configuration)
    let (client, other) = (bench.connect(), bench.connect())
    let task = #"{"key":"k","policy":"preferPrevious"}"#
    for id in 1...100 { bench.send(line("\(id)", task: task), from: client) }
    bench.send(line("1", task: task), from: other)
    bench.answer(result("1", "\"" + String(repeating: "x", count: 1_000) + "\"") + "\n")
    #expect(bench.core.unsentByteCount(of: client) <= 10_000 + 1_100)
    #expect(bench.heard(other).count == 1)
    #expect(bench.sink.closed == [client.slot])
    bench.core.clientDisconnected(other)
    #expect(bench.core.leftovers == [])
  }
}
