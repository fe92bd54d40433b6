import Fleet

@testable import Simulation

/// Members and an engine that answers at once, by a clock that a test moves.
struct Setting {
  var engine = SimulatedEngine()
  /// It hears nothing that it is asked, and tells nothing.
  var engineIsAway = false
  var members: [Membership] = []
  var now: Int64 = 100_000
  var events: [[Membership.Event]] = []
  private var watched: [Int] = []

  init(members count: Int, partitions: Int = 8) {
    for number in 0..<count { start(number, partitions: partitions) }
  }

  static func id(_ number: Int) -> MemberID { MemberID(high: UInt64(number), low: 1) }

  mutating func start(_ number: Int, partitions: Int) {
    members.append(
      Membership(Self.id(number), address: "member \(number)", partitions: partitions, seed: 1))
    events.append([])
    watched.append(-1)
  }

  /// What one of them asks is answered.
  mutating func answer(_ member: Int) {
    for request in members[member].takeRequests() where !engineIsAway {
      let answer = engine.handle(request.body)
      members[member].answered(request.number, answer, engine.header, at: now)
    }
  }

  mutating func tell(_ member: Int) {
    guard !engineIsAway else { return }
    if watched[member] < 0 {
      members[member].sawAll(engine.all, engine.header, at: now)
    } else {
      for change in engine.changes[watched[member]...] { members[member].saw(change, at: now) }
    }
    watched[member] = engine.changes.count
    events[member] += members[member].takeEvents()
  }

  /// Time passes, and these members live in it, and drain at once what they are to.
  mutating func pass(_ milliseconds: Int64, _ alive: [Int]) {
    for _ in 0..<milliseconds / 100 {
      now += 100
      for member in alive {
        members[member].tick(at: now, loopsAreAlive: true)
        answer(member)
        tell(member)
        for case .drain(let partition) in events[member] { members[member].drained(partition) }
      }
    }
  }

  /// The members that may act for a partition.
  func owners(of partition: Int) -> [Int] {
    members.indices.filter { members[$0].permit(for: partition, at: now) != nil }
  }
}
