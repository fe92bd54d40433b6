import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// Answers that come in pieces: each reaches those only who still wait for what it is a part of.
@Suite struct PieceTests {
  private static let streaming = #"{"key":"k","stream":true}"#

  private func bench(_ adjust: (inout GatewayConfiguration) -> Void = { _ in }) -> Bench {
    var configuration = GatewayConfiguration()
    adjust(&configuration)
    return Bench(configuration)
  }

  private func piece(_ id: String, _ value: String) -> String {
    #"{"jsonrpc":"2.0","method":"lastword.piece","params":{"id":\#(id),"value":\#(value)}}"#
  }

  private func give(_ bench: inout Bench, _ id: String, _ values: String...) {
    bench.answer(values.map { piece(id, $0) + "\n" }.joined())
  }

  private func superseding(_ policy: String) -> String { #"{"key":"k","policy":"\#(policy)","stream":true}"# }

  // MARK: Exchanges

  @Test func `an exchange gives pieces of its own request only, and then its answer`() {
    var bench = bench { $0.upstreams[0].shape = .exchanges }
    let client = bench.connect()
    for id in 1...2 { bench.send(line("\(id)", task: #"{"key":"k\#(id)","stream":true}"#), from: client) }
    #expect(bench.heard(client) == [])
    let first = TaskID(rawValue: 1)
    bench.give(piece("1", "1"), of: first)
    bench.give(piece("2", "1"), of: first)
    bench.give(#"{"jsonrpc":"2.0","method":"other"}"#, of: first)
    bench.give("{", of: first)
    bench.answer(result("1", "7"), to: first)
    bench.give(piece("1", "2"), of: first)
    #expect(bench.heard(client) == [piece("1", "1"), result("1", "7")])
    #expect(bench.core.counters.droppedPieces == 2 && bench.core.counters.unsolicited == 2)
  }

  @Test func `what a child of an exchange prints besides is noise`() {
    var bench = bench {
      $0.upstreams[0].shape = .exchanges
      $0.upstreams[0].toleratesNoise = true
    }
    let client = bench.connect()
    bench.send(line("1"), from: client)
    #expect(bench.heard(client) == [])
    for text in ["[INFO] ready", "[1]"] { bench.give(text, of: TaskID(rawValue: 1)) }
    bench.answer(result("1", "7"), to: TaskID(rawValue: 1))
    #expect(bench.heard(client) == [result("1", "7")])
    #expect(bench.core.counters.noise == 1 && bench.core.counters.unsolicited == 1)
  }

  @Test func `an exchange that gives too much is aborted`() {
    var bench = bench {
      $0.upstreams = [UpstreamOptions(cancel: .abort)]
      $0.upstreams[0].shape = .exchanges
      $0.piecesPerTask = 1
    }
    let client = bench.connect()
    bench.send(line("1", task: Self.streaming), from: client)
    #expect(bench.heard(client) == [])
    for _ in 1...2 { bench.give(piece("1", "1"), of: TaskID(rawValue: 1)) }
    let heard = bench.heard(client)
    #expect(heard.count == 2 && heard[1].contains("piecesPerTask"))
    #expect(bench.sink.aborted == [TaskID(rawValue: 1)])
  }

  // MARK: What is said besides

  private func asideBench() -> Bench {
    bench {
      $0.upstreams = [UpstreamOptions(cancel: .abort)]
      $0.upstreams[0].shape = .exchanges
      $0.upstreams[0].relaysNotifications = true
    }
  }

  /// Two POSTs that have begun.
  private func posts(_ bench: inout Bench) -> [ClientID] {
    [
      bench.core.clientConnected(listener: 0, as: .exchange)!,
      bench.core.clientConnected(listener: 0, as: .exchange)!,
    ]
  }

  private func aside(_ number: Int) -> String { #"{"jsonrpc":"2.0","method":"n","params":[\#(number)]}"# }

  @Test func `what an exchange says besides its answer is for who waits for that, until it is superseded`() {
    var bench = asideBench()
    let client = bench.connect()
    let key = #"{"key":"k"}"#
    bench.send(line("1", task: key), from: client)
    #expect(bench.heard(client) == [])
    bench.give(aside(1), of: TaskID(rawValue: 1))
    bench.send(line("2", task: key), from: client)
    bench.give(aside(2), of: TaskID(rawValue: 1))
    #expect(bench.heard(client).map { $0.contains("-32080") } == [false, true])
    bench.give(aside(3), of: TaskID(rawValue: 2))
    bench.give(#"{"jsonrpc":"2.0","id":5,"method":"ask"}"#, of: TaskID(rawValue: 2))
    bench.answer(result("2", "7"), to: TaskID(rawValue: 2))
    bench.give(aside(4), of: TaskID(rawValue: 2))
    #expect(bench.heard(client) == [aside(3), result("2", "7")])
    #expect(bench.core.counters.droppedPieces == 2 && bench.core.counters.unsolicited == 1)
    #expect(bench.core.counters.relayed == 2)
  }

  private func subscribed(_ id: String) -> String {
    let meta = #"{"a":[{}],"io.modelcontextprotocol/subscriptionId":\#(id)}"#
    return #"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":\#(meta),"b":1}}"#
  }

  @Test func `what an exchange says for a subscription names it by each caller's id`() {
    var bench = asideBench()
    let clients = [bench.connect(), bench.connect()]
    bench.send(line(#""s\u0031""#, task: #"{"key":"k"}"#), from: clients[0])
    let joining = #"{"key":"k","policy":"preferPrevious","join":"identical"}"#
    bench.send(line("77", task: joining), from: clients[1])
    #expect(bench.heard(clients[0]) == [])
    bench.give(subscribed("1"), of: TaskID(rawValue: 1))
    #expect(bench.heard(clients[0]) == [subscribed(#""s\u0031""#)])
    #expect(bench.heard(clients[1]) == [subscribed("77")])
  }

  @Test func `an upstream of a client's own names a subscription by its request, while that is open`() {
    var bench = Bench.ofOwnUpstreams { $0.upstreams[0].cancel = .mcp }
    let client = bench.connect()
    bench.send(line(#""a""#) + line("8", task: #"{"key":"k"}"#), from: client)
    bench.connectUpstreams()
    #expect(bench.asked().count == 2)
    bench.answer(["1", "2", "3", #""1""#].map { subscribed($0) + "\n" }.joined())
    #expect(bench.heard(client) == [subscribed(#""a""#), subscribed("8"), subscribed(#""1""#)])
    bench.send(line("9", task: #"{"key":"k"}"#), from: client)
    bench.answer(["2", "1", "3"].map { subscribed($0) + "\n" }.joined())
    let heard = bench.heard(client)
    #expect(heard[0].contains("-32080") && heard.dropFirst() == [subscribed(#""a""#), subscribed("9")])
    #expect(bench.core.counters.droppedPieces == 2 && bench.core.counters.relayed == 5)
  }

  @Test func `a POST hears it only where it reads events`() {
    var bench = asideBench()
    let clients = self.posts(&bench)
    bench.core.takesEvents(clients[1])
    for client in clients { bench.send(line("1"), from: client) }
    for client in clients { #expect(bench.heard(client) == []) }
    for task in 1...2 as ClosedRange<UInt64> {
      bench.give(aside(1), of: TaskID(rawValue: task))
      bench.answer(result("\(task)", "7"), to: TaskID(rawValue: task))
    }
    #expect(bench.heard(clients[0]) == [result("1", "7")])
    #expect(bench.heard(clients[1]) == [aside(1), result("1", "7")])
  }

  @Test func `what POSTs ask an upstream of connections' own goes to the one that is for them`() {
    var bench = bench {
      $0.upstreams = [UpstreamOptions(cancel: .mcp), UpstreamOptions(cancel: .abort)]
      $0.upstreams[0].isPerConnection = true
      $0.upstreams[0].placeForPosts = 1
      $0.upstreams[1].shape = .exchanges
    }
    let posts = self.posts(&bench)
    let key = #"{"key":"k"}"#
    for post in posts {
      bench.send(line("1", task: key), from: post)
      #expect(bench.heard(post) == [])
    }
    // They share their keys, whatever connection they come over.
    #expect(bench.heard(posts[0]).first?.contains("-32080") == true)
    #expect(bench.sink.exchanges.map(\.exchange.task) == [1, 2].map { TaskID(rawValue: $0) })
    #expect(bench.sink.aborted == [TaskID(rawValue: 1)])
    let client = bench.connect()
    bench.send(line("1", task: key), from: client)
    bench.core.flush(into: &bench.sink)
    #expect(bench.sink.connecting.map(\.endpoint.upstream) == [0])
  }

  // MARK: Who gets them

  @Test func `who takes pieces gets them in their order, under its own id, and then the answer`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line(#""one""#, task: Self.streaming), from: client)
    // What upstream is asked says nothing of it.
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","id":1,"method":"m"}"#])
    give(&bench, "1", #""a""#, "[1, 2]", "null")
    bench.answer(result("1", "7") + "\n")
    let id = #""one""#
    #expect(
      bench.heard(client) == [piece(id, #""a""#), piece(id, "[1, 2]"), piece(id, "null"), result(id, "7")])
    #expect(bench.core.counters.pieces == 3 && bench.core.counters.droppedPieces == 0)
  }

  @Test(arguments: ["{\"key\":\"k\"}", "{\"key\":\"k\",\"stream\":false}", "{}"])
  func `who does not say so gets none`(task: String) {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", task: task), from: client)
    give(&bench, "1", "1", "2")
    bench.answer(result("1", "7") + "\n")
    #expect(bench.heard(client) == [result("1", "7")])
    #expect(bench.core.counters.pieces == 0 && bench.core.counters.droppedPieces == 2)
  }

  @Test func `from the moment in which it is superseded a request gets none, not even in the same turn`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", task: Self.streaming), from: client)
    give(&bench, "1", "1", "2")
    bench.send(line("2", task: Self.streaming), from: client)
    give(&bench, "1", "3")
    give(&bench, "2", "4")
    let heard = bench.heard(client)
    #expect(heard.count == 4 && heard[..<2] == [piece("1", "1"), piece("1", "2")])
    #expect(heard[2].contains(#""supersededBy":2"#) && heard[2].hasSuffix(#""cancelSent","pieces":2}}}"#))
    #expect(heard[3] == piece("2", "4"))
    #expect(bench.core.counters.droppedPieces == 1)
  }

  @Test func `nor does one that is cancelled, or whose time is over`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", task: Self.streaming), from: client)
    bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n", from: client)
    give(&bench, "1", "1")
    bench.send(line("2", task: #"{"stream":true,"timeoutMs":100}"#), from: client)
    bench.timePasses(100)
    give(&bench, "2", "1")
    let heard = bench.heard(client)
    #expect(heard.count == 2 && heard[0].contains("-32800") && heard[1].contains("-32083"))
    #expect(!heard.contains { $0.contains("pieces") })
  }

  @Test func `a piece of what has ended, or of nothing, reaches nobody`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", task: Self.streaming), from: client)
    bench.answer(result("1", "7") + "\n")
    give(&bench, "1", "1")
    for text in [
      piece("99", "1"), piece(#""1""#, "1"), piece("null", "1"), piece("-1", "1"),
      #"{"jsonrpc":"2.0","method":"lastword.piece"}"#,
      #"{"jsonrpc":"2.0","method":"lastword.piece","params":[1]}"#,
      #"{"jsonrpc":"2.0","method":"lastword.piece","params":{"id":1}}"#,
      #"{"jsonrpc":"2.0","method":"lastword.piece","params":{"value":1}}"#,
    ] {
      bench.answer(text + "\n")
    }
    #expect(bench.heard(client) == [result("1", "7")])
    #expect(bench.core.counters.droppedPieces == 9)
  }

  @Test func `clients with headers get pieces with headers`() {
    var bench = bench()
    let client = bench.connect()
    let asked = line("1", task: Self.streaming).dropLast()
    bench.send("Content-Length: \(asked.utf8.count)\r\n\r\n\(asked)", from: client)
    give(&bench, "1", "7")
    bench.core.flush(into: &bench.sink)
    let text = piece("1", "7")
    #expect(
      String(decoding: bench.sink.toClients[client.slot] ?? [], as: UTF8.self)
        == "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
  }

  @Test func `the pieces of tasks that ended before count for nobody`() {
    var bench = bench()
    let client = bench.connect()
    // More than slots rest before they are used again.
    for _ in 0..<2_500 {
      bench.send(line("1", task: Self.streaming), from: client)
      let id = bench.asked().last?.firstMatch(of: /"id":(\d+)/).map { String($0.1) } ?? ""
      give(&bench, id, "1")
      #expect(bench.heard(client) == [piece("1", "1")])
      bench.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n", from: client)
      #expect(bench.heard(client).first?.hasSuffix(#""pieces":1}}}"#) == true)
      bench.answer(result(id, "7") + "\n")
    }
  }

  // MARK: Policies

  @Test func `the same question shares pieces as long as there are none, if it takes them, too`() {
    var bench = bench()
    let (first, second) = (bench.connect(), bench.connect())
    let task = superseding("preferPrevious")
    bench.send(line("1", task: task), from: first)
    bench.send(line("2", task: #"{"key":"k","policy":"preferPrevious"}"#), from: second)
    #expect(bench.heard(second).first?.contains("-32081") == true)
    bench.send(line("3", task: task), from: second)
    give(&bench, "1", "1")
    bench.send(line("4", task: task), from: second)
    bench.answer(result("1", "7") + "\n")
    #expect(bench.heard(first) == [piece("1", "1"), result("1", "7")])
    let heard = bench.heard(second)
    #expect(
      heard.count == 3 && heard[0] == piece("3", "1") && heard[1].contains(#""id":4,"error":{"code":-32081"#))
    #expect(heard[2] == result("3", "7") && bench.core.counters.pieces == 2)
  }

  @Test func `with onAnswer the first piece supersedes what is older, and the next does not again`() {
    var bench = bench()
    let client = bench.connect()
    for id in 1...3 { bench.send(line("\(id)", task: superseding("onAnswer")), from: client) }
    give(&bench, "2", "1")
    let heard = bench.heard(client)
    #expect(heard.count == 2 && heard[0].contains(#""supersededBy":2"#) && heard[1] == piece("2", "1"))
    give(&bench, "1", "0")
    give(&bench, "2", "2")
    bench.answer(#"{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"late"}}"# + "\n")
    #expect(bench.heard(client).count == 2)
    // It failed, and what it superseded stays so; what is newer goes on.
    bench.answer(result("3", "3") + "\n")
    #expect(bench.heard(client) == [result("3", "3")])
  }

  @Test func `inspect says how many there were so far, and how long the first took is measured`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", task: Self.streaming), from: client)
    let inspect = #"{"jsonrpc":"2.0","id":9,"method":"lastword.inspect","params":{"key":"k"}}"# + "\n"
    bench.send(inspect, from: client)
    let before = bench.heard(client)
    #expect(before.count == 1 && !before[0].contains("pieces"))
    bench.timePasses(40)
    give(&bench, "1", "1", "2")
    bench.send(inspect, from: client)
    #expect(bench.heard(client).last?.contains(#""callers":1,"pieces":2,"ageMs":40"#) == true)
    #expect(bench.core.times.firstPiece.count == 1 && bench.core.times.firstPiece.sumMilliseconds == 40)
  }

  @Test func `a piece is an answer for maxStaleMs`() {
    var bench = bench()
    let client = bench.connect()
    let task = #"{"key":"k","maxStaleMs":100,"stream":true}"#
    for id in 1...2 { bench.send(line("\(id)", task: task), from: client) }
    bench.timePasses(99)
    give(&bench, "2", "1")
    bench.timePasses(50)
    // Without that piece the second would be spared by now.
    bench.send(line("3", task: task), from: client)
    #expect(bench.heard(client).count { $0.contains("-32080") } == 2)
  }

  // MARK: Where they cannot be

  @Test func `a batch has none, nor has a POST that reads one text`() throws {
    var bench = bench()
    let client = bench.connect()
    bench.send("[\(line("1", task: Self.streaming).dropLast())]\n", from: client)
    #expect(bench.heard(client).first?.contains("-32602") == true)
    let connected = bench.core.clientConnected(listener: 0, as: .exchange)
    let post = try #require(connected)
    bench.send(line("1", task: Self.streaming), from: post)
    #expect(bench.heard(post).first?.contains("text/event-stream") == true)
    let another = bench.core.clientConnected(listener: 0, as: .exchange)
    let events = try #require(another)
    bench.core.takesEvents(events)
    bench.send(line("1", task: Self.streaming), from: events)
    give(&bench, "1", "1")
    #expect(bench.heard(events) == [piece("1", "1")])
    #expect(bench.core.counters.invalid == 2)
  }

  @Test func `an id that is in flight cannot stream, and one that is not any more can`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1"), from: client)
    bench.send(line("1", task: Self.streaming), from: client)
    #expect(bench.heard(client).first?.contains("-32600") == true)
    bench.answer(result("1", "7") + "\n")
    bench.send(line("1", task: Self.streaming), from: client)
    give(&bench, "2", "1")
    #expect(bench.heard(client) == [result("1", "7"), piece("1", "1")])
  }

  @Test(arguments: [
    #"{"stream":1}"#, #"{"stream":"true"}"#, #"{"stream":null}"#, #"{"stream":true,"stream":true}"#,
    #"{"pieceIdleMs":5}"#, #"{"stream":false,"pieceIdleMs":5}"#, #"{"stream":true,"pieceIdleMs":-1}"#,
    #"{"stream":true,"pieceIdleMs":600001}"#,
  ])
  func `what is wrong with it is said`(task: String) {
    var bench = bench()
    let client = bench.connect()
    bench.send(line("1", task: task), from: client)
    #expect(bench.heard(client).first?.contains("-32602") == true && bench.core.taskCount == 0)
  }

  @Test func `a notification may say it, and has no answer`() {
    var bench = bench()
    let client = bench.connect()
    bench.send(#"{"jsonrpc":"2.0","method":"m","task":{"stream":true}}"# + "\n", from: client)
    #expect(bench.asked().count == 1 && bench.heard(client) == [])
  }

  // MARK: Bounds

  @Test func `a piece may be as long as pieceBytes says, and no longer`() {
    var bench = bench { $0.pieceBytes = 4 }
    let client = bench.connect()
    bench.send(line("1", task: Self.streaming), from: client)
    give(&bench, "1", "1234")
    #expect(bench.heard(client) == [piece("1", "1234")])
    _ = bench.asked()
    give(&bench, "1", "12345")
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("-32084") && heard[0].contains("pieceBytes (4)"))
    #expect(heard[0].contains(#""mayHaveCompleted","pieces":1"#))
    #expect(bench.asked() == [#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#])
  }

  @Test func `a task may have as many pieces as piecesPerTask says, and no more`() {
    var bench = bench { $0.piecesPerTask = 2 }
    let client = bench.connect()
    bench.send(line("1", task: Self.streaming), from: client)
    give(&bench, "1", "1", "2")
    #expect(bench.heard(client).count == 2)
    give(&bench, "1", "3", "4")
    let heard = bench.heard(client)
    #expect(heard.count == 1 && heard[0].contains("-32084") && heard[0].contains("piecesPerTask (2)"))
  }

  @Test func `who leaves too much unread hears so, and others of the same task go on`() {
    let taken = piece("1", "1").utf8.count + 1
    var bench = bench { $0.unreadPieceBytes = 2 * taken }
    let (slow, other) = (bench.connect(), bench.connect())
    let task = superseding("preferPrevious")
    bench.send(line("1", task: task), from: slow)
    bench.send(line("1", task: task), from: other)
    bench.sink.clientRoom = 0
    // What is unread when a piece comes may be as much as the bound.
    give(&bench, "1", "1", "2", "3")
    bench.core.flush(into: &bench.sink)
    #expect(bench.core.counters.pieces == 6 && bench.core.taskCount == 1)
    bench.sink.clientRoom = nil
    #expect(bench.heard(other).isEmpty)
    bench.core.clientBecameWritable(other)
    #expect(bench.heard(other).count == 3)
    give(&bench, "1", "4")
    #expect(bench.heard(other) == [piece("1", "4")])
    bench.core.clientBecameWritable(slow)
    let heard = bench.heard(slow)
    #expect(heard.count == 4 && heard[3].contains("-32082"))
    #expect(heard[3].contains(#""upstream":"mayHaveCompleted","pieces":3"#))
    bench.answer(result("1", "7") + "\n")
    #expect(bench.heard(other) == [result("1", "7")] && bench.heard(slow) == [])
  }

  @Test func `who reads gets all pieces of a burst, however much of it comes at once`() {
    let taken = piece("1", "10").utf8.count + 1
    var bench = bench { $0.unreadPieceBytes = 2 * taken }
    let client = bench.connect()
    bench.send(line("1", task: Self.streaming), from: client)
    bench.answer((10...40).map { piece("1", "\($0)") + "\n" }.joined() + result("1", "7") + "\n")
    // What is beyond the bound waits until that is written.
    var most = bench.core.unsentByteCount(of: client)
    while bench.core.nextUpstreamInTurn != nil {
      bench.core.flushEarly(into: &bench.sink)
      #expect(bench.core.unsentByteCount(of: client) == 0)
      bench.core.goOnWithAnswers()
      most = max(most, bench.core.unsentByteCount(of: client))
    }
    #expect(most == 3 * taken)
    #expect(bench.heard(client) == (10...40).map { piece("1", "\($0)") } + [result("1", "7")])
  }

  @Test func `a long answer in the same read takes no piece from who reads`() {
    let taken = piece("2", "10").utf8.count + 1
    var bench = bench { ($0.unreadPieceBytes, $0.clientOutputSoftBytes) = (2 * taken, 10 * taken) }
    let client = bench.connect()
    bench.send(line("1") + line("2", task: Self.streaming), from: client)
    #expect(bench.asked().count == 2)
    let answer = result("1", #""\#(String(repeating: "x", count: 20 * taken))""#)
    let pieces = (10...20).map { piece("2", "\($0)") } + [result("2", "7")]
    bench.answer(([answer] + pieces).joined(separator: "\n") + "\n")
    // Behind the first piece it is written to.
    #expect(bench.core.unsentByteCount(of: client) == answer.utf8.count + 1 + taken)
    while bench.core.nextUpstreamInTurn != nil {
      bench.core.flushEarly(into: &bench.sink)
      bench.core.goOnWithAnswers()
    }
    #expect(bench.heard(client) == [answer] + pieces)
  }

  @Test func `who does not read gets no more of a burst than the bound, and one piece`() {
    let taken = piece("1", "10").utf8.count + 1
    var bench = bench { $0.unreadPieceBytes = 2 * taken }
    let client = bench.connect()
    bench.send(line("1", task: Self.streaming), from: client)
    _ = bench.asked()
    bench.sink.clientRoom = 0
    bench.answer((10...40).map { piece("1", "\($0)") + "\n" }.joined())
    while bench.core.nextUpstreamInTurn != nil {
      bench.core.flushEarly(into: &bench.sink)
      bench.core.goOnWithAnswers()
    }
    bench.sink.clientRoom = nil
    bench.core.clientBecameWritable(client)
    let heard = bench.heard(client)
    #expect(heard.count == 4 && heard[3].contains("-32082") && heard[3].contains(#""pieces":3"#), "\(heard)")
    #expect(bench.core.taskCount == 1 && bench.core.counters.droppedPieces == 28)
    // Once it has read all, it gets pieces of what it asks next.
    bench.send(line("2", task: #"{"stream":true}"#), from: client)
    _ = bench.asked()
    give(&bench, "2", "1")
    #expect(bench.heard(client) == [piece("2", "1")])
  }

  @Test func `what is given between two writes is bounded by what pauses a client's reading`() {
    let taken = piece("1", "10").utf8.count + 1
    var bench = bench {
      $0.upstreams[0].shape = .exchanges
      $0.unreadPieceBytes = 2 * taken
      $0.clientOutputSoftBytes = 10 * taken
    }
    let client = bench.connect()
    bench.send(line("1", task: Self.streaming), from: client)
    #expect(bench.heard(client) == [])
    for number in 10...40 { bench.give(piece("1", "\(number)"), of: TaskID(rawValue: 1)) }
    let heard = bench.heard(client)
    #expect(heard.count == 12 && heard[11].contains(#""pieces":11"#), "\(heard)")
  }

  @Test func `what its client leaves unread ends no item of a batch, which hears nothing besides`() {
    var bench = bench {
      $0.upstreams[0].shape = .exchanges
      $0.upstreams[0].relaysNotifications = true
      $0.unreadPieceBytes = 10
    }
    let client = bench.connect()
    bench.send("[\(line("1").dropLast())]\n" + line("2") + line("3"), from: client)
    #expect(bench.heard(client) == [])
    bench.sink.clientRoom = 0
    bench.answer(result("2", "7"), to: TaskID(rawValue: 2))
    bench.core.flush(into: &bench.sink)
    for task in [1, 3] as [UInt64] { bench.give(aside(1), of: TaskID(rawValue: task)) }
    bench.sink.clientRoom = nil
    bench.answer(result("1", "8"), to: TaskID(rawValue: 1))
    bench.core.clientBecameWritable(client)
    let heard = bench.heard(client)
    #expect(heard.count == 3 && heard[0] == result("2", "7"), "\(heard)")
    #expect(heard.count { $0.contains(#""id":3,"error":{"code":-32082"#) } == 1, "\(heard)")
    #expect(heard.contains("[\(result("1", "8"))]"), "\(heard)")
  }

  @Test func `a long piece is one for all its callers, each with its own id`() {
    var bench = bench { $0.sharedAnswerBytes = 1_000 }
    let client = bench.connect()
    let headed = bench.core.clientConnected(listener: 0)!
    let task = superseding("preferPrevious")
    for id in 1...3 { bench.send(line("\(id)", task: task), from: client) }
    let request = line("4", task: task).dropLast()
    bench.send("Content-Length: \(request.utf8.count)\r\n\r\n\(request)", from: headed)
    let value = #"["\#(String(repeating: "x", count: 50_000))","#
    bench.answer(piece("1", value + "2]") + "\n")
    // 200 KB, were each written out.
    #expect(bench.core.heldByteCount < 120_000)
    #expect(bench.heard(client) == (1...3).map { piece("\($0)", value + "2]") })
    let text = piece("4", value + "2]")
    bench.core.flush(into: &bench.sink)
    let sent = String(decoding: bench.sink.toClients[headed.slot] ?? [], as: UTF8.self)
    #expect(sent == "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
    // Of the next one nothing is kept of this.
    bench.answer(piece("1", value + "3]") + "\n")
    #expect(bench.heard(client) == (1...3).map { piece("\($0)", value + "3]") })
  }

  @Test func `each piece gives time again where the request says how much, up to the longest time`() {
    var bench = bench {
      $0.timeoutMilliseconds = 1_000
      $0.longest.timeoutMilliseconds = 1_000
    }
    let client = bench.connect()
    bench.send(line("1", task: #"{"stream":true,"timeoutMs":200,"pieceIdleMs":300}"#), from: client)
    bench.send(line("2", task: #"{"stream":true,"timeoutMs":200}"#), from: client)
    for number in 1...4 {
      bench.timePasses(199)
      give(&bench, "1", "\(number)")
      give(&bench, "2", "\(number)")
    }
    var heard = bench.heard(client)
    #expect(heard.count { $0.contains(#""params":{"id":1,"#) } == 4)
    #expect(heard.count { $0.contains(#""params":{"id":2,"#) } == 1)
    #expect(heard.count { $0.contains(#""id":2,"error":{"code":-32083"#) } == 1)
    // From 796 on it would last until 1,096.
    bench.timePasses(203)
    #expect(bench.heard(client).isEmpty)
    bench.timePasses(1)
    heard = bench.heard(client)
    #expect(heard.map { $0.contains("-32083") && $0.contains(#""pieces":4"#) } == [true], "\(heard)")
  }
}
