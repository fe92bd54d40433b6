import GatewayCore
import Testing

/// What many requests at once took goes back to the system.
@Suite struct MemoryTests {
  private static let timeout: UInt64 = 100

  /// Serves so many requests of one client, all of them open at once; returns the ids that upstream saw.
  @discardableResult
  private func serve(_ count: Int, _ client: ClientID, _ bench: inout Bench) -> [String] {
    for number in 0..<count { bench.send(line("\(number)", task: #"{"key":"k\#(number)"}"#), from: client) }
    let requests = bench.asked()
    answer(requests, &bench)
    _ = bench.heard(client)
    return requests.map(id)
  }

  private func answer(_ requests: [String], _ bench: inout Bench) {
    for request in requests { bench.answer(result(id(of: request), "1") + "\n") }
  }

  private func id(of request: String) -> String {
    String(request.split(separator: #""id":"#)[1].prefix { $0.isNumber })
  }

  /// Lets time pass as it does in a gateway with nothing to do.
  private func wait(_ milliseconds: UInt64, _ bench: inout Bench) {
    bench.timePasses(milliseconds)
    bench.core.flush(into: &bench.sink)
  }

  @Test func `it goes back once nothing has happened for a while`() {
    var bench = Bench()
    serve(2_000, bench.connect(), &bench)
    #expect(bench.core.nextDueMilliseconds == bench.core.nowMilliseconds + Self.timeout)
    wait(Self.timeout - 1, &bench)
    #expect(bench.sink.memoryReturns == 0)
    wait(1, &bench)
    #expect(bench.sink.memoryReturns == 1)
    wait(1_000, &bench)
    #expect(bench.sink.memoryReturns == 1 && bench.core.nextDueMilliseconds == nil)
  }

  @Test func `that of few requests stays`() {
    var bench = Bench()
    serve(500, bench.connect(), &bench)
    wait(1_000, &bench)
    #expect(bench.sink.memoryReturns == 0)
  }

  @Test func `it stays while anything is in flight`() {
    var bench = Bench()
    let client = bench.connect()
    serve(2_000, client, &bench)
    bench.send(line("1"), from: client)
    let requests = bench.asked()
    wait(Self.timeout, &bench)
    #expect(bench.sink.memoryReturns == 0)
    answer(requests, &bench)
    wait(0, &bench)
    wait(Self.timeout, &bench)
    #expect(bench.sink.memoryReturns == 1)
  }

  @Test func `whoever goes on sending many keeps it, few do not`() {
    var bench = Bench()
    let client = bench.connect()
    serve(2_000, client, &bench)
    serve(101, client, &bench)
    wait(Self.timeout, &bench)
    #expect(bench.sink.memoryReturns == 0)
    wait(0, &bench)
    serve(100, client, &bench)
    wait(Self.timeout, &bench)
    #expect(bench.sink.memoryReturns == 1)
  }

  @Test func `no id is used a second time`() {
    var bench = Bench()
    let client = bench.connect()
    var ids = Set(serve(2_000, client, &bench))
    wait(Self.timeout, &bench)
    bench.send(line("1", params: "[1]"), from: client)
    let first = bench.asked()
    #expect(bench.sink.memoryReturns == 1 && first.count == 1)
    ids.formUnion(first.map(id))
    for _ in 0..<2_100 {
      bench.send(line("2"), from: client)
      let requests = bench.asked()
      ids.formUnion(requests.map(id))
      answer(requests, &bench)
    }
    #expect(ids.count == 2_000 + 1 + 2_100)
    bench.answer(result(id(of: first[0]), "7") + "\n")
    #expect(bench.heard(client).last == result("1", "7"))
  }
}
