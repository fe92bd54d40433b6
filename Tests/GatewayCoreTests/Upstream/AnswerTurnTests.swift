import GatewayCore
import Testing

/// What is handled of one upstream connection before it is the turn of others.
@Suite struct AnswerTurnTests {
  private func bench() -> Bench {
    var configuration = GatewayConfiguration()
    configuration.turnAnswers = 4
    return Bench(configuration)
  }

  /// A client whose six requests were sent upstream under the ids 1 to 6.
  private func asker(_ bench: inout Bench) -> ClientID {
    let client = bench.connect()
    for id in 1...6 { bench.send(line("\(id)"), from: client) }
    _ = bench.asked()
    return client
  }

  private func results(_ ids: ClosedRange<Int>) -> [String] { ids.map { result("\($0)", "0") } }
  private func text(_ ids: ClosedRange<Int>) -> String { results(ids).map { $0 + "\n" }.joined() }

  @Test func `many answers in one piece are handed on in several turns, in their order`() {
    var bench = bench()
    let client = asker(&bench)
    bench.answer(text(1...6))
    // Each is a message, and reaches one caller.
    #expect(bench.heard(client) == results(1...2) && bench.core.holdsInput)
    #expect(bench.core.nextUpstreamInTurn == Bench.upstream && bench.sink.pausedUpstreams == [0])
    bench.core.goOnWithAnswers()
    #expect(bench.heard(client) == results(3...4))
    bench.core.goOnWithAnswers()
    #expect(bench.heard(client) == results(5...6) && !bench.core.holdsInput)
    #expect(bench.sink.pausedUpstreams == [] && bench.core.leftovers == ["1 clients"])
  }

  @Test func `what comes all the same waits behind what is held, be it half a message`() {
    var bench = bench()
    let client = asker(&bench)
    let last = text(6...6)
    bench.answer(text(1...5) + last.prefix(9))
    bench.answer(String(last.dropFirst(9)))
    #expect(bench.heard(client) == results(1...2))
    while bench.core.holdsInput { bench.core.goOnWithAnswers() }
    #expect(bench.heard(client) == results(3...6))
  }

  @Test func `what there is no time for waits, too`() {
    var bench = bench()
    let client = asker(&bench)
    let bytes = Array(text(1...1).utf8)
    bench.core.putOff(
      (bytes + [UInt8](repeating: 0xff, count: 64)).span, count: bytes.count, from: Bench.upstream)
    #expect(bench.heard(client) == [])
    bench.core.goOnWithAnswers()
    #expect(bench.heard(client) == results(1...1))
  }

  @Test func `what came before a connection ended counts`() {
    var bench = bench()
    let client = asker(&bench)
    bench.answer(text(1...5))
    bench.core.upstreamDisconnected(Bench.upstream)
    let heard = bench.heard(client)
    #expect(heard.prefix(5) == results(1...5)[...] && heard.last?.contains("-32084") == true)
    #expect(!bench.core.holdsInput && bench.core.leftovers == ["1 clients"])
  }

  @Test func `what comes behind garbage does not`() {
    var bench = bench()
    let client = asker(&bench)
    bench.answer(text(1...3) + "{ no JSON }\n" + text(4...4))
    while bench.core.holdsInput { bench.core.goOnWithAnswers() }
    let heard = bench.heard(client)
    #expect(heard.prefix(3) == results(1...3)[...] && heard.count == 6)
    #expect(heard.dropFirst(3).allSatisfy { $0.contains("-32084") })
    bench.timePasses(1_000)
    bench.connectUpstreams()
    bench.send(line("7"), from: client)
    #expect(bench.asked().count == 1)
  }

  @Test func `a newer request that comes meanwhile supersedes what is not handled yet`() {
    var bench = bench()
    let client = asker(&bench)
    let task = #"{"key":"k"}"#
    bench.send(line("7", task: task), from: client)
    let asked = bench.asked()
    #expect(asked.count == 1)
    let id = String(asked[0].split(separator: #""id":"#)[1].prefix { $0.isNumber })
    bench.answer(text(1...2) + result(id, "0") + "\n")
    bench.send(line("8", task: task), from: client)
    bench.core.goOnWithAnswers()
    let heard = bench.heard(client)
    #expect(heard.prefix(2) == results(1...2)[...] && heard.count == 3 && heard[2].contains("-32080"))
  }

  @Test func `a gateway that drains hands on what is held`() {
    var bench = bench()
    let client = asker(&bench)
    bench.answer(text(1...6))
    bench.core.drain()
    #expect(bench.heard(client) == results(1...2) && !bench.core.isQuiet)
    while bench.core.holdsInput { bench.core.goOnWithAnswers() }
    #expect(bench.heard(client) == results(3...6) && bench.core.isQuiet)
  }
}
