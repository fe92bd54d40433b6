import GatewayCore
import Testing

/// The upstream's connection: waiting for it, losing it, and its limits.
@Suite struct UpstreamTests {
  @Test func `requests wait for a connection and then go out in order`() {
    var bench = Bench(connected: false)
    let client = bench.connect()
    bench.send(line("1", "a") + line("2", "b"), from: client)
    #expect(bench.asked() == [])
    bench.core.upstreamConnected(Bench.upstream)
    #expect(bench.asked().count == 2)
  }

  @Test func `without a connection a request fails after four seconds, not sent`() {
    var bench = Bench(connected: false)
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.timePasses(3_999)
    #expect(bench.heard(client) == [])
    #expect(bench.core.nextDueMilliseconds == 5_000)
    bench.timePasses(1)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("-32084") && heard[0].contains(#""upstream":"notSent""#))
    bench.core.upstreamConnected(Bench.upstream)
    #expect(bench.asked() == [])
  }

  @Test func `superseded while it waits for a connection, a request is never sent, and there is no cancel`() {
    var bench = Bench(connected: false)
    let client = bench.connect()
    bench.send(line("1", "a", task: #"{"key":"k"}"#) + line("2", "b", task: #"{"key":"k"}"#), from: client)
    #expect(bench.heard(client)[0].contains(#""phase":"queued","upstream":"notSent""#))
    bench.core.upstreamConnected(Bench.upstream)
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","id":2,"method":"b"}"#])
  }

  @Test func `a lost connection answers what was in flight and drops what drained`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k"}"#) + line("2", task: #"{"key":"k"}"#), from: client)
    _ = (bench.heard(client), bench.asked())
    bench.core.upstreamDisconnected(Bench.upstream)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("-32084") && heard[0].contains("mayHaveCompleted"))
    #expect(bench.core.taskCount == 0 && bench.core.keyCount == 0)
  }

  /// 1 is answered; these are 1 and a power of two: its slot's next use, other slots, and what no id can be.
  @Test(arguments: ["131073", "2147483649", "4294967297", "274877906945", "18446744073709551617"])
  func `an answer with another id that ends in the same bits is dropped`(id: String) {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("7"), from: client)
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","id":1,"method":"m"}"#])
    bench.answer(result(id, "0") + "\n")
    #expect(bench.heard(client) == [])
    #expect(bench.core.counters.droppedUnknown == 1)
    bench.answer(result("1", "0") + "\n")
    #expect(bench.heard(client) == [result("7", "0")])
  }

  @Test func `answers over an old connection mean nothing on the new one`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.core.upstreamDisconnected(Bench.upstream)
    bench.timePasses(100)
    _ = bench.heard(client)
    bench.core.upstreamConnected(Bench.upstream)
    bench.answer(result("1", "0") + "\n")
    #expect(bench.heard(client) == [])
    #expect(bench.core.counters.droppedUnknown == 1)
  }

  @Test func `attempts to connect come at doubling pauses, up to a bound, shortened by chance`() {
    var bench = Bench(connected: false)
    var pauses: [UInt64] = []
    for _ in 0..<10 {
      bench.core.upstreamDisconnected(Bench.upstream)
      let due = bench.core.nextDueMilliseconds!
      pauses.append(due - bench.core.nowMilliseconds)
      let connects = bench.sink.connects
      _ = bench.asked()
      #expect(bench.sink.connects == connects)
      bench.timePasses(due - bench.core.nowMilliseconds)
      _ = bench.asked()
      #expect(bench.sink.connects == connects + 1)
    }
    for (index, pause) in pauses.enumerated() {
      let full = min(2_000, UInt64(50) << UInt64(index))
      #expect((full / 2...full).contains(pause))
    }
  }

  @Test func `the same seed gives the same pauses, another seed others`() {
    func pauses(seed: UInt64) -> [UInt64] {
      var bench = Bench(seed: seed, connected: false)
      return (0..<8).map { _ in
        bench.core.upstreamDisconnected(Bench.upstream)
        return bench.core.nextDueMilliseconds! - bench.core.nowMilliseconds
      }
    }
    #expect(pauses(seed: 1) == pauses(seed: 1))
    #expect(pauses(seed: 1) != pauses(seed: 2))
  }

  @Test func `when upstream does not read, requests stay here, and over the hard bound they are refused`() {
    var configuration = GatewayConfiguration()
    configuration.upstreamOutputSoftBytes = 1_000
    configuration.upstreamOutputHardBytes = 2_000
    var bench = Bench(configuration)
    bench.sink.upstreamRoom = 0
    let client = bench.connect()
    for id in 1...100 {
      bench.send(line("\(id)", params: "[\"\(String(repeating: "x", count: 50))\"]"), from: client)
    }
    let refused = bench.heard(client)
    #expect(!refused.isEmpty && refused.allSatisfy { $0.contains("-32082") && $0.contains("notSent") })
    bench.sink.upstreamRoom = nil
    bench.core.upstreamBecameWritable(Bench.upstream)
    #expect(bench.asked().count + refused.count == 100)
  }

  @Test func `garbage ends the connection at once`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.answer("garbage\n" + result("1", "0") + "\n")
    // The log says so.
    #expect(bench.core.counters.refusedMessages == 1 && bench.core.refusedMessagePlace == 0)
    #expect(bench.heard(client)[0].contains("-32084"))
    #expect(bench.sink.disconnects == 1)
  }

  @Test func `an oversized answer that does not show its id ends the connection, and its bytes are not kept`()
  {
    var configuration = GatewayConfiguration()
    configuration.messageLimitBytes = 1_000
    var bench = Bench(configuration)
    let client = bench.connect()
    bench.send(line("1"), from: client)
    let text = String(repeating: "x", count: 1_000)
    bench.answer(#"{"jsonrpc":"2.0","result":"\#(text)","id":1}"# + "\n")
    #expect(bench.heard(client)[0].contains("-32084"))
    #expect(bench.sink.disconnects == 1)
  }

  @Test func `requests that waited for room go out as soon as a write took everything before them`() {
    var configuration = GatewayConfiguration()
    configuration.upstreamOutputSoftBytes = 100
    var bench = Bench(configuration)
    let client = bench.connect()
    for id in 1...10 {
      bench.send(line("\(id)", params: "[\"\(String(repeating: "x", count: 50))\"]"), from: client)
    }
    // The sink takes all it is given, so no `upstreamBecameWritable` follows.
    #expect(bench.asked().count == 10)
  }

  @Test func `a request that waited long for room still gets its time to wait for a connection`() {
    var configuration = GatewayConfiguration()
    configuration.upstreamOutputSoftBytes = 1
    var bench = Bench(configuration)
    bench.sink.upstreamRoom = 0
    let client = bench.connect()
    bench.send(line("1") + line("2", "waits"), from: client)
    #expect(bench.asked() == [])
    bench.timePasses(5_000)
    bench.core.upstreamDisconnected(Bench.upstream)
    bench.timePasses(3_999)
    #expect(bench.heard(client).count == 1)
    bench.sink.upstreamRoom = nil
    bench.core.upstreamConnected(Bench.upstream)
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","id":2,"method":"waits"}"#])
  }

  @Test func `an upstream that answers nothing but garbage is tried again at growing pauses`() {
    var bench = Bench()
    var pauses: [UInt64] = []
    for _ in 0..<8 {
      bench.answer("garbage\n")
      let due = bench.core.nextDueMilliseconds!
      pauses.append(due - bench.core.nowMilliseconds)
      bench.timePasses(pauses.last!)
      _ = bench.asked()
      bench.core.upstreamConnected(Bench.upstream)
    }
    #expect(pauses.last! >= 1_000)
  }
}
