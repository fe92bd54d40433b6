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
    #expect(drained.map(\.partition) == [partition] && drained.map(\.isExclusive) == [true])
    #expect(member.owner.core.counters.compensationsLost == 0)
  }

  @Test func `where that would have had to be undone it counts as lost, and the next member waits`() {
    var member = draining("join")
    letTimePass(&member)
    let drained = member.owner.core.takeDrained()
    #expect(drained.map(\.partition) == [partition] && drained.map(\.isExclusive) == [false])
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
    #expect(member.owner.core.takeDrained().map(\.isExclusive) == [true])
    #expect(member.owner.core.counters.compensationsLost == 0)
  }

  @Test func `an undoing that is not answered in time has failed, and the next member waits`() {
    var member = draining("join")
    member.owner.timePasses(Self.handoverMilliseconds)
    member.owner.answer(result("\(id)", "5") + "\n")
    member.owner.timePasses(Self.drainMilliseconds)
    #expect(member.owner.core.takeDrained().map(\.isExclusive) == [false])
    #expect(member.owner.core.counters.compensationsFailed == 1)
  }

  // MARK: A loop that stood still in its turn

  /// It stands still before it has said what it has decided.
  private func standStill(_ member: inout MemberBench, for milliseconds: UInt64) {
    let now = member.owner.core.nowMilliseconds + milliseconds
    member.owner.core.stoodStill(until: now)
    member.owner.core.timeAdvanced(to: now)
  }

  @Test func `what is to be alone starts a drain grace after upstream has heard of the cancel`() {
    var member = MemberBench { $0.drainMilliseconds = UInt32(Self.drainMilliseconds) }
    let task = #"{"key":"k","policy":"cancelAndWait"}"#
    #expect(member.asks(line("1", task: task)).count == 1)
    member.says(line("2", task: task))
    if let batch = member.mail() { member.owner.core.heardAll(of: batch, from: 0) }
    standStill(&member, for: 3_000)
    let told = member.asked()
    #expect(told.count == 1 && told[0].contains("cancelRequest"), "\(told)")
    member.owner.timePasses(Self.drainMilliseconds - 1)
    #expect(member.asked().isEmpty)
    member.owner.timePasses(1)
    #expect(member.asked().count == 1)
  }

  @Test func `a partition is given away a drain grace after upstream has heard of the cancel`() {
    var member = draining("m")
    member.owner.timePasses(Self.handoverMilliseconds)
    standStill(&member, for: 3_000)
    #expect(member.owner.asked().count == 1, "upstream is told")
    member.owner.timePasses(Self.drainMilliseconds - 1)
    #expect(member.owner.core.takeDrained().isEmpty)
    member.owner.timePasses(1)
    #expect(member.owner.core.takeDrained().map(\.partition) == [partition])
  }

  @Test func `an undoing has all its time once upstream has heard of it`() {
    var member = MemberBench {
      $0.routes = [Route(method: "join", compensation: "leave")]
      $0.store.compensationMilliseconds = 1_000
    }
    let task = #"{"key":"k","policy":"cancelAndWait"}"#
    _ = member.asks(line("1", "join", params: "[1]", task: task))
    _ = member.asks(line("2", "join", params: "[2]", task: task))
    member.owner.answer(result("\(id)", "5") + "\n")
    standStill(&member, for: 3_000)
    let told = member.asked()
    #expect(told.count == 1 && told[0].contains("leave"), "\(told)")
    member.owner.timePasses(999)
    #expect(member.asked().isEmpty)
    member.owner.timePasses(1)
    #expect(member.asked().count == 1)
  }

  @Test func `what may drain longer than usual has that time before its partition is given away`() {
    var member = MemberBench {
      var route = Route(method: "slow")
      route.drainMilliseconds = 2_000
      $0.routes = [route]
      $0.fleet.handoverMilliseconds = Self.handoverMilliseconds
      $0.drainMilliseconds = UInt32(Self.drainMilliseconds)
    }
    _ = member.asks(line("1", "slow", params: "[1]", task: #"{"key":"k"}"#))
    member.owner.core.drain(partition: partition)
    member.owner.timePasses(Self.handoverMilliseconds)
    #expect(member.owner.asked().count == 1, "upstream is told")
    member.owner.timePasses(1_999)
    #expect(member.owner.core.takeDrained().isEmpty)
    member.owner.timePasses(1)
    #expect(member.owner.core.takeDrained().map(\.partition) == [partition])
  }
}
