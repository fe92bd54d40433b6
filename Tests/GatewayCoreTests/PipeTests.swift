import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// What the core does for two programs at the ends of a pipe.
@Suite struct PipeTests {
  private func bench(_ adjust: (inout GatewayConfiguration) -> Void = { _ in }) -> Bench {
    Bench.ofOwnUpstreams {
      $0.upstreams[0].toleratesNoise = true
      adjust(&$0)
    }
  }

  private func connect(_ bench: inout Bench) -> ClientID {
    let client = bench.connect()
    bench.send(line("1") + line("2"), from: client)
    bench.connectUpstreams()
    _ = bench.asked()
    return client
  }

  @Test(arguments: [#"{"id":1,"jsonrpc":"2.0","result":[1,}"#, #"{"jsonrpc":"2.0","id":1,"result":nul}"#])
  func `an answer that is no JSON fails its request at once, and no other`(answer: String) {
    var bench = bench()
    let client = connect(&bench)
    bench.answer(answer + "\n" + result("2", "0") + "\n")
    let heard = bench.heard(client)
    #expect(heard.count == 2 && heard[0].contains(#""id":1,"error":{"code":-32084"#))
    #expect(heard[0].contains("cannot be read") && heard[1] == result("2", "0"))
    #expect(bench.core.counters.refusedAnswers == 1 && bench.core.counters.noise == 0)
  }

  @Test func `upstream may nest as deep as clients may, and one level more fails its request`() {
    for (depth, isRight) in [(300, true), (301, false)] {
      var bench = bench { $0.scan.nestingLevels = 300 }
      let client = connect(&bench)
      let deep = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
      bench.answer(result("1", deep) + "\n")
      #expect((bench.heard(client) == [result("1", deep)]) == isRight)
      #expect(bench.core.counters.refusedAnswers == (isRight ? 0 : 1))
    }
  }

  @Test func `without a deadline a request waits for ever, and may still have one of its own`() {
    var bench = bench { $0.timeoutMilliseconds = Admission.unlimited }
    let client = connect(&bench)
    bench.send(line("3", task: #"{"timeoutMs":1000}"#), from: client)
    bench.timePasses(365 * 24 * 3_600_000)
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains(#""id":3,"error":{"code":-32083"#))
    bench.send(line("4", task: #"{"timeoutMs":600001}"#), from: client)
    #expect(bench.heard(client).first?.contains("600000 milliseconds") == true)
  }

  @Test func `another gateway hears of no deadline as of the longest there is`() {
    var bench = bench {
      $0.timeoutMilliseconds = Admission.unlimited
      $0.upstreams[0].passesTask = true
    }
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.connectUpstreams()
    #expect(bench.asked().first?.contains(#""timeoutMs":3600000"#) == true)
  }

  @Test func `an upstream can be opened before anything is asked of it`() {
    var bench = bench {
      var listener = ListenerOptions()
      listener.opensUpstreams = true
      $0.listeners = [listener]
    }
    _ = bench.connect()
    bench.connectUpstreams()
    #expect(bench.sink.connects == 1)
  }
}
