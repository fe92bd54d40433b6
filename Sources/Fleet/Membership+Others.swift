/// A member's work for the fleet: it declares silent members dead, claims partitions without an owner, and gives away
/// those that belong to others.
extension Membership {
  /// So many partitions at most change hands in one transaction: etcd takes 128 operations.
  static let partitionsPerTransaction = 32

  /// Does the first thing that there is to do: one transaction at a time.
  mutating func lookAfterOthers(at now: Int64) {
    guard seesAll else { return }
    noteLinks()
    if standing == .leaving, staysIfLast, isLast { stay() }
    if let dead = others.first(where: { now - $0.changedAt >= timings.death }) {
      return remove(dead, at: now)
    }
    if giveAway(at: now) { return }
    guard standing == .member else { return }
    if !claim(at: now) { balance() }
  }

  // MARK: Takeover

  private mutating func remove(_ dead: Other, at now: Int64) {
    let transaction = EngineTransaction(
      conditions: [.revision(.member(dead.id), dead.revision), .exists(.member(id))],
      writes: [.delete(.member(dead.id))])
    shared = ask(.transaction(transaction), .remove(dead.id), at: now)
  }

  /// Claims partitions that no member has; returns whether there were any.
  private mutating func claim(at now: Int64) -> Bool {
    let members = candidates
    let claimed = partitions.indices.filter { number in
      let partition = partitions[number]
      // A partition that it drained and has not given away stays its own if nobody else is to have it any more.
      if isUngiven(number) { return rendezvous.first(for: number, among: members) == id }
      guard let since = partition.ownerlessSince, hasBeenReached || now - since >= timings.solitude else {
        return false
      }
      return now - since >= timings.precedence || rendezvous.first(for: number, among: members) == id
    }
    guard !claimed.isEmpty else { return false }
    let some = Array(claimed.prefix(Self.partitionsPerTransaction))
    var transaction = handing(some, to: id)
    for number in some {
      if let owner = partitions[number].record?.owner, owner != id {
        transaction.conditions.append(.revision(.member(owner), 0))
      }
    }
    shared = ask(.transaction(transaction), .claim(some), at: now)
    return true
  }

  /// Makes partitions a member's that is there, if they are still as they were seen.
  private func handing(_ numbers: [Int], to owner: MemberID) -> EngineTransaction {
    let conditions: [EngineCondition] = owner == .nobody ? [] : [.exists(.member(owner))]
    var transaction = EngineTransaction(conditions: conditions, writes: [])
    for number in numbers {
      transaction.conditions.append(.revision(.partition(number), partitions[number].revision))
      transaction.writes.append(.put(.partition(number), .partition(next(number, of: owner))))
    }
    return transaction
  }

  private func next(_ number: Int, of owner: MemberID) -> PartitionRecord {
    guard let record = partitions[number].record else { return PartitionRecord(owner: owner, epoch: 1) }
    let isExclusive =
      record.owner == .nobody ? record.isExclusive : record.owner == id && partitions[number].isExclusive
    return PartitionRecord(owner: owner, epoch: record.epoch + 1, isExclusive: isExclusive)
  }

  // MARK: Handover

  /// A partition is to be another's: its tasks end first.
  mutating func drain(_ number: Int) {
    partitions[number].isDraining = true
    events.append(.drain(partition: number))
  }

  /// It is to have a partition under a higher epoch: it gives it away, and has it again if it is still its own.
  package mutating func renew(_ number: Int) {
    guard standing == .member, partitions[number].owned > 0, !partitions[number].isDraining else { return }
    drain(number)
  }

  /// The partition is drained: from now on the member does not have it, whatever becomes of the transaction.
  /// - Parameter isExclusive: no work of earlier owners goes on either.
  package mutating func drained(_ number: Int, isExclusive: Bool = true) {
    guard partitions[number].isDraining, partitions[number].owned > 0 else { return }
    partitions[number].isExclusive = isExclusive
    leave(number)
  }

  /// Its record still says that it is this member's, which has left it.
  private func isUngiven(_ number: Int) -> Bool {
    let partition = partitions[number]
    return partition.record?.owner == id && partition.owned == 0
  }

  /// Writes whose it is what this member has left; returns whether there was any of it.
  private mutating func giveAway(at now: Int64) -> Bool {
    let members = candidates
    var receiver: MemberID?
    var given: [Int] = []
    for number in partitions.indices where isUngiven(number) {
      // The last one leaves word for whoever comes next.
      guard let first = members.isEmpty ? .nobody : rendezvous.first(for: number, among: members), first != id
      else { continue }
      if receiver == nil { receiver = first }
      if receiver == first, given.count < Self.partitionsPerTransaction { given.append(number) }
    }
    guard let receiver else { return false }
    shared = ask(.transaction(handing(given, to: receiver)), .give(given, to: receiver), at: now)
    return true
  }

  /// One partition at a time goes to a member that has come.
  private mutating func balance() {
    guard !partitions.contains(where: \.isDraining) else { return }
    let members = candidates
    let next = partitions.indices.first {
      partitions[$0].owned > 0 && rendezvous.first(for: $0, among: members) != id
    }
    if let next { drain(next) }
  }

  // MARK: Answers

  mutating func answeredShared(_ asked: Pending, _ answer: EngineAnswer, at now: Int64) {
    guard case .applied(let revision) = answer else {
      // The watch tells what became of it; who is not dead after all has another record.
      if case .remove(let id) = asked.purpose, let place = others.firstIndex(where: { $0.id == id }) {
        others[place].changedAt = now
      }
      return
    }
    switch asked.purpose {
    case .remove(let id): forget(id, at: now)
    case .claim(let numbers): write(numbers, of: id, revision, at: now)
    case .give(let numbers, let receiver): write(numbers, of: receiver, revision, at: now)
    case .beat, .readOwn, .leave: break
    }
  }

  private mutating func write(_ numbers: [Int], of owner: MemberID, _ revision: Int64, at now: Int64) {
    for number in numbers { note(next(number, of: owner), revision, of: number, at: now) }
  }
}
