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
    member.edge.heard(batch, from: 1)
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
}
