import Fleet
import Testing

@testable import Simulation

/// Several members beside one engine.
@Suite struct FleetTests {
  private static let partitions = 16

  private func expectOneOwnerEach(_ setting: Setting, among alive: [Int]) {
    for partition in 0..<Self.partitions {
      let owners = setting.owners(of: partition)
      #expect(owners.count == 1 && alive.contains(owners[0]), "partition \(partition): \(owners)")
    }
  }

  @Test func `all partitions are dealt out, each to one`() {
    var setting = Setting(members: 3, partitions: Self.partitions)
    setting.pass(5_000, [0, 1, 2])
    expectOneOwnerEach(setting, among: [0, 1, 2])
  }

  @Test func `what a dead member had is had by others within six seconds, and not before four`() {
    var setting = Setting(members: 3, partitions: Self.partitions)
    setting.pass(5_000, [0, 1, 2])
    let its = (0..<Self.partitions).filter { setting.owners(of: $0) == [0] }
    #expect(!its.isEmpty)
    setting.pass(3_000, [1, 2])
    #expect(its.allSatisfy { [[], [0]].contains(setting.owners(of: $0)) })
    setting.pass(3_000, [1, 2])
    expectOneOwnerEach(setting, among: [1, 2])
    for partition in its {
      let gained = setting.events[1...].joined().contains {
        $0 == .gained(partition: partition, epoch: 2, isExclusive: false)
      }
      #expect(gained)
    }
  }

  @Test func `a member that was not looked at for a while declares nobody dead for that`() {
    var setting = Setting(members: 2, partitions: Self.partitions)
    setting.pass(5_000, [0, 1])
    // Both stop, and one goes on first.
    setting.now += 5_000
    setting.pass(3_000, [1])
    setting.pass(500, [0, 1])
    #expect(setting.members[0].standing == .member)
  }

  @Test func `nobody is declared dead because the engine was away`() {
    var setting = Setting(members: 2, partitions: Self.partitions)
    setting.pass(5_000, [0, 1])
    setting.engineIsAway = true
    setting.pass(10_000, [0, 1])
    setting.engineIsAway = false
    // One of them reaches it first.
    setting.pass(3_000, [1])
    setting.pass(500, [0, 1])
    #expect(setting.members[0].standing == .member)
    #expect(!setting.events[0].contains(.removed))
    // Who is silent while it is there is dead all the same.
    setting.pass(6_000, [1])
    expectOneOwnerEach(setting, among: [1])
  }

  @Test func `a member that comes gets its part, one partition after the other, and nothing is taken`() {
    var setting = Setting(members: 2, partitions: Self.partitions)
    setting.pass(5_000, [0, 1])
    setting.start(2, partitions: Self.partitions)
    setting.pass(10_000, [0, 1, 2])
    expectOneOwnerEach(setting, among: [0, 1, 2])
    let gained = setting.events[2].filter { if case .gained = $0 { true } else { false } }
    #expect(!gained.isEmpty)
    #expect(gained.allSatisfy { if case .gained(_, _, true) = $0 { true } else { false } })
  }

  @Test func `who leaves gives all away first, and nobody waits for its death`() {
    var setting = Setting(members: 3, partitions: Self.partitions)
    setting.pass(5_000, [0, 1, 2])
    setting.members[0].leave()
    setting.pass(2_500, [0, 1, 2])
    #expect(setting.members[0].standing == .left)
    expectOneOwnerEach(setting, among: [1, 2])
    #expect(setting.engine.all.count { if case .member = $0.key { true } else { false } } == 2)
  }

  @Test func `a member that nobody is linked to gets nothing, and takes nothing while others are there`() {
    var setting = Setting(members: 2, partitions: Self.partitions)
    setting.pass(5_000, [0, 1])
    setting.start(2, partitions: Self.partitions)
    setting.members[0].isLinked(to: [Setting.id(1)], from: [Setting.id(1), Setting.id(2)])
    setting.members[1].isLinked(to: [Setting.id(0)], from: [Setting.id(0), Setting.id(2)])
    // It reaches the others.
    setting.members[2].isLinked(to: [Setting.id(0), Setting.id(1)], from: [])
    setting.pass(10_000, [0, 1, 2])
    #expect(setting.members[2].standing == .member)
    expectOneOwnerEach(setting, among: [0, 1])
    setting.pass(8_000, [0, 2])
    expectOneOwnerEach(setting, among: [0])
    // Once it is linked it gets its part.
    setting.members[0].isLinked(to: [Setting.id(2)], from: [Setting.id(2)])
    setting.members[2].isLinked(to: [Setting.id(0)], from: [Setting.id(0)])
    setting.pass(10_000, [0, 2])
    expectOneOwnerEach(setting, among: [0, 2])
    #expect((0..<Self.partitions).contains { setting.owners(of: $0) == [2] })
  }

  @Test func `who leaves and is linked to nobody gives all away, for it may be the one that is cut off`() {
    var setting = Setting(members: 2, partitions: Self.partitions)
    setting.pass(5_000, [0, 1])
    setting.members[0].isLinked(to: [], from: [])
    setting.members[0].leave()
    setting.pass(2_500, [0, 1])
    #expect(setting.members[0].standing == .left)
    expectOneOwnerEach(setting, among: [1])
    let isLeftToNobody = setting.engine.changes.contains { change in
      if case .partition(let record)? = change.record?.value { record.owner == .nobody } else { false }
    }
    #expect(!isLeftToNobody)
  }

  @Test func `where nobody is linked to anybody, what nobody has is taken after a while`() {
    var setting = Setting(members: 2, partitions: Self.partitions)
    for member in [0, 1] {
      setting.members[member].isLinked(to: [], from: [])
      setting.members[member].tick(at: setting.now, loopsAreAlive: true)
      setting.answer(member)
    }
    for member in [0, 1] { setting.tell(member) }
    setting.pass(9_000, [0, 1])
    #expect((0..<Self.partitions).allSatisfy { setting.owners(of: $0).isEmpty })
    setting.pass(3_000, [0, 1])
    expectOneOwnerEach(setting, among: [0, 1])
  }

  @Test func `of members that are drained at once one stays, and has all`() {
    for late in [0, 1] {
      var setting = Setting(members: 2, partitions: Self.partitions)
      setting.pass(5_000, [0, 1])
      setting.members[0].leave(unlessLast: true)
      setting.pass(Int64(late) * 100, [0])
      setting.members[1].leave(unlessLast: true)
      setting.pass(10_000, [0, 1])
      let there = (0..<2).filter { setting.members[$0].standing == .member }
      #expect(!there.isEmpty)
      expectOneOwnerEach(setting, among: there)
    }
  }

  @Test func `who is drained beside one that stops stays, and who is told to stop leaves all the same`() {
    var setting = Setting(members: 2, partitions: Self.partitions)
    setting.pass(5_000, [0, 1])
    setting.members[0].leave(unlessLast: true)
    setting.members[1].leave()
    setting.pass(5_000, [0, 1])
    #expect(setting.members[1].standing == .left)
    #expect(setting.members[0].standing == .member)
    expectOneOwnerEach(setting, among: [0])
    setting.members[0].leave()
    setting.pass(5_000, [0])
    #expect(setting.members[0].standing == .left)
  }

  @Test func `who cannot leave yet goes on saying that it lives`() {
    var setting = Setting(members: 2, partitions: Self.partitions)
    setting.pass(5_000, [0, 1])
    setting.members[0].leave(unlessLast: true)
    // It does not hear how the other lives on.
    for _ in 0..<100 {
      setting.pass(100, [1])
      setting.members[0].tick(at: setting.now, loopsAreAlive: true)
      setting.answer(0)
      for case .drain(let partition) in setting.members[0].takeEvents() {
        setting.members[0].drained(partition)
      }
    }
    #expect(setting.members[0].standing == .leaving)
    expectOneOwnerEach(setting, among: [1])
    setting.pass(3_000, [0, 1])
    #expect(setting.members[0].standing == .left)
  }

  @Test func `no transaction has more than the engine takes`() {
    var setting = Setting(members: 1, partitions: 256)
    var most = 0
    for _ in 0..<60 {
      setting.now += 100
      setting.members[0].tick(at: setting.now, loopsAreAlive: true)
      for request in setting.members[0].takeRequests() {
        if case .transaction(let transaction) = request.body {
          most = max(most, transaction.conditions.count, transaction.writes.count)
        }
        let answer = setting.engine.handle(request.body)
        setting.members[0].answered(request.number, answer, setting.engine.header, at: setting.now)
      }
      setting.tell(0)
    }
    // etcd's bound for each is 128.
    #expect(most > 32 && most <= 128)
    #expect((0..<256).allSatisfy { setting.owners(of: $0) == [0] })
  }

  @Test(arguments: 0..<2) func `nobody acts for what is another's, whatever fails`(part: UInt64) {
    for seed in part * 20 + 1...part * 20 + 20 {
      let run = FleetRun(seed: seed, steps: 100)
      if let complaint = run.complaint {
        Issue.record("seed \(seed): \(complaint)\n\(run.story.suffix(40).joined(separator: "\n"))")
        return
      }
      #expect(run.actCount > 100)
    }
  }

  /// Whether a history from this seed on to 1,000 has something to complain of.
  private func isNoticed(_ control: FleetRun.Control, from seed: UInt64) -> Bool {
    (seed...1_000).contains { FleetRun(seed: $0, steps: 100, control).complaint != nil }
  }

  @Test func `histories notice that a member does things without a permit`() {
    // One in two hundred does.
    #expect(isNoticed(.withoutPermit, from: 240))
  }

  @Test func `histories notice that what an owner has said is heard too late`() {
    #expect(isNoticed(.withoutLease, from: 100))
  }

  @Test func `what is to have a higher epoch is given away and had again, by the same member`() {
    var setting = Setting(members: 2, partitions: Self.partitions)
    setting.pass(5_000, [0, 1])
    let its = (0..<Self.partitions).filter { setting.owners(of: $0) == [0] }
    let epochs = its.map { setting.members[0].epoch(of: $0) ?? 0 }
    for partition in its { setting.members[0].renew(partition) }
    setting.pass(2_000, [0, 1])
    expectOneOwnerEach(setting, among: [0, 1])
    #expect(its.map { setting.members[0].epoch(of: $0) ?? 0 } == epochs.map { $0 + 1 })
  }

  @Test func `histories notice that an upstream takes what comes behind a later owner's requests`() {
    #expect(isNoticed(.withoutFence, from: 70))
  }

  @Test func `a seed makes the same history each time`() {
    #expect(FleetRun(seed: 3, steps: 100).actCount == FleetRun(seed: 3, steps: 100).actCount)
  }
}
