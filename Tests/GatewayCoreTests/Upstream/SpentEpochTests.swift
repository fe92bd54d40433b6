import Foundation
import GatewayCore
import TaskStore
import Testing

/// What becomes of a partition whose epoch has no generations left: it is had anew under a higher one, and what comes
/// before that waits.
@Suite struct SpentEpochTests {
  /// Of the key `k`.
  private let partition = 2
  private static let all = TaskStore.generationsPerEpoch
  private static let next = UInt32(MemberBench.epoch + 1)

  private func request(_ id: Int) -> String {
    line("\(id)", params: "[\(id)]", task: #"{"key":"k","policy":"wait"}"#)
  }

  private func generation(of line: String?) -> UInt64 { number(behind: #""generation":"#, in: line ?? "") }

  private func number(behind words: String, in text: String) -> UInt64 {
    guard let start = text.range(of: words)?.upperBound else { return 0 }
    return UInt64(text[start...].prefix { $0.isNumber }) ?? 0
  }

  @Test func `its member is told once, a quarter before the end, and goes on meanwhile`() {
    var member = MemberBench()
    _ = member.asks(line("1", task: #"{"key":"k","policy":"concurrent"}"#))
    #expect(member.owner.core.takeSpent().isEmpty)
    member.owner.core.skipGenerations(Self.all / 4 * 3)
    let asked = member.asks(line("2", task: #"{"key":"k","policy":"concurrent"}"#))
    #expect(TaskStore.epoch(of: generation(of: asked.first)) == UInt32(MemberBench.epoch))
    #expect(member.owner.core.takeSpent() == [partition])
    #expect(member.asks(line("3", task: #"{"key":"k","policy":"concurrent"}"#)).count == 1)
    #expect(member.owner.core.takeSpent().isEmpty)
  }

  @Test func `at its end what comes goes back, and is sent under the next epoch`() {
    var member = MemberBench()
    let first = member.asks(request(1))
    member.owner.core.skipGenerations(Self.all)
    #expect(member.asks(request(2)).isEmpty)
    #expect(member.owner.core.takeSpent() == [partition])
    member.answer(result("\(1 << 30 + 1)", "1") + "\n")
    #expect(member.edge.parkedRequestCount == 1)
    // What has ended leaves nothing: it is given away, and had again.
    member.owner.core.drain(partition: partition)
    #expect(member.owner.core.takeDrained().map(\.isExclusive) == [true])
    member.owner.core.gained(partition, epoch: Self.next, isExclusive: true)
    member.edge.partition(partition, isAt: 1, epoch: Self.next)
    let second = member.passes()
    #expect(second.count == 1 && second.first?.contains("[2]") == true)
    #expect(generation(of: second.first) > generation(of: first.first))
    #expect(TaskStore.epoch(of: generation(of: second.first)) == Self.next)
    #expect(member.owner.core.takeSpent().isEmpty)
  }

  @Test func `what is there can be taken back to the end`() {
    var member = MemberBench { $0.upstreams[0].cancel = .lsp }
    _ = member.asks(request(1))
    member.owner.core.skipGenerations(Self.all)
    let cancel = #"{"jsonrpc":"2.0","id":2,"method":"lastword.cancel","params":{"key":"k"}}"# + "\n"
    #expect(member.asks(cancel).first?.contains("$/cancelRequest") == true)
  }

  @Test func `other partitions of the loop are counted on, each from where its epoch began`() {
    var member = MemberBench()
    member.owner.core.skipGenerations(Self.all)
    for other in 0..<MemberBench.partitions where other != partition {
      member.owner.core.gained(other, epoch: Self.next, isExclusive: true)
      member.edge.partition(other, isAt: 1, epoch: Self.next)
    }
    var asked = 0
    for number in 0..<8 {
      let heard = member.asks(line("\(number)", task: #"{"key":"k\#(number)","policy":"concurrent"}"#))
      for line in heard where TaskStore.epoch(of: generation(of: line)) == Self.next { asked += 1 }
    }
    // Those of the partition that is spent wait, and no other does.
    #expect(asked + member.edge.parkedRequestCount <= 8 && asked > 0)
    _ = member.passes()
    let spent = member.owner.core.takeSpent()
    #expect(spent.allSatisfy { $0 == partition })
  }

  @Test func `without a generation left nothing is superseded where a partition is given away`() {
    var member = MemberBench()
    #expect(member.asks(line("1", task: #"{"key":"k"}"#)).count == 1)
    member.owner.core.skipGenerations(Self.all)
    member.owner.core.drain(partition: partition)
    #expect(member.asks(line("2", task: #"{"key":"k"}"#)).isEmpty)
    #expect(member.owner.sink.toClients.values.allSatisfy { $0.isEmpty })
    member.answer(result("\(1 << 30 + 1)", "5") + "\n")
    member.edge.flush(into: &member.edgeSink)
    let heard = String(decoding: member.edgeSink.toClients[member.client.slot] ?? [], as: UTF8.self)
    #expect(heard == result("1", "5") + "\n")
    #expect(member.edge.parkedRequestCount == 1)
  }

  @Test func `what supersedes where a partition is given away is newer, whatever was counted last`() {
    var member = MemberBench()
    member.owner.core.gained(partition, epoch: Self.next, isExclusive: true)
    member.edge.partition(partition, isAt: 1, epoch: Self.next)
    let first = generation(of: member.asks(line("1", task: #"{"key":"k"}"#)).first)
    for number in 0..<8 {
      let other = member.asks(line("1\(number)", task: #"{"key":"k\(number)"}"#)).first
      if TaskStore.epoch(of: generation(of: other)) < Self.next { break }
    }
    member.owner.core.drain(partition: partition)
    _ = member.asks(line("2", task: #"{"key":"k"}"#))
    let replies = member.owner.sink.toClients.values.map { String(decoding: $0, as: UTF8.self) }.joined()
    let newer = number(behind: #""supersededBy":"#, in: replies)
    #expect(newer > first && TaskStore.epoch(of: newer) == Self.next, "\(replies)")
  }
}
