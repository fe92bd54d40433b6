import Foundation
import GatewayCore
import Testing

/// What is handled of one connection before it is the others' turn.
@Suite struct TurnTests {
  private func bench(
    messages: Int = 2, _ change: (inout GatewayConfiguration) -> Void = { _ in }
  ) -> Bench {
    var configuration = GatewayConfiguration()
    configuration.turnMessages = messages
    change(&configuration)
    return Bench(configuration)
  }

  private func ping(_ id: Int) -> String { line("\(id)", "lastword.ping") }
  private func pings(_ ids: ClosedRange<Int>) -> String { ids.map(ping).joined() }
  private func pongs(_ ids: ClosedRange<Int>) -> [String] { ids.map { result("\($0)", "null") } }
  private func batch(_ lines: [String]) -> String {
    "[" + lines.map { String($0.dropLast()) }.joined(separator: ",") + "]\n"
  }

  private static func id(of request: String) -> String {
    String(request.split(separator: #""id":"#)[1].prefix { $0.isNumber })
  }

  @Test func `another client has its turn before the rest of a long chunk`() {
    var bench = bench()
    let (greedy, honest) = (bench.connect(), bench.connect())
    bench.sendInTurn(pings(1...5), from: greedy)
    bench.sendInTurn(ping(9), from: honest)
    #expect(bench.heard(greedy) == pongs(1...2))
    #expect(bench.heard(honest) == pongs(9...9))
    #expect(bench.core.nextInTurn == greedy)
    bench.core.goOn()
    #expect(bench.heard(greedy) == pongs(3...4))
    bench.core.goOn()
    #expect(bench.heard(greedy) == pongs(5...5))
    #expect(bench.core.nextInTurn == nil)
  }

  @Test func `those with much to say take turns`() {
    var bench = bench()
    let clients = [bench.connect(), bench.connect()]
    for client in clients { bench.sendInTurn(pings(1...6), from: client) }
    for turn in 0..<4 {
      #expect(bench.core.nextInTurn == clients[turn % 2])
      bench.core.goOn()
    }
    for client in clients { #expect(bench.heard(client) == pongs(1...6)) }
    #expect(bench.core.nextInTurn == nil)
  }

  @Test func `nothing is read from a client of whom something is held`() {
    var bench = bench()
    let client = bench.connect()
    bench.sendInTurn(pings(1...3), from: client)
    // At once, for the same turn may read more.
    bench.core.flushEarly(into: &bench.sink)
    #expect(bench.sink.paused == [client.slot])
    bench.core.goOn()
    #expect(bench.heard(client) == pongs(1...3) && bench.sink.paused.isEmpty)
  }

  @Test func `what comes of it all the same waits behind what is held`() {
    var bench = bench()
    let client = bench.connect()
    bench.sendInTurn(pings(1...3), from: client)
    bench.sendInTurn(ping(4), from: client)
    #expect(bench.heard(client) == pongs(1...2))
    bench.core.goOn()
    #expect(bench.heard(client) == pongs(3...4))
  }

  @Test func `a message may begin in what is held, and end in what comes later`() {
    var bench = bench()
    let client = bench.connect()
    bench.sendInTurn(pings(1...3) + ping(4).prefix(10), from: client)
    bench.core.goOn()
    #expect(bench.heard(client) == pongs(1...3) && !bench.core.holdsInput)
    bench.sendInTurn(String(ping(4).dropFirst(10)), from: client)
    #expect(bench.heard(client) == pongs(4...4))
  }

  @Test func `what there is no time for waits behind all others`() {
    var bench = bench()
    let (greedy, late) = (bench.connect(), bench.connect())
    bench.sendInTurn(pings(1...3), from: greedy)
    let bytes = Array(ping(9).utf8)
    bench.core.putOff((bytes + [UInt8](repeating: 0xff, count: 64)).span, count: bytes.count, from: late)
    #expect(bench.heard(late) == [])
    // What is left of others can wait.
    bench.core.goOn()
    #expect(bench.heard(late) == pongs(9...9) && bench.core.nextInTurn == greedy)
    bench.core.goOn()
    #expect(bench.heard(greedy) == pongs(1...3) && bench.core.nextInTurn == nil)
  }

  private func putOff(_ text: String, from client: ClientID, in bench: inout Bench) {
    let bytes = Array(text.utf8)
    bench.core.putOff((bytes + [UInt8](repeating: 0xff, count: 64)).span, count: bytes.count, from: client)
  }

  @Test func `who had a turn is not kept waiting by ever new ones`() {
    var bench = bench()
    let greedy = bench.connect()
    bench.sendInTurn(pings(1...5), from: greedy)
    let others = (0..<40).map { _ in bench.connect() }
    for other in others { putOff(ping(1), from: other, in: &bench) }
    var order: [ClientID] = []
    while let next = bench.core.nextInTurn {
      order.append(next)
      bench.core.goOn()
    }
    #expect(order.indices.filter { order[$0] == greedy } == [16, 33])
    #expect(order.filter { $0 != greedy } == others)
    #expect(bench.heard(greedy) == pongs(1...5))
  }

  @Test func `what is left of a first turn waits behind that of others, and is gone with its client`() {
    var bench = bench()
    let clients = (0..<3).map { _ in bench.connect() }
    for client in clients { putOff(pings(1...3), from: client, in: &bench) }
    bench.core.clientDisconnected(clients[1])
    for expected in [0, 2, 0, 2] {
      #expect(bench.core.nextInTurn == clients[expected])
      bench.core.goOn()
    }
    #expect(bench.core.nextInTurn == nil)
    putOff(pings(1...3), from: clients[0], in: &bench)
    bench.core.clientDisconnected(clients[0])
    #expect(bench.core.nextInTurn == nil)
  }

  // MARK: Batches

  @Test(arguments: [1, 2, 3, 4]) func `a long batch goes on in later turns, and is answered as one`(
    share: Int
  ) {
    var bench = bench(messages: share)
    let client = bench.connect()
    bench.sendInTurn(batch((1...7).map(ping)) + ping(8), from: client)
    var heard: [[String]] = [bench.heard(client)]
    while bench.core.holdsInput {
      bench.core.goOn()
      heard.append(bench.heard(client))
    }
    #expect(heard.count >= 8 / share && heard[0].isEmpty)
    #expect(heard.flatMap(\.self) == ["[" + pongs(1...7).joined(separator: ",") + "]"] + pongs(8...8))
    #expect(bench.core.leftovers == ["1 clients"])
  }

  @Test func `a long batch that came in pieces goes on in later turns`() {
    var bench = bench()
    let client = bench.connect()
    let text = batch((1...5).map(ping))
    bench.sendInTurn(String(text.prefix(20)), from: client)
    bench.sendInTurn(String(text.dropFirst(20)), from: client)
    #expect(bench.core.nextInTurn == client)
    bench.core.goOn()
    bench.core.goOn()
    #expect(bench.heard(client) == ["[" + pongs(1...5).joined(separator: ",") + "]"])
  }

  @Test func `what comes between two parts of a batch is older than the later one`() {
    var bench = bench(messages: 3)
    let (greedy, honest) = (bench.connect(), bench.connect())
    let key = #"{"key":"k"}"#
    bench.sendInTurn(batch((1...4).map { line("\($0)", task: key) }), from: greedy)
    bench.sendInTurn(line("9", task: key), from: honest)
    bench.core.goOn()
    #expect(bench.heard(honest)[0].contains("-32080"))
    // The later item is sent once what it superseded has ended upstream.
    let superseded = bench.asked().last { $0.contains(#""method":"m""#) }.map(Self.id) ?? ""
    bench.answer(result(superseded, "0") + "\n")
    #expect(bench.heard(greedy) == [])
    let later = bench.asked().map(Self.id)
    #expect(later.count == 1)
    bench.answer(result(later.last ?? "", "1") + "\n")
    let answers = bench.heard(greedy)
    #expect(answers.count == 1 && answers[0].hasSuffix("," + result("4", "1") + "]"), "\(answers)")
    #expect(answers[0].components(separatedBy: "-32080").count == 4 && bench.heard(honest) == [])
  }

  @Test func `a client that resets in the middle of a batch leaves nothing behind`() {
    var bench = bench()
    let client = bench.connect()
    bench.sendInTurn(batch((1...5).map { line("\($0)") }) + ping(6), from: client)
    bench.core.clientDisconnected(client)
    #expect(bench.core.nextInTurn == nil)
    #expect(bench.core.counters.abandoned == 1)
    bench.core.shutDown()
    bench.core.flush(into: &bench.sink)
    #expect(bench.core.leftovers == [])
  }

  // MARK: Ends

  @Test func `a client that is gone lets others go first where there is no time for its end`() {
    var bench = bench()
    let (gone, honest) = (bench.connect(), bench.connect())
    bench.connectUpstreams()
    bench.sendInTurn(line("1") + line("2") + line("3"), from: gone)
    putOff(ping(9), from: honest, in: &bench)
    bench.core.putOffEnd(of: gone)
    #expect(bench.core.counters.abandoned == 0)
    bench.core.goOn()
    #expect(bench.heard(honest) == pongs(9...9) && bench.core.nextInTurn == gone)
    bench.core.goOn()
    #expect(bench.core.nextInTurn == nil && bench.core.clientCount == 1)
    // What was held of it was not handled any more.
    #expect(bench.core.counters.abandoned == 2)
  }

  @Test(arguments: [(2_047, false), (2_048, true)])
  func `what a client that is gone had open is work of the turn`(requests: Int, isMuch: Bool) {
    var bench = bench(messages: 10_000)
    let client = bench.connect()
    bench.sendInTurn((1...requests).map { line("\($0)") }.joined(), from: client)
    bench.core.flush(into: &bench.sink)
    bench.core.clientDisconnected(client)
    #expect(bench.core.hasWorkedMuch == isMuch)
    bench.core.flush(into: &bench.sink)
    #expect(bench.core.hasWorkedMuch == false)
  }

  @Test func `a client that sends no more is answered what is held first`() {
    var bench = bench()
    let client = bench.connect()
    bench.sendInTurn(pings(1...5), from: client)
    bench.core.clientEnded(client)
    #expect(bench.heard(client) == pongs(1...2) && bench.sink.closed.isEmpty)
    bench.core.goOn()
    #expect(bench.heard(client) == pongs(3...4) && bench.sink.closed.isEmpty)
    bench.core.goOn()
    #expect(bench.heard(client) == pongs(5...5) && bench.sink.closed == [client.slot])
  }

  @Test func `a gateway that drains answers what is held`() {
    var bench = bench()
    let client = bench.connect()
    bench.sendInTurn((1...3).map { line("\($0)") }.joined(), from: client)
    bench.core.drain()
    bench.answer(result("1", "1") + "\n" + result("2", "2") + "\n")
    #expect(bench.heard(client).count == 2)
    #expect(!bench.core.isQuiet && !bench.core.hasHandedOutReplies)
    bench.core.goOn()
    #expect(bench.heard(client)[0].contains("-32085"))
    #expect(bench.core.isQuiet == true)
  }

  @Test func `what follows a first line that is no JSON is not handled later either`() {
    var bench = bench(messages: 1)
    let client = bench.connect()
    bench.sendInTurn("SSH-2.0\n" + ping(1), from: client)
    #expect(!bench.core.holdsInput && bench.heard(client).count == 1)
    #expect(bench.sink.closed == [client.slot])
  }

  @Test func `a client that does not read stays paused when nothing of it is held any more`() {
    var bench = bench { $0.clientOutputSoftBytes = 100 }
    let client = bench.connect()
    bench.sink.clientRoom = 0
    bench.sendInTurn(pings(1...6), from: client)
    bench.core.goOn()
    bench.core.goOn()
    bench.core.flush(into: &bench.sink)
    #expect(!bench.core.holdsInput && bench.sink.paused == [client.slot])
    bench.sink.clientRoom = nil
    bench.core.clientBecameWritable(client)
    #expect(bench.heard(client) == pongs(1...6) && bench.sink.paused.isEmpty)
  }

  @Test func `nobody waits for the rest of a message while it is the gateway that has to go on`() {
    var bench = bench { $0.messageMilliseconds = 50 }
    let client = bench.connect()
    bench.sendInTurn(pings(1...3) + "{", from: client)
    bench.timePasses(1_000)
    #expect(bench.heard(client) == pongs(1...2) && bench.sink.closed.isEmpty)
    bench.core.goOn()
    bench.timePasses(49)
    #expect(bench.heard(client) == pongs(3...3) && bench.sink.closed.isEmpty)
    bench.timePasses(1)
    #expect(bench.heard(client).count == 1 && bench.sink.closed == [client.slot])
  }

  // MARK: Long answers

  @Test func `long answers spend a share by their bytes`() {
    var bench = bench(messages: 100) { $0.turnOutputBytes = 1_024 }
    let client = bench.connect()
    bench.sendInTurn((1...3).map { line("\($0)", "rpc.discover") }.joined(), from: client)
    #expect(bench.heard(client).count == 1)
    bench.core.goOn()
    #expect(bench.heard(client).count == 1)
    bench.core.goOn()
    #expect(bench.heard(client).count == 1 && !bench.core.holdsInput)
  }

  @Test func `so do those in a batch, whose rest has its turn`() {
    var bench = bench(messages: 100) { $0.turnOutputBytes = 1_024 }
    let client = bench.connect()
    bench.sendInTurn(batch((1...3).map { line("\($0)", "rpc.discover") }), from: client)
    for _ in 0..<2 {
      #expect(bench.heard(client).isEmpty && bench.core.nextInTurn == client)
      bench.core.goOn()
    }
    let heard = bench.heard(client)
    #expect(heard.count == 1 && !bench.core.holdsInput)
    #expect((1...3).allSatisfy { heard[0].contains("{\"jsonrpc\":\"2.0\",\"id\":\($0),") })
  }
}
