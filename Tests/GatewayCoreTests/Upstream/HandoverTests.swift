import GatewayCore
import JSONRPC
import TaskStore
import Testing

/// What becomes of requests whose partition is given to another member.
@Suite struct HandoverTests {
  private static let handoverMilliseconds: UInt64 = 1_000
  private static let drainMilliseconds: UInt64 = 500
  /// Of the key `k`.
  private let partition = 2
  /// The first id of the second of two loops.
  private let id: UInt64 = 1 << 30 + 1

  /// A member that has sent a request of this method, and is to give its partition away.
  private func draining(_ method: String) -> MemberBench {
    var member = MemberBench {
      $0.routes = [Route(method: "join", compensation: "leave")]
      $0.fleet.handoverMilliseconds = Self.handoverMilliseconds
      $0.drainMilliseconds = UInt32(Self.drainMilliseconds)
    }
    _ = member.asks(line("1", method, params: "[1]", task: #"{"key":"k"}"#))
    member.owner.core.drain(partition: partition)
    return member
  }

  /// Its time is over, and then the drain grace.
  private func letTimePass(_ member: inout MemberBench) {
    member.owner.timePasses(Self.handoverMilliseconds)
    #expect(member.owner.asked().count == 1, "upstream is told")
    #expect(member.owner.core.takeDrained().isEmpty)
    member.owner.timePasses(Self.drainMilliseconds)
  }

  @Test func `what does not end in time is given up, and nothing waits for it`() {
    var member = draining("m")
    letTimePass(&member)
    let drained = member.owner.core.takeDrained()
    #expect(drained.map(\.partition) == [partition] && drained.map(\.isSettled) == [true])
    #expect(member.owner.core.counters.compensationsLost == 0)
  }

  @Test func `where that would have had to be undone it counts as lost, and the next member waits`() {
    var member = draining("join")
    letTimePass(&member)
    let drained = member.owner.core.takeDrained()
    #expect(drained.map(\.partition) == [partition] && drained.map(\.isSettled) == [false])
    #expect(member.owner.core.counters.compensationsLost == 1)
    member.owner.answer(result("\(id)", "5") + "\n")
    #expect(member.owner.asked().isEmpty, "it is not undone by whom the key does not belong to any more")
  }

  @Test func `what is undone in time leaves nothing behind`() {
    var member = draining("join")
    member.owner.timePasses(Self.handoverMilliseconds)
    _ = member.owner.asked()
    member.owner.answer(result("\(id)", "5") + "\n")
    #expect(member.owner.asked().count == 1, "it is undone")
    #expect(member.owner.core.takeDrained().isEmpty)
    member.owner.answer(result("\(id + 131_072)", "null") + "\n")
    _ = member.owner.asked()
    #expect(member.owner.core.takeDrained().map(\.isSettled) == [true])
    #expect(member.owner.core.counters.compensationsLost == 0)
  }

  @Test func `an undoing that is not answered in time has failed, and the next member waits`() {
    var member = draining("join")
    member.owner.timePasses(Self.handoverMilliseconds)
    member.owner.answer(result("\(id)", "5") + "\n")
    member.owner.timePasses(Self.drainMilliseconds)
    #expect(member.owner.core.takeDrained().map(\.isSettled) == [false])
    #expect(member.owner.core.counters.compensationsFailed == 1)
  }
}
