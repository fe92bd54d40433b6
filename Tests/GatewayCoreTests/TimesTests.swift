import GatewayCore
import TaskStore
import Testing

/// What the core measures.
@Suite struct TimesTests {
  @Test(
    arguments: [
      (0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (1_000, 9), (1_023, 9), (1_024, 10), (4_194_303, 21),
      (4_194_304, 22), (8_388_607, 22), (8_388_608, 23), (4_294_967_295, 23),
    ] as [(UInt64, Int)])
  func `each time is in the one bucket whose bound is just above it`(milliseconds: UInt64, bucket: Int) {
    var histogram = TimeHistogram()
    histogram.record(milliseconds)
    #expect((0..<TimeHistogram.bucketCount).filter { histogram[$0] == 1 } == [bucket])
    #expect(histogram.count == 1 && histogram.sumMilliseconds == milliseconds)
    if let bound = TimeHistogram.boundMilliseconds(of: bucket) { #expect(milliseconds < bound) }
    if bucket > 0 { #expect(milliseconds >= TimeHistogram.boundMilliseconds(of: bucket - 1)!) }
  }

  @Test func `queueing, upstream and total time add up`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k","policy":"wait"}"#), from: client)
    bench.send(line("2", task: #"{"key":"k","policy":"wait"}"#), from: client)
    bench.timePasses(100)
    bench.answer(result("1", "0") + "\n")
    bench.timePasses(40)
    bench.answer(result("2", "0") + "\n")
    let times = bench.core.times
    #expect(times.queueing.count == 2 && times.queueing.sumMilliseconds == 100)
    #expect(times.upstream.count == 2 && times.upstream.sumMilliseconds == 140)
    #expect(times.total.count == 2 && times.total.sumMilliseconds == 240)
    #expect(times.staleness.count == 0)
  }

  @Test func `a dropped answer is as stale as it came after its supersession, and in no other time`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k"}"#), from: client)
    bench.timePasses(30)
    bench.send(line("2", task: #"{"key":"k"}"#), from: client)
    bench.timePasses(12)
    bench.answer(result("1", "0") + "\n")
    let times = bench.core.times
    #expect(times.staleness.count == 1 && times.staleness.sumMilliseconds == 12)
    #expect(times.upstream.count == 0 && times.total.count == 0)
  }

  @Test func `what upstream gives up early saves the rest of what an answer takes on the average`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.timePasses(200)
    bench.answer(result("1", "0") + "\n")
    bench.send(line("2", task: #"{"key":"k"}"#), from: client)
    bench.timePasses(50)
    bench.send(line("3", task: #"{"key":"k"}"#), from: client)
    bench.timePasses(10)
    bench.answer(#"{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"cancelled"}}"# + "\n")
    #expect(bench.core.counters.upstreamSavedMilliseconds == 140)
  }

  @Test func `what is superseded before it is sent saves all of it, however many wanted it`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.timePasses(200)
    bench.answer(result("1", "0") + "\n")
    let task = #"{"key":"k","policy":"keepLatest","join":"identical"}"#
    bench.send(line("2", task: task), from: client)
    bench.send(line("3", params: "[1]", task: task), from: client)
    bench.send(line("4", params: "[1]", task: task), from: client)
    #expect(bench.core.counters.joined == 1)
    bench.send(line("5", params: "[2]", task: task), from: client)
    #expect(bench.core.counters.superseded == 2)
    #expect(bench.core.counters.upstreamSavedMilliseconds == 200)
  }

  @Test func `a late result saves nothing`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.timePasses(200)
    bench.answer(result("1", "0") + "\n")
    bench.send(line("2", task: #"{"key":"k"}"#), from: client)
    bench.send(line("3", task: #"{"key":"k"}"#), from: client)
    bench.answer(result("2", "0") + "\n")
    #expect(bench.core.counters.droppedLate == 1)
    #expect(bench.core.counters.upstreamSavedMilliseconds == 0)
  }

  @Test func `bytes are counted on both sides`() {
    var bench = Bench()
    let client = bench.connect()
    let request = line("1")
    bench.send(request, from: client)
    let asked = bench.asked()
    let answer = result("1", "0") + "\n"
    bench.answer(answer)
    let heard = bench.heard(client)
    let counters = bench.core.counters
    #expect(counters.bytesFromClients == UInt64(request.utf8.count))
    #expect(counters.bytesToUpstreams == UInt64(asked[0].utf8.count + 1))
    #expect(counters.bytesFromUpstreams == UInt64(answer.utf8.count))
    #expect(counters.bytesToClients == UInt64(heard[0].utf8.count + 1))
  }

  @Test func `a task that outlives its drain grace is counted as an orphan`() {
    var configuration = GatewayConfiguration()
    configuration.drainMilliseconds = 100
    var bench = Bench(configuration)
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k"}"#) + line("2", task: #"{"key":"k"}"#), from: client)
    bench.timePasses(99)
    #expect(bench.core.gauges.tasks.draining == 1 && bench.core.orphansSoFar == 0)
    bench.timePasses(1)
    #expect(bench.core.gauges.tasks.orphaned == 1 && bench.core.orphansSoFar == 1)
  }
}
