import GatewayCore
import TaskStore
import Testing

/// What those hear who watch.
@Suite struct JournalTests {
  /// What was noted since this was last asked.
  private func taken(_ bench: inout Bench) -> [TaskEvent.Kind] {
    var kinds: [TaskEvent.Kind] = []
    bench.core.takeJournal { kinds = $0.events.map(\.kind) }
    return kinds
  }

  private static func watched(limitEvents: Int = 100) -> Bench {
    var bench = Bench()
    bench.core.watch(limitEvents: limitEvents)
    return bench
  }

  @Test func `a task tells its key and its method when it is admitted`() {
    var bench = Self.watched()
    let client = bench.connect()
    bench.send(line("1", "find", task: #"{"key":"k","policy":"wait"}"#), from: client)
    bench.answer(result("1", "0") + "\n")
    var texts: [String] = []
    var generations: [UInt64] = []
    bench.core.takeJournal { journal in
      for range in [journal.events[0].key, journal.events[0].method] {
        texts.append(String(decoding: journal.text[range], as: UTF8.self))
      }
      generations = journal.events.map(\.generation)
    }
    #expect(texts == ["k", #""find""#] && generations == [1, 1, 1])
  }

  @Test func `a superseded task tells by what, and when upstream has ended it`() {
    var bench = Self.watched()
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k"}"#), from: client)
    _ = taken(&bench)
    bench.timePasses(25)
    bench.send(line("2", task: #"{"key":"k","policy":"cancelAndWait"}"#), from: client)
    var kinds: [TaskEvent.Kind] = []
    var ages: [UInt64] = []
    bench.core.takeJournal { journal in
      kinds = journal.events.map(\.kind)
      ages = journal.events.map(\.ageMilliseconds)
    }
    #expect(
      kinds == [
        .admitted(.cancelAndWait),
        .refused(.superseded(by: 2), .cancelAndWait, .cancelSent, taskGoesOn: false), .cancelSent,
      ])
    #expect(ages == [0, 25, 25])
    bench.answer(result("1", "0") + "\n")
    #expect(taken(&bench) == [.ended(.succeeded), .sent])
  }

  @Test func `an answer that supersedes older tasks is told as the policy that does so`() {
    var bench = Self.watched()
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k","policy":"concurrent"}"#), from: client)
    bench.send(line("2", task: #"{"key":"k","policy":"onAnswer"}"#), from: client)
    _ = taken(&bench)
    bench.answer(result("2", "0") + "\n")
    #expect(
      taken(&bench) == [
        .answered(isError: false),
        .refused(.superseded(by: 2), .onAnswer, .cancelSent, taskGoesOn: false), .cancelSent,
      ])
  }

  @Test func `joined, rejected, abandoned and failed requests are told`() {
    var bench = Self.watched()
    let (client, other) = (bench.connect(), bench.connect())
    let task = #"{"key":"k","policy":"preferPrevious"}"#
    bench.send(line("1", task: task), from: client)
    bench.send(line("2", task: task), from: client)
    bench.send(line("3", params: "[1]", task: task), from: client)
    bench.core.clientDisconnected(client)
    bench.send(line("4"), from: other)
    _ = bench.asked()
    bench.core.upstreamDisconnected(Bench.upstream)
    #expect(
      taken(&bench) == [
        .admitted(.preferPrevious), .sent, .joined, .rejected(.preferPrevious, .busy), .abandoned, .abandoned,
        .cancelSent, .admitted(.cancel), .sent,
        .refused(.upstreamUnavailable, .cancel, .mayHaveCompleted, taskGoesOn: false), .ended(.silent),
        .ended(.silent),
      ])
  }

  @Test func `a notification has ended when it is handed over`() {
    var bench = Self.watched()
    let client = bench.connect()
    bench.send(#"{"jsonrpc":"2.0","method":"m"}"# + "\n", from: client)
    #expect(taken(&bench) == [.admitted(.cancel), .sent, .answered(isError: false)])
  }

  /// Upstream takes each request by itself, at the end of the turn.
  private static func watchedExchanges(cancel: CancelDialect) -> Bench {
    var configuration = GatewayConfiguration()
    configuration.upstreams = [UpstreamOptions(cancel: cancel)]
    configuration.upstreams[0].shape = .exchanges
    var bench = Bench(configuration)
    bench.core.watch(limitEvents: 100)
    return bench
  }

  @Test(arguments: [CancelDialect.abort, .none])
  func `what was refused before it went upstream has no other end`(cancel: CancelDialect) {
    var bench = Self.watchedExchanges(cancel: cancel)
    let client = bench.connect()
    let task = #"{"key":"k"}"#
    bench.send(line("1", task: task) + line("2", task: task), from: client)
    _ = bench.asked()
    #expect(
      taken(&bench) == [
        .admitted(.cancel), .admitted(.cancel),
        .refused(.superseded(by: 2), .cancel, .notSent, taskGoesOn: false), .sent,
      ])
  }

  @Test(arguments: [CancelDialect.abort, .none])
  func `a notification that was superseded before it went upstream has ended`(cancel: CancelDialect) {
    var bench = Self.watchedExchanges(cancel: cancel)
    let client = bench.connect()
    let notification = #"{"jsonrpc":"2.0","method":"m","task":{"key":"k"}}"# + "\n"
    bench.send(notification + notification, from: client)
    _ = bench.asked()
    #expect(taken(&bench) == [.admitted(.cancel), .admitted(.cancel), .ended(.silent), .sent])
    bench.core.exchangeDelivered(TaskID(rawValue: 2), over: Bench.upstream)
    #expect(taken(&bench) == [.answered(isError: false)])
  }

  @Test func `what upstream did not get after all has ended when nobody wants it any more`() {
    var bench = Self.watchedExchanges(cancel: .none)
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k"}"#), from: client)
    _ = bench.asked()
    bench.send(line("2", task: #"{"key":"k","policy":"wait"}"#), from: client)
    bench.core.clientDisconnected(client)
    _ = taken(&bench)
    bench.core.exchangeFailed(TaskID(rawValue: 1), .unreached, over: Bench.upstream)
    #expect(taken(&bench) == [.ended(.silent)])
  }

  @Test func `an event tells whose key it is about`() {
    var bench = Self.watched()
    let (one, other) = (bench.connect(), bench.connect())
    bench.send(line("1", task: #"{"key":"k","scope":"connection"}"#), from: one)
    bench.send(line("1", task: #"{"key":"k","scope":"connection"}"#), from: other)
    bench.send(line("2", task: #"{"key":"k"}"#), from: one)
    var namespaces: [UInt64] = []
    bench.core.takeJournal { journal in
      namespaces = journal.events.filter { $0.kind == .admitted(.cancel) }.compactMap(\.namespace?.number)
    }
    #expect(namespaces == [3, 5, 0])
  }

  @Test func `whoever asks is told of by its connection, and named as long as it is there`() {
    var bench = Self.watched()
    let (one, other) = (bench.connect(), bench.connect())
    bench.send(line("1", task: #"{"key":"k","policy":"preferPrevious"}"#), from: one)
    bench.send(line("2", task: #"{"key":"k","policy":"preferPrevious"}"#), from: one)
    bench.send(line("1", task: #"{"key":"k","policy":"preferPrevious"}"#), from: other)
    bench.send(line("2", "another", task: #"{"key":"k","policy":"preferPrevious"}"#), from: other)
    bench.core.clientDisconnected(other)
    bench.core.nameOrigins { $0.way = ClientWay(.webSocket) }
    var told: [[String]] = []
    bench.core.takeJournal { journal in
      told = journal.events.map { event in
        guard event.origin >= 0 else { return ["nobody"] }
        let origin = journal.origins[event.origin]
        return ["\(event.client == origin.client.slot)", "\(origin.connection)", origin.transport ?? "gone"]
      }
      #expect(journal.origins.count == 2)
    }
    #expect(
      told.filter { $0.count > 1 } == [
        ["true", "1", "websocket"], ["true", "1", "websocket"], ["true", "2", "gone"], ["true", "2", "gone"],
      ])
    bench.core.takeJournal { #expect($0.origins.isEmpty) }
  }

  @Test func `who has the slot of one that is gone is not taken for it`() {
    var bench = Self.watched()
    let gone = bench.connect()
    bench.send(line("1"), from: gone)
    bench.core.clientDisconnected(gone)
    let next = bench.connect()
    bench.send(line("1"), from: next)
    bench.core.nameOrigins { $0.way = ClientWay(.stdio) }
    bench.core.takeJournal { journal in
      #expect(journal.origins.map(\.client) == [next, next])
      #expect(journal.origins.map(\.connection) == [1, 2])
      #expect(journal.origins.map(\.transport) == [nil, "stdio"])
    }
  }

  @Test func `what is beyond the bound is counted, until the journal is taken`() {
    var bench = Self.watched(limitEvents: 2)
    let client = bench.connect()
    bench.send(line("1", task: #"{"key":"k"}"#) + line("2", task: #"{"key":"k"}"#), from: client)
    var counts: [Int] = []
    bench.core.takeJournal { counts += [$0.events.count, Int($0.leftOutCount)] }
    bench.answer(result("2", "0") + "\n")
    bench.core.takeJournal { counts += [$0.events.count, Int($0.leftOutCount)] }
    #expect(counts == [2, 4, 1, 0])
  }

  @Test func `nothing is noted or counted while nobody watches`() {
    var bench = Bench()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    var isEmpty = false
    bench.core.takeJournal {
      isEmpty = $0.events.isEmpty && $0.leftOutCount == 0 && $0.text.isEmpty && $0.origins.isEmpty
    }
    #expect(isEmpty)
  }

  @Test func `the fullest lanes come first, with their newest tasks`() {
    var bench = Bench()
    let client = bench.connect()
    for (id, key) in ["a", "b", "b", "b", "c", "c"].enumerated() {
      bench.send(line("\(id)", task: #"{"key":"\#(key)","policy":"wait"}"#), from: client)
    }
    let lanes = bench.core.fullestLanes(limit: 2, taskLimit: 2)
    #expect(lanes.map { String(decoding: $0.key, as: UTF8.self) } == ["b", "c"])
    #expect(lanes.map(\.counts.running) == [1, 1] && lanes.map(\.counts.queued) == [2, 1])
    #expect(lanes[0].tasks.map(\.generation) == [4, 3])
    #expect(bench.core.gauges.lanes == 3 && bench.core.gauges.requests == 6)
    #expect(bench.core.upstreamGauges.map(\.inFlight) == [3])
  }
}
