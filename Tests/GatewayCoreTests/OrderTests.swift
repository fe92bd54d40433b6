import GatewayCore
import TaskStore
import Testing

/// `task.order`: what comes behind a newer request of its session and key has come too late, as long as that is
/// remembered.
@Suite struct OrderTests {
  private func request(
    _ id: Int, _ order: Int, key: String = "k", policy: DuplicatePolicy = .cancel, more: String = ""
  ) -> String {
    line("\(id)", task: #"{"key":"\#(key)","policy":"\#(policy.name)","order":\#(order)\#(more)}"#)
  }

  private static func bench(_ adjust: (inout GatewayConfiguration) -> Void = { _ in }) -> Bench {
    var configuration = GatewayConfiguration()
    adjust(&configuration)
    return Bench(configuration)
  }

  private func post(_ bench: inout Bench, _ session: String?) throws -> ClientID {
    let connected = bench.core.clientConnected(listener: 0, as: .exchange)
    let client = try #require(connected)
    if let session { bench.core.name(client, session: Array(session.utf8)) }
    return client
  }

  /// Whether a request is refused at once as one that came too late.
  private func isLate(_ text: String, from client: ClientID, _ bench: inout Bench) -> Bool {
    bench.send(text, from: client)
    let isSent = bench.asked().contains { $0.contains(#""method":"m""#) }
    let isRefused = bench.heard(client).contains {
      $0.contains(#""code":-32080"#) && $0.contains(#""phase":"queued","upstream":"notSent""#)
        && !$0.contains(#""generation""#)
    }
    return isRefused && !isSent
  }

  /// Sends a request, and has it answered.
  private func serve(_ text: String, from client: ClientID, _ bench: inout Bench) {
    bench.send(text, from: client)
    answerAll(&bench)
    #expect(bench.heard(client).last?.contains(#""result":0"#) == true)
  }

  private func answerAll(_ bench: inout Bench) {
    for asked in bench.asked() {
      if let id = asked.firstMatch(of: /"id":(\d+),"method":"m"/)?.1 {
        bench.answer(result(String(id), "0") + "\n")
      }
    }
  }

  @Test(arguments: DuplicatePolicy.allCases)
  func `of policies of which only the newest matters what is late is refused`(policy: DuplicatePolicy) {
    var bench = Self.bench()
    let client = bench.connect()
    serve(request(1, 7, policy: .wait), from: client, &bench)
    let matters = [.wait, .concurrent, .preferPrevious].contains(policy)
    #expect(isLate(request(2, 6, policy: policy), from: client, &bench) == !matters)
  }

  @Test func `what is late supersedes nothing, and leaves nothing behind`() {
    var bench = Self.bench()
    let client = bench.connect()
    bench.send(request(1, 2), from: client)
    #expect(bench.asked().count == 1)
    #expect(isLate(request(2, 1), from: client, &bench))
    #expect(bench.core.taskCount == 1 && bench.core.liveRequestCount == 1)
    #expect(!isLate(request(3, 2), from: client, &bench), "an equal order is not lower")
  }

  @Test func `a request that was refused is not remembered`() {
    var bench = Self.bench { $0.store.waiters = 1 }
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.send(request(2, 9), from: client)
    #expect(bench.heard(client).first?.contains("-32082") == true)
    answerAll(&bench)
    serve(request(3, 5), from: client, &bench)
  }

  @Test func `who joins a task is remembered`() {
    var bench = Self.bench()
    let client = bench.connect()
    bench.send(request(1, 1), from: client)
    bench.send(request(2, 5, more: #","join":"identical""#), from: client)
    #expect(bench.asked().count == 1)
    #expect(isLate(request(3, 4), from: client, &bench))
  }

  @Test func `keys, scopes, connections and namespaces are compared apart`() {
    var bench = Self.bench()
    let (client, other) = (bench.connect(), bench.connect())
    serve(request(1, 9), from: client, &bench)
    serve(request(2, 1, key: "l"), from: client, &bench)
    serve(request(3, 1, more: #","scope":"connection""#), from: client, &bench)
    serve(request(1, 1), from: other, &bench)
    #expect(isLate(request(4, 8), from: client, &bench))
    #expect(isLate(request(5, 0, more: #","scope":"connection""#), from: client, &bench))
  }

  // MARK: POSTs

  @Test func `a session of POSTs is remembered when none of them is there any more`() throws {
    var bench = Self.bench()
    let first = try post(&bench, "one")
    serve(request(1, 2), from: first, &bench)
    bench.core.clientDisconnected(first)
    let (late, other, alone) = (try post(&bench, "one"), try post(&bench, "two"), try post(&bench, nil))
    #expect(isLate(request(1, 1), from: late, &bench))
    serve(request(1, 1), from: other, &bench)
    serve(request(1, 1), from: alone, &bench)
  }

  @Test func `to a POST without a session an order means nothing`() throws {
    var bench = Self.bench()
    let client = try post(&bench, nil)
    bench.send("[" + request(1, 2).dropLast() + "," + request(2, 1).dropLast() + "]\n", from: client)
    #expect(bench.asked().count { $0.contains(#""method":"m""#) } == 2)
  }

  // MARK: How long

  @Test func `it is remembered for orderMs after the last task has ended`() {
    var bench = Self.bench { $0.orderMilliseconds = 100 }
    let client = bench.connect()
    bench.send(request(1, 2), from: client)
    bench.timePasses(1_000)
    answerAll(&bench)
    bench.timePasses(100)
    #expect(isLate(request(2, 1), from: client, &bench))
    #expect(bench.core.orderCount == 1)
    bench.timePasses(1)
    #expect(bench.core.orderCount == 0)
    serve(request(3, 1), from: client, &bench)
  }

  @Test func `it is remembered as long as a task is there`() {
    var bench = Self.bench {
      $0.orderMilliseconds = 0
      $0.timeoutMilliseconds = 10
    }
    let client = bench.connect()
    bench.send(request(1, 2), from: client)
    #expect(bench.asked().count == 1)
    bench.timePasses(20)
    #expect(bench.heard(client).first?.contains("-32083") == true)
    // Upstream has not ended it.
    #expect(isLate(request(2, 1), from: client, &bench))
  }

  @Test func `a reload changes how long`() {
    var bench = Self.bench()
    let client = bench.connect()
    serve(request(1, 2), from: client, &bench)
    bench.timePasses(50)
    var configuration = GatewayConfiguration()
    configuration.orderMilliseconds = 40
    bench.core.reconfigure(configuration)
    serve(request(2, 1), from: client, &bench)
  }

  // MARK: How many

  @Test func `of more than orders those go first that have had no task for the longest`() {
    var bench = Self.bench { $0.orders = 8 }
    let client = bench.connect()
    // A quarter of them is one principal's.
    for key in ["a", "b", "a", "c"] { serve(request(1, 5, key: key), from: client, &bench) }
    #expect(bench.core.orderCount == 2)
    #expect(isLate(request(2, 4, key: "a"), from: client, &bench))
    #expect(isLate(request(3, 4, key: "c"), from: client, &bench))
    serve(request(4, 4, key: "b"), from: client, &bench)
  }

  @Test func `what has a task is not forgotten for others`() {
    var bench = Self.bench { $0.orders = 4 }
    let client = bench.connect()
    bench.send(request(1, 5, key: "a"), from: client)
    #expect(bench.asked().count == 1)
    for key in ["b", "c", "d"] { serve(request(2, 5, key: key), from: client, &bench) }
    #expect(isLate(request(3, 4, key: "a"), from: client, &bench))
  }

  @Test func `nothing is left when all is over`() {
    var bench = Self.bench()
    let client = bench.connect()
    for key in 0..<100 { serve(request(1, key, key: "\(key)"), from: client, &bench) }
    bench.core.clientDisconnected(client)
    #expect(bench.core.leftovers == ["100 orders"])
    let due = bench.core.nextDueMilliseconds
    #expect(due == bench.core.nowMilliseconds + 10_001)
    bench.timePasses(10_001)
    #expect(bench.core.leftovers == [])
  }
}
