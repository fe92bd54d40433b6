/// A member's own record: it joins, beats and leaves.
extension Membership {
  /// To be called a few times between two beats.
  /// - Parameter loopsAreAlive: each loop of the process has answered lately; else it does not say that it lives.
  package mutating func tick(at now: Int64, loopsAreAlive: Bool) {
    let hasSlept = lastLook == .min || now - lastLook > timings.gap
    lastLook = now
    if hasSlept { forgetSilence(at: now) }
    giveUpWaiting(at: now)
    guard isThere else { return }
    if own == nil { sendOwn(at: now, loopsAreAlive: loopsAreAlive) }
    if shared == nil, now < until { lookAfterOthers(at: now) }
  }

  private mutating func sendOwn(at now: Int64, loopsAreAlive: Bool) {
    if let readAt {
      if now >= readAt { readOwn(at: now) }
    } else if loopsAreAlive || standing == .joining, now >= nextBeatAt {
      sendBeat(at: now)
    }
  }

  private mutating func giveUpWaiting(at now: Int64) {
    if let own, now - own.sentAt >= timings.answer { answered(own.number, .unknown, nil, at: now) }
    if let shared, now - shared.sentAt >= timings.answer { answered(shared.number, .unknown, nil, at: now) }
  }

  private var record: MemberRecord {
    MemberRecord(address: address, beat: beat, isLeaving: standing == .leaving)
  }

  /// The first one, on the condition that there is no record yet, is how it joins.
  private mutating func sendBeat(at now: Int64) {
    nextBeatAt = now + timings.beat
    if standing == .leaving, hasGivenAllAway, !staysIfLast || !isLast && !hasTriedToLeave {
      hasTriedToLeave = staysIfLast
      return sendLeave(at: now)
    }
    hasTriedToLeave = false
    beat += 1
    let transaction = EngineTransaction(
      conditions: [.revision(.member(id), revision)], writes: [.put(.member(id), .member(record))])
    own = ask(.transaction(transaction), .beat, at: now)
  }

  /// From its sending on this member may not act: as soon as the record is gone, others take what they find without owner.
  private mutating func sendLeave(at now: Int64) {
    until = .min
    mayHaveLeft = true
    var transaction = EngineTransaction(
      conditions: [.revision(.member(id), revision)], writes: [.delete(.member(id))])
    // The last member stays: another one that does not leave must still be there.
    if staysIfLast, let other = others.filter({ !$0.isLeaving }).max(by: { $0.changedAt < $1.changedAt }) {
      transaction.conditions.append(.revision(.member(other.id), other.revision))
    }
    own = ask(.transaction(transaction), .leave, at: now)
  }

  private mutating func readOwn(at now: Int64) {
    readAt = nil
    own = ask(.read(.member(id)), .readOwn, at: now)
  }

  // MARK: Answers

  /// - Parameter header: nil: there was no answer.
  package mutating func answered(
    _ number: UInt64, _ answer: EngineAnswer, _ header: EngineHeader?, at now: Int64
  ) {
    if let own, own.number == number {
      self.own = nil
      guard isTheSame(header, knowing: own.knownRevision) else { return }
      answeredOwn(own, answer, at: now)
    } else if let shared, shared.number == number {
      self.shared = nil
      guard isTheSame(header, knowing: shared.knownRevision) else { return }
      answeredShared(shared, answer, at: now)
    }
  }

  /// Whether the engine is the same as before. One that was restored has forgotten acknowledged writes.
  /// - Parameter revision: what was known of its revision when it was asked: its answer cannot be older.
  mutating func isTheSame(_ header: EngineHeader?, knowing revision: Int64) -> Bool {
    guard let header else { return true }
    guard header.cluster == cluster ?? header.cluster else {
      end(as: .halted(.otherCluster))
      return false
    }
    guard header.revision >= revision else {
      end(as: .halted(.revisionWentBackwards))
      return false
    }
    cluster = header.cluster
    knownRevision = max(knownRevision, header.revision)
    return true
  }

  /// It acts no more, and waits for nothing.
  mutating func end(as standing: Standing) {
    self.standing = standing
    until = .min
    (own, shared) = (nil, nil)
  }

  private mutating func answeredOwn(_ asked: Pending, _ answer: EngineAnswer, at now: Int64) {
    switch (asked.purpose, answer) {
    case (.leave, .applied): end(as: .left)
    case (_, .applied(let revision)):
      self.revision = revision
      noteAcknowledged(at: now)
      // Behind the sending: who saw the record before that has waited since then at the latest.
      until = max(until, asked.sentAt + timings.acting)
      if standing == .joining { standing = .member }
    case (.readOwn, .record(nil)):
      // Even if it was never seen there: what it was given in between would look like its own.
      remove()
    case (.readOwn, .record(let found?)):
      takeOver(found)
    case (_, .unknown):
      // Who cannot be asked says so at once.
      readAt = asked.sentAt + timings.pause
    case (.leave, .refused):
      wasRefusedToLeave = true
      mayHaveLeft = false
      readOwn(at: now)
    case (_, .refused), (_, .record):
      readOwn(at: now)
    }
  }

  private mutating func noteAcknowledged(at now: Int64) {
    let wasWithoutEngine = acknowledgedAt == .min || now - acknowledgedAt > timings.beat + timings.gap
    if wasWithoutEngine { forgetSilence(at: now) }
    acknowledgedAt = now
  }

  /// An own write whose acknowledgement was lost. It says nothing of how long this member may act.
  private mutating func takeOver(_ found: EngineRecord) {
    guard case .member(let record) = found.value, record.address == address, record.beat <= beat else {
      return end(as: .halted(.twin))
    }
    // An older one: the engine was restored, and has written other things since then.
    guard found.revision >= revision else { return end(as: .halted(.revisionWentBackwards)) }
    revision = found.revision
    if standing == .joining { standing = .member }
  }

  /// It has been declared dead: what it had may be another's by now.
  mutating func remove() {
    hasDiedLeaving = standing == .leaving && !mayHaveLeft
    end(as: standing == .leaving ? .left : .removed)
    for number in partitions.indices where partitions[number].owned > 0 { leave(number) }
    events.append(.removed)
  }

  // MARK: Leaving

  /// It drains what it has, gives it away, and takes its leave.
  /// - Parameter unlessLast: it becomes a member again where all others leave, or are gone; else it is to stop.
  package mutating func leave(unlessLast: Bool = false) {
    staysIfLast = unlessLast
    switch standing {
    case .member:
      standing = .leaving
      nextBeatAt = .min
      for partition in partitions.indices where partitions[partition].owned > 0 { drain(partition) }
    case .joining, .removed: standing = .left
    case .leaving, .left, .halted: break
    }
  }

  /// Nobody is left who could have what it was to give away.
  mutating func stay() {
    standing = .member
    nextBeatAt = .min
    wasRefusedToLeave = false
  }

  /// Nothing is its own any more.
  private var hasGivenAllAway: Bool {
    partitions.allSatisfy { $0.owned == 0 && $0.record?.owner != id }
  }
}
