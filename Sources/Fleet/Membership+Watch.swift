/// What a member sees of the others, and of the partitions.
extension Membership {
  /// All that there is, at the header's revision; the watch goes on behind it.
  package mutating func sawAll(
    _ records: [(key: EngineKey, record: EngineRecord)], _ header: EngineHeader, at now: Int64
  ) {
    guard believes(records, header) else { return }
    let known = Set(records.map(\.key))
    for number in partitions.indices where !known.contains(.partition(number)) {
      sawNone(ofPartition: number, asOf: header.revision)
    }
    for other in others where !known.contains(.member(other.id)) { forget(other.id, at: now) }
    for (key, record) in records { saw(EngineChange(key, record, revision: record.revision), at: now) }
    guard !seesAll else { return }
    seesAll = true
    lookAtOwners(at: now)
  }

  /// Whether this is the engine that it was, and all that it had acknowledged is there. One that was restored may have
  /// come to a higher revision since then; what it has forgotten was last written by a lower one than is known here.
  private mutating func believes(
    _ records: [(key: EngineKey, record: EngineRecord)], _ header: EngineHeader
  ) -> Bool {
    guard isThere || standing == .removed else { return true }
    guard isTheSame(header, knowing: watchedRevision) else { return false }
    watchedRevision = header.revision
    let isRestored = records.contains { key, record in
      guard case .partition(let number) = key, partitions.indices.contains(number) else { return false }
      // What was written since this was read is known from an answer.
      return record.revision < partitions[number].revision && header.revision >= partitions[number].revision
    }
    if isRestored { end(as: .halted(.revisionWentBackwards)) }
    return !isRestored
  }

  package mutating func saw(_ change: EngineChange, at now: Int64) {
    watchedRevision = max(watchedRevision, change.revision)
    switch (change.key, change.record?.value) {
    case (.member(id), nil): if isThere { remove() }
    case (.member(id), _): break
    case (.member(let other), nil): forget(other, at: now)
    case (.member(let other), .member(let record)?): note(other, record, change.revision, at: now)
    case (.member, _): break
    case (.partition(let number), .partition(let record)?):
      guard partitions.indices.contains(number) else { return }
      note(record, change.revision, of: number, at: now)
    case (.partition(let number), nil):
      guard partitions.indices.contains(number) else { return }
      sawNone(ofPartition: number, asOf: change.revision)
    case (.partition, _): break
    }
  }

  /// Members never delete a partition's record.
  private mutating func sawNone(ofPartition number: Int, asOf revision: Int64) {
    guard isThere || standing == .removed, partitions[number].record != nil,
      revision > partitions[number].revision
    else { return }
    end(as: .halted(.recordsDeleted))
  }

  private mutating func note(_ id: MemberID, _ record: MemberRecord, _ revision: Int64, at now: Int64) {
    let place = others.firstIndex { $0.id >= id } ?? others.endIndex
    if place < others.endIndex, others[place].id == id {
      guard revision > others[place].revision else { return }
      others[place] = Other(id: id, revision: revision, isLeaving: record.isLeaving, changedAt: now)
      if wasRefusedToLeave, !hasTriedToLeave { nextBeatAt = now }
    } else {
      others.insert(
        Other(id: id, revision: revision, isLeaving: record.isLeaving, changedAt: now), at: place)
      lookAtOwners(at: now)
    }
  }

  mutating func forget(_ id: MemberID, at now: Int64) {
    others.removeAll { $0.id == id }
    lookAtOwners(at: now)
  }

  /// Who was not looked at, or heard nothing of the engine, knows nothing of how long others have been silent.
  mutating func forgetSilence(at now: Int64) {
    for index in others.indices { others[index].changedAt = now }
  }

  mutating func note(_ record: PartitionRecord, _ revision: Int64, of number: Int, at now: Int64) {
    guard revision > partitions[number].revision else { return }
    if record.epoch == .max, isThere || standing == .removed { return end(as: .halted(.epochsAreSpent)) }
    partitions[number].record = record
    partitions[number].revision = revision
    settle(number)
    lookAtOwner(of: number, at: now)
  }

  /// It has what its records say, if it has not left it under that epoch.
  private mutating func settle(_ number: Int) {
    guard let record = partitions[number].record else { return }
    if record.owner == id {
      // Its name is of no use any more once it was declared dead.
      guard isThere else { return }
      guard record.epoch > partitions[number].left, record.epoch != partitions[number].owned else { return }
      partitions[number].owned = record.epoch
      events.append(.gained(partition: number, epoch: record.epoch, isExclusive: record.isExclusive))
      if standing == .leaving { drain(number) }
    } else if partitions[number].owned > 0 {
      leave(number)
      events.append(.lost(partition: number))
    }
  }

  /// It has it no more, for good.
  mutating func leave(_ number: Int) {
    partitions[number].left = partitions[number].owned
    partitions[number].owned = 0
    partitions[number].isDraining = false
  }

  mutating func lookAtOwners(at now: Int64) {
    for number in partitions.indices { lookAtOwner(of: number, at: now) }
  }

  private mutating func lookAtOwner(of number: Int, at now: Int64) {
    let owner = partitions[number].record?.owner
    let isOwned = owner == id || others.contains { $0.id == owner }
    if isOwned {
      partitions[number].ownerlessSince = nil
    } else if partitions[number].ownerlessSince == nil {
      partitions[number].ownerlessSince = now
    }
  }
}
