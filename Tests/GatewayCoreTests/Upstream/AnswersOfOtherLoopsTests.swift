import Foundation
import GatewayCore
import Testing

/// How an answer gets to the loop that has its client.
@Suite struct AnswersOfOtherLoopsTests {
  /// Has its client ask for a key each; returns the ids at the upstream.
  private func ask(_ member: inout MemberBench, _ numbers: ClosedRange<Int>) -> [String] {
    numbers.map { number in
      let request = member.asks(line("\(number)", task: #"{"key":"k\#(number)"}"#))[0]
      return String(request.split(separator: #""id":"#)[1].prefix { $0.isNumber })
    }
  }

  /// What a turn has told the client's loop as it is, and what the mirror was written.
  private func told(_ member: inout MemberBench) -> (asItIs: [String], written: String) {
    member.owner.core.flush(into: &member.owner.sink)
    let written = member.owner.sink.toClients.values.flatMap { $0 }
    member.owner.sink.toClients = [:]
    guard let batch = member.owner.core.takeBatch(for: 0) else {
      return ([], String(decoding: written, as: UTF8.self))
    }
    member.edge.heardAll(of: batch, from: 1)
    return (batch.summary.components(separatedBy: ", "), String(decoding: written, as: UTF8.self))
  }

  /// What its client gets.
  private func heard(_ member: inout MemberBench) -> String {
    member.edge.flush(into: &member.edgeSink)
    let bytes = member.edgeSink.toClients.removeValue(forKey: member.client.slot) ?? []
    return String(decoding: bytes, as: UTF8.self)
  }

  private func text(_ byteCount: Int) -> String {
    #""\#(String(repeating: "x", count: byteCount - 2))""#
  }

  @Test func `an answer goes there as it is, and gets its client's id there`() {
    var member = MemberBench()
    let ids = ask(&member, 1...1)
    member.owner.answer(result(ids[0], "5") + "\n")
    let (asItIs, written) = told(&member)
    #expect(asItIs.count == 1 && asItIs[0].hasPrefix("answer ") && asItIs[0].hasSuffix(" 1"))
    #expect(written == "")
    #expect(heard(&member) == result("1", "5") + "\n")
    let counted = (member.owner.core.counters.delivered, member.edge.counters.delivered)
    #expect(counted == (1, 0))
  }

  @Test func `so does an error, and counts as one`() {
    var member = MemberBench()
    let ids = ask(&member, 1...1)
    let error = #""error":{"code":1,"message":"m"}}"#
    member.owner.answer(#"{"jsonrpc":"2.0","id":\#(ids[0]),\#(error)"# + "\n")
    #expect(told(&member).written == "")
    #expect(heard(&member) == #"{"jsonrpc":"2.0","id":1,\#(error)"# + "\n")
    let failed = member.owner.core.counters.failed
    #expect(failed == 1)
  }

  @Test func `a long one is written to the mirror`() {
    for (byteCount, isLong) in [(16 * 1024 - 1, false), (16 * 1024, true)] {
      var member = MemberBench()
      let ids = ask(&member, 1...1)
      member.owner.answer(result(ids[0], text(byteCount)) + "\n")
      let (asItIs, written) = told(&member)
      #expect(asItIs.isEmpty == isLong && written.isEmpty == !isLong)
    }
  }

  @Test func `one for a loop that does not keep up waits at the mirror`() {
    var member = MemberBench()
    let ids = ask(&member, 1...1)
    var behind = [Bool](repeating: false, count: LoopPlace.mostInFleet)
    behind[0] = true
    member.owner.core.otherLoops(areBehind: behind)
    member.owner.answer(result(ids[0], "5") + "\n")
    let (asItIs, written) = told(&member)
    #expect(asItIs == [] && written.contains(#""result":5"#))
  }

  @Test func `what is still to be written to the mirror comes first`() {
    var member = MemberBench()
    let ids = ask(&member, 1...3)
    member.owner.answer(result(ids[0], text(16 * 1024)) + "\n")
    member.owner.answer(result(ids[1], "5") + "\n")
    let (asItIs, written) = told(&member)
    #expect(asItIs == [] && written.contains(#""result":5"#))
    member.owner.answer(result(ids[2], "6") + "\n")
    #expect(told(&member).asItIs.count == 1)
  }

  @Test func `1 MiB of them go in one turn`() {
    var member = MemberBench()
    let ids = ask(&member, 1...70)
    for id in ids { member.owner.answer(result(id, text(16 * 1024 - 1)) + "\n") }
    let (asItIs, written) = told(&member)
    let byteCount = asItIs.count * (16 * 1024 - 1)
    #expect(byteCount < 1024 * 1024 + 16 * 1024 && byteCount > 1024 * 1024 - 2 * 16 * 1024)
    #expect(written.split(separator: "\n").count == ids.count - asItIs.count)
  }

  @Test func `once mirrors were written in a turn what follows is written, too`() {
    var member = MemberBench { $0.unflushedClients = 1 }
    let ids = ask(&member, 1...4)
    member.owner.answer(result(ids[0], "5") + "\n")
    member.owner.answer(result(ids[1], text(16 * 1024)) + "\n")
    member.owner.core.flushEarly(into: &member.owner.sink)
    member.owner.answer(result(ids[2], "6") + "\n")
    let (asItIs, written) = told(&member)
    #expect(asItIs.count == 1)
    #expect(written.split(separator: "\n").count == 2 && written.hasSuffix("\"result\":6}\n"))
    member.owner.answer(result(ids[3], "7") + "\n")
    #expect(told(&member).asItIs.count == 1)
  }

  @Test func `one that is no JSON does not spoil the answers of a batch`() {
    var member = MemberBench { $0.upstreams[0].trustsAnswers = true }
    let items = (1...2).map { String(line("\($0)", task: #"{"key":"k\#($0)"}"#).dropLast()) }
    let ids = member.asks("[" + items.joined(separator: ",") + "]\n").map {
      String($0.split(separator: #""id":"#)[1].prefix { $0.isNumber })
    }
    member.owner.answer(result(ids[0], #"{"a":}"#) + "\n")
    member.owner.answer(result(ids[1], "5") + "\n")
    _ = told(&member)
    let batch = heard(&member)
    let answers = try? JSONSerialization.jsonObject(with: Data(batch.utf8)) as? [[String: Any]]
    #expect(answers?.count == 2 && batch.contains("-32084") && batch.contains(#""result":5"#))
  }

  @Test func `progress does not end an item of a batch whose client leaves much unread`() {
    var member = MemberBench {
      $0.upstreams[0].passesProgress = true
      $0.unreadPieceBytes = 10
    }
    let ids = ask(&member, 1...1)
    let item = line("2", params: #"{"workDoneToken":5}"#, task: #"{"key":"k2"}"#).dropLast()
    let asked = member.asks("[\(item)]\n")
    let id = String(asked[0].split(separator: #""id":"#)[1].prefix { $0.isNumber })
    member.edgeSink.clientRoom = 0
    member.answer(result(ids[0], "5") + "\n")
    member.edge.flush(into: &member.edgeSink)
    member.answer(#"{"jsonrpc":"2.0","method":"$/progress","params":{"token":"\#(id)w","value":1}}"# + "\n")
    member.answer(result(id, "6") + "\n")
    member.edgeSink.clientRoom = nil
    member.edge.clientBecameWritable(member.client)
    #expect(heard(&member) == result("1", "5") + "\n[" + result("2", "6") + "]\n")
  }

  @Test func `at the bound on its open requests a client asks other loops nothing more, but takes back`() {
    var member = MemberBench { $0.unansweredPerConnection = 2 }
    _ = ask(&member, 1...2)
    #expect(member.asks(line("3", task: #"{"key":"k3"}"#)) == [])
    #expect(
      heard(&member).contains(#""id":3,"error":{"code":-32082,"message":"too many unanswered requests"#))
    // Who waits for nothing adds nothing.
    #expect(member.asks(#"{"jsonrpc":"2.0","method":"m","task":{"key":"k4"}}"# + "\n").count == 1)
    let cancel = #"{"jsonrpc":"2.0","id":9,"method":"lastword.cancel","params":{"key":"k1"}}"# + "\n"
    _ = member.asks(cancel)
    member.answer("")
    #expect(heard(&member).contains(#""result":{"cancelled":1}"#))
  }

  @Test func `what is for the gateway itself is no request that counts, whatever becomes of it`() {
    var member = MemberBench { $0.unansweredPerConnection = 1 }
    _ = ask(&member, 1...1)
    let inspect = #","method":"lastword.inspect","params":{"key":"k1"}}"# + "\n"
    // The first waits for the other loop, and there is no room for the second.
    for id in 2...3 { member.says(#"{"jsonrpc":"2.0","id":\#(id)\#(inspect)"#) }
    #expect(heard(&member).contains(#""id":3,"error":{"code":-32082"#))
    member.edge.shutDown()
    #expect(heard(&member).contains(#""id":2,"error":{"code":-32085"#))
    let counters = member.edge.counters
    #expect(counters.admitted == 1 && counters.failed == 1 && counters.rejected == 0 && counters.invalid == 1)
  }

  @Test func `what a key has here and at another loop is shown together`() {
    var member = MemberBench()
    #expect(member.asks(line("1", task: #"{"key":"k","scope":"connection"}"#)) == [])
    #expect(member.asks(line("2", task: #"{"key":"k"}"#)).count == 1)
    let inspect = #"{"jsonrpc":"2.0","id":9,"method":"lastword.inspect","params":{"key":"k"}}"# + "\n"
    _ = member.asks(inspect)
    member.answer("")
    let shown = heard(&member)
    #expect(shown.hasPrefix(#"{"jsonrpc":"2.0","id":9,"result":{"count":2,"tasks":[{"generation":"#))
    #expect(
      shown.components(separatedBy: #""policy":"#).count == 3 && shown.contains("},{")
        && shown.hasSuffix("}]}}\n"))
  }

  @Test(arguments: [true, false])
  func `of what is shown together the newest comes first, and only the oldest is left out`(isOwnFirst: Bool)
    throws
  {
    var member = MemberBench()
    for isOwn in [isOwnFirst, !isOwnFirst] {
      let scope = isOwn ? #","scope":"connection""# : ""
      let task = #"{"key":"k","policy":"concurrent"\#(scope)}"#
      _ = member.asks((1...60).map { line(isOwn ? "\($0)" : "\(100 + $0)", task: task) }.joined())
      member.owner.timePasses(5)
      member.edge.timeAdvanced(to: member.edge.nowMilliseconds + 5)
    }
    let inspect = #"{"jsonrpc":"2.0","id":999,"method":"lastword.inspect","params":{"key":"k"}}"# + "\n"
    _ = member.asks(inspect)
    member.answer("")
    let shown = heard(&member)
    let reply = try JSONSerialization.jsonObject(with: Data(shown.utf8)) as? [String: Any]
    let result = reply?["result"] as? [String: Any]
    let tasks = result?["tasks"] as? [[String: Any]] ?? []
    #expect(result?["count"] as? Int == 120)
    let ages = tasks.map { $0["ageMs"] as? Int ?? 0 }
    #expect(ages == [Int](repeating: 5, count: 60) + [Int](repeating: 10, count: 40))
    // Those of one loop stay in their order, the newest first.
    let generations = tasks.map { $0["generation"] as? UInt64 ?? 0 }
    #expect(zip(generations, generations.dropFirst()).count { $0 > $1 } >= 98)
    #expect(Set(generations).count == 100)
  }

  @Test func `a mirror keeps to what its client's listener was told when that came`() {
    var member = MemberBench { $0.listeners = [ListenerOptions()] }
    var changed = GatewayConfiguration()
    changed.listeners = [ListenerOptions()]
    changed.listeners[0].scope = .connection
    member.owner.core.reconfigure(changed)
    #expect(member.asks(line("1", task: #"{"key":"k"}"#)).count == 1)
    let inspect =
      #"{"jsonrpc":"2.0","id":9,"method":"lastword.inspect","params":{"key":"k","scope":"shared"}}"#
    _ = member.asks(inspect + "\n")
    member.answer("")
    #expect(heard(&member).contains(#""id":9,"result":{"count":1"#))
  }
}
