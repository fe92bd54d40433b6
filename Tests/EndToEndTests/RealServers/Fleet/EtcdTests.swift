import Fleet
import Foundation
import TestSupport
import Testing

extension RealServerTests {
  /// The records of a fleet in etcd, as they are written and read.
  @Suite struct EtcdTests {
    private static let fleet = "tests"
    private static let partitions = 256

    /// The clock that goes on while the machine sleeps.
    private var now: Int64 {
      var time = timespec()
      clock_gettime(CLOCK_BOOTTIME, &time)
      return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Has one member live for a moment: what it asks is answered, and it is told what there is.
    private func live(_ member: inout Membership, beside etcd: EtcdServer) throws {
      member.tick(at: now, loopsAreAlive: true)
      for request in member.takeRequests() {
        let (answer, header) = try etcd.ask(request.body)
        member.answered(request.number, answer, header, at: now)
      }
      let all = try etcd.all()
      member.sawAll(all.records, all.header, at: now)
      for case .drain(let partition) in member.takeEvents() { member.drained(partition) }
    }

    private func owners(_ members: [Membership]) -> [[Int]] {
      let now = now
      return (0..<Self.partitions).map { partition in
        members.indices.filter { members[$0].permit(for: partition, at: now) != nil }
      }
    }

    @Test func `members deal out all partitions, and take those of one that lives no more`() throws {
      let etcd = try EtcdServer(fleet: Self.fleet)
      var members = (1...3).map {
        Membership(
          MemberID(high: $0, low: .max), address: "127.0.0.1:\($0)", partitions: Self.partitions, seed: 1)
      }
      var alive = [0, 1, 2]
      let dealt: [[Int]] = try eventually("each partition has its owner, and each member has some") {
        for member in alive { try live(&members[member], beside: etcd) }
        let owners = owners(members)
        guard owners.allSatisfy({ $0.count == 1 }), Set(owners.joined()).count == 3 else { return nil }
        return owners
      }
      alive = [1, 2]
      let taken: [[Int]] = try eventually("the others have them all") {
        for member in alive { try live(&members[member], beside: etcd) }
        let owners = owners(members)
        return owners.allSatisfy { $0 == [1] || $0 == [2] } ? owners : nil
      }
      for partition in dealt.indices where dealt[partition] == [0] {
        let epoch = try #require(members[taken[partition][0]].epoch(of: partition))
        #expect(epoch > 1)
      }
      let _: Bool = try eventually("the first lives after all, and hears that it was declared dead") {
        try live(&members[0], beside: etcd)
        return members[0].standing == .removed ? true : nil
      }
    }

    @Test func `a transaction is refused where a record has changed, and a watch tells of what was written`()
      throws
    {
      let etcd = try EtcdServer(fleet: Self.fleet)
      let owner = MemberID(high: 1, low: 2)
      let key = EngineKey.partition(7)
      let first = try etcd.all()
      #expect(first.records.isEmpty)
      let watch = try etcd.watch(behind: first.header.revision)
      func put(_ epoch: UInt32, at revision: Int64) throws -> EngineAnswer {
        let value = EngineValue.partition(PartitionRecord(owner: owner, epoch: epoch))
        return try etcd.ask(
          .transaction(
            EngineTransaction(conditions: [.revision(key, revision)], writes: [.put(key, value)]))
        ).0
      }
      guard case .applied(let revision) = try put(1, at: 0) else {
        throw RealServers.Failure(description: "the first write is refused")
      }
      guard case .refused = try put(2, at: 0), case .applied = try put(2, at: revision) else {
        throw RealServers.Failure(description: "a write is not told by the revision before it")
      }
      let deletion = EngineTransaction(conditions: [.exists(key)], writes: [.delete(key)])
      guard case .applied = try etcd.ask(.transaction(deletion)).0,
        case .refused = try etcd.ask(.transaction(deletion)).0
      else { throw RealServers.Failure(description: "what is there is not told from what is not") }
      var seen: [EngineChange] = []
      while seen.count < 3 {
        guard case .changes(let changes, _) = try watch.next() else { break }
        seen += changes
      }
      #expect(seen.map(\.key) == [key, key, key] && seen.map { $0.record == nil } == [false, false, true])
      #expect(seen[0].revision == revision && seen[1].revision > revision)
    }
  }
}
