import Testing

@testable import Fleet
@testable import Simulation

/// One member beside an engine, step by step.
@Suite struct MembershipTests {
  private var setting = Setting(members: 1)

  private mutating func join() {
    setting.pass(200, [0])
    #expect(setting.members[0].standing == .member)
  }

  private func mayAct(at now: Int64) -> Bool { setting.members[0].permit(for: 0, at: now) != nil }

  @Test mutating func `a member may act until three seconds behind the sending of its last beat`() {
    join()
    // The next is sent now, and acknowledged late.
    setting.now += 400
    let sentAt = setting.now
    setting.members[0].tick(at: sentAt, loopsAreAlive: true)
    setting.now += 900
    setting.answer(0)
    #expect(mayAct(at: sentAt + 2_999) && !mayAct(at: sentAt + 3_000))
  }

  @Test mutating func `who does not hear its loops does not say that it lives`() {
    join()
    let revision = setting.engine.revision
    for _ in 0..<20 {
      setting.now += 100
      setting.members[0].tick(at: setting.now, loopsAreAlive: false)
      setting.answer(0)
    }
    #expect(setting.engine.revision == revision)
  }

  @Test mutating func `a beat whose acknowledgement is lost gives no time, and the next does`() {
    join()
    setting.now += 500
    let sentAt = setting.now
    setting.members[0].tick(at: sentAt, loopsAreAlive: true)
    let lost = setting.members[0].takeRequests()
    for request in lost { _ = setting.engine.handle(request.body) }
    // It is not waited for any longer, and the record is read.
    setting.now += 1_000
    setting.members[0].tick(at: setting.now, loopsAreAlive: true)
    setting.answer(0)
    #expect(!mayAct(at: sentAt + 2_999))
    setting.now += 500
    setting.members[0].tick(at: setting.now, loopsAreAlive: true)
    setting.answer(0)
    #expect(mayAct(at: setting.now + 2_999))
  }

  @Test mutating func `an engine that says at once that it cannot be asked is not asked at once again`()
    throws
  {
    join()
    setting.now += 500
    setting.members[0].tick(at: setting.now, loopsAreAlive: true)
    for _ in 0..<3 {
      let sentAt = setting.now
      let requests = setting.members[0].takeRequests()
      try #require(requests.count == 1)
      setting.members[0].answered(requests[0].number, .unknown, nil, at: sentAt)
      #expect(setting.members[0].takeRequests().isEmpty)
      setting.members[0].tick(at: sentAt + 249, loopsAreAlive: true)
      #expect(setting.members[0].takeRequests().isEmpty)
      setting.now = sentAt + 250
      setting.members[0].tick(at: setting.now, loopsAreAlive: true)
    }
    setting.answer(0)
    setting.pass(600, [0])
    #expect(mayAct(at: setting.now))
  }

  @Test mutating func `whose record is gone has been declared dead, and joins under another name`() throws {
    join()
    setting.pass(2_000, [0])
    _ = setting.engine.handle(
      .transaction(EngineTransaction(conditions: [], writes: [.delete(.member(Setting.id(0)))])))
    setting.now += 500
    setting.members[0].tick(at: setting.now, loopsAreAlive: true)
    // The beat is refused, and then the record is looked for.
    setting.answer(0)
    setting.answer(0)
    #expect(setting.members[0].standing == .removed && !mayAct(at: setting.now))
    #expect(setting.members[0].takeEvents().last == .removed)
    setting.members[0].rejoin(as: Setting.id(7), at: setting.now)
    setting.pass(3_000, [0])
    let permit = try #require(setting.members[0].permit(for: 0, at: setting.now))
    #expect(permit.epoch == 2)
  }

  @Test mutating func `who is declared dead while it leaves knows that, and who has left was not`() {
    join()
    setting.pass(2_000, [0])
    setting.members[0].leave()
    setting.now += 100
    setting.members[0].tick(at: setting.now, loopsAreAlive: true)
    var leaving = setting
    leaving.pass(2_000, [0])
    #expect(leaving.members[0].standing == .left && !leaving.members[0].hasDiedLeaving)
    // It has not given anything away.
    _ = setting.engine.handle(
      .transaction(EngineTransaction(conditions: [], writes: [.delete(.member(Setting.id(0)))])))
    setting.tell(0)
    #expect(setting.members[0].standing == .left && setting.members[0].hasDiedLeaving)
  }

  @Test(arguments: [false, true])
  mutating func `who hears that its record is gone before its leave is acknowledged has left`(
    isDeleted: Bool
  ) {
    join()
    setting.members[0].leave()
    while setting.engine.knows(Setting.id(0)) {
      setting.now += 100
      setting.members[0].tick(at: setting.now, loopsAreAlive: true)
      for request in setting.members[0].takeRequests() {
        let answer = setting.engine.handle(request.body)
        guard setting.engine.knows(Setting.id(0)) else { break }
        setting.members[0].answered(request.number, answer, setting.engine.header, at: setting.now)
      }
      guard setting.engine.knows(Setting.id(0)) else { break }
      setting.tell(0)
      for case .drain(let partition) in setting.events[0] { setting.members[0].drained(partition) }
    }
    #expect(setting.members[0].standing == .leaving)
    if isDeleted {
      setting.tell(0)
    } else {
      setting.now += 1_000
      setting.members[0].tick(at: setting.now, loopsAreAlive: true)
      setting.answer(0)
    }
    #expect(setting.members[0].standing == .left && !setting.members[0].hasDiedLeaving)
  }

  @Test mutating func `an engine that has forgotten what it acknowledged is not believed`() {
    join()
    setting.pass(2_000, [0])
    setting.now += 500
    setting.members[0].tick(at: setting.now, loopsAreAlive: true)
    let request = setting.members[0].takeRequests()[0]
    let old = EngineHeader(cluster: setting.engine.cluster, revision: 1)
    setting.members[0].answered(request.number, .applied(1), old, at: setting.now)
    #expect(setting.members[0].standing == .halted(.revisionWentBackwards) && !mayAct(at: setting.now))
  }

  @Test(arguments: [false, true])
  mutating func `where a partition's record was deleted nothing is done any more`(readsAll: Bool) {
    join()
    setting.pass(2_000, [0])
    #expect(mayAct(at: setting.now))
    _ = setting.engine.handle(
      .transaction(EngineTransaction(conditions: [], writes: [.delete(.partition(3))])))
    if readsAll {
      setting.members[0].sawAll(setting.engine.all, setting.engine.header, at: setting.now)
    } else {
      setting.tell(0)
    }
    #expect(setting.members[0].standing == .halted(.recordsDeleted) && !mayAct(at: setting.now))
  }

  @Test mutating func `what was read before a partition's record was written says nothing of it`() {
    setting.pass(100, [0])
    let (records, header) = (setting.engine.all, setting.engine.header)
    // It claims partitions, and the answer comes first.
    setting.now += 100
    setting.members[0].tick(at: setting.now, loopsAreAlive: true)
    setting.answer(0)
    #expect(mayAct(at: setting.now))
    setting.members[0].sawAll(records, header, at: setting.now)
    #expect(setting.members[0].standing == .member && mayAct(at: setting.now))
  }

  /// Where a member is told something that an engine says which was restored at an earlier state of itself.
  enum Hearing: CaseIterable { case ownRecord, list, olderList, otherList }

  @Test(arguments: Hearing.allCases)
  mutating func `a restored engine is not believed, though its revision has become as high again`(
    hearing: Hearing
  ) {
    join()
    let before = setting.engine
    setting.members[0].renew(0)
    setting.pass(2_000, [0])
    #expect(mayAct(at: setting.now))
    let header = setting.engine.header
    let later = EngineHeader(cluster: header.cluster, revision: header.revision + 10)
    switch hearing {
    case .ownRecord:
      setting.now += 500
      setting.members[0].tick(at: setting.now, loopsAreAlive: true)
      let beat = setting.members[0].takeRequests()[0]
      setting.members[0].answered(beat.number, .refused, later, at: setting.now)
      let read = setting.members[0].takeRequests()[0]
      var restored = before
      setting.members[0].answered(read.number, restored.handle(read.body), later, at: setting.now)
    case .list: setting.members[0].sawAll(before.all, later, at: setting.now)
    case .olderList: setting.members[0].sawAll(before.all, before.header, at: setting.now)
    case .otherList:
      let other = EngineHeader(cluster: header.cluster + 1, revision: later.revision)
      setting.members[0].sawAll(setting.engine.all, other, at: setting.now)
    }
    let halt = hearing == .otherList ? Membership.Halt.otherCluster : .revisionWentBackwards
    #expect(setting.members[0].standing == .halted(halt) && !mayAct(at: setting.now))
    #expect(!setting.members[0].believesEngine)
  }

  @Test mutating func `another engine is not believed either`() {
    join()
    setting.now += 500
    setting.members[0].tick(at: setting.now, loopsAreAlive: true)
    let request = setting.members[0].takeRequests()[0]
    let other = EngineHeader(cluster: setting.engine.cluster + 1, revision: 1_000)
    setting.members[0].answered(request.number, .applied(1_000), other, at: setting.now)
    #expect(setting.members[0].standing == .halted(.otherCluster))
  }

  @Test mutating func `who finds that somebody else writes its record does nothing any more`() {
    join()
    let twin = MemberRecord(address: "elsewhere", beat: 1, isLeaving: false)
    _ = setting.engine.handle(
      .transaction(
        EngineTransaction(conditions: [], writes: [.put(.member(Setting.id(0)), .member(twin))])))
    setting.now += 500
    setting.members[0].tick(at: setting.now, loopsAreAlive: true)
    setting.answer(0)
    setting.answer(0)
    #expect(setting.members[0].standing == .halted(.twin))
  }

  @Test mutating func `where a partition's epoch can get no higher nobody claims it`() {
    join()
    setting.pass(2_000, [0])
    let highest = PartitionRecord(owner: .nobody, epoch: .max)
    _ = setting.engine.handle(
      .transaction(EngineTransaction(conditions: [], writes: [.put(.partition(3), .partition(highest))])))
    setting.pass(3_000, [0])
    #expect(setting.members[0].standing == .halted(.epochsAreSpent) && !mayAct(at: setting.now))
  }
}
