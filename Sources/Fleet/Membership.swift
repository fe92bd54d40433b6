/// One member's part in a fleet, without its sockets and its clock: it proves that it lives, watches the other members,
/// and knows its own partitions. The engine's records decide; each step is one transaction on them.
///
/// **Beat.** Every half second it writes its own record, if nobody else has written that since. If the write is
/// acknowledged, the member may act until three seconds after the *sending*. If not, it reads the record: if that is
/// there, the member takes over its revision, and the time stays; if it is gone, the member was declared dead, and
/// forgets everything.
///
/// **Takeover.** A member whose beat does not change for four seconds, by the watcher's clock, is declared dead: the
/// watcher deletes its record, if that has not changed, and then claims its partitions one epoch higher. By then the
/// dead member, should it live, has stopped by itself: it may not act beyond its last beat. A watcher that was without
/// the engine itself does not know how long others have been silent.
///
/// **Handover.** A member that gives a partition away drains it and forgets it for good, and only then writes the new
/// owner. Whatever becomes of that transaction, it has the partition again only under a higher epoch.
///
/// **The engine is away**: nothing is acknowledged, and `permit` gives nothing until it is back. If no member was
/// declared dead by then, all goes on.
///
/// All times are milliseconds of `CLOCK_BOOTTIME`.
package struct Membership {
  package enum Standing: Hashable, Sendable {
    case joining, member, leaving
    /// Declared dead: it has to join again under another name.
    case removed
    /// It has given all away, and its record is gone.
    case left
    /// The engine, or what is in it, cannot be believed: nothing is done any more.
    case halted(Halt)
  }

  package enum Halt: Hashable, Sendable {
    case otherCluster, revisionWentBackwards
    /// A partition's record is gone: its epochs would begin anew while others act under the old ones.
    case recordsDeleted
    /// Somebody else writes this member's record: there are two of it.
    case twin
    /// A partition has the highest epoch there is: nobody can get it any more. No member has written that.
    case epochsAreSpent
  }

  /// What becomes of partitions, in its order.
  package enum Event: Hashable, Sendable {
    /// It is this member's from now on.
    /// - Parameter isExclusive: else what earlier owners had started may still be at work.
    case gained(partition: Int, epoch: UInt32, isExclusive: Bool)
    /// It is to end what it has of it, and to say so by `drained`.
    case drain(partition: Int)
    /// It is another's: all that is left of it is forgotten.
    case lost(partition: Int)
    /// All of them are.
    case removed
  }

  /// What is asked of the engine and not answered yet.
  struct Pending {
    enum Purpose {
      case beat, readOwn, leave
      case remove(MemberID)
      case claim([Int])
      case give([Int], to: MemberID)
    }

    let number: UInt64
    let purpose: Purpose
    let sentAt: Int64
    /// What was known of the engine's revision by then: its answer cannot be older.
    let knownRevision: Int64
  }

  /// Another member, as the watch shows it.
  struct Other {
    let id: MemberID
    var revision: Int64
    var isLeaving: Bool
    /// When its record was seen to change, by this member's clock.
    var changedAt: Int64
  }

  /// A partition, as the watch shows it, and what this member has of it.
  struct Partition {
    /// Nil: nobody has ever had it.
    var record: PartitionRecord?
    var revision: Int64 = 0
    /// The epoch under which this member has it; 0: it has not.
    var owned: UInt32 = 0
    /// The last epoch under which it had it and left it.
    var left: UInt32 = 0
    /// When this member left it, nothing was at work any more that anybody had started.
    var isExclusive = false
    /// It is to be given away, and ends what it has.
    var isDraining = false
    /// Since when no member has it; nil: one has.
    var ownerlessSince: Int64?
  }

  package private(set) var id: MemberID
  package let address: String
  let timings: FleetTimings
  let rendezvous: Rendezvous
  package internal(set) var standing = Standing.joining

  // MARK: Its own record

  /// It may act until then.
  var until = Int64.min
  /// Of its record, as far as it knows; 0: it has never been written.
  var revision: Int64 = 0
  /// Beats that were sent, whatever became of them.
  var beat: UInt64 = 0
  var nextBeatAt = Int64.min
  /// When to look for its record, for what became of its last write is not known; nil: it is.
  var readAt: Int64?
  /// When the engine last acknowledged one.
  var acknowledgedAt = Int64.min
  /// About its own record, and about all others: at most one of each at a time.
  var own: Pending?
  var shared: Pending?

  /// It leaves only while others stay.
  var staysIfLast = false
  /// That was refused, maybe: it says that it lives before it tries again.
  var hasTriedToLeave = false
  /// That was refused once: another had written in between, so it is tried anew as soon as one is seen to have written.
  var wasRefusedToLeave = false
  /// It has sent its leave, and that was not refused: if its record is gone it has deleted that itself.
  var mayHaveLeft = false
  /// It was declared dead while it was leaving.
  package internal(set) var hasDiedLeaving = false

  // MARK: What it knows

  var cluster: UInt64?
  var knownRevision: Int64 = 0
  /// Up to here the watch has told everything: what is read behind it cannot be older.
  var watchedRevision: Int64 = 0
  /// The watch has shown all there is.
  var seesAll = false
  /// In the order of their names.
  var others: [Other] = []
  var partitions: [Partition]
  var lastLook = Int64.min
  /// The other members that all loops of this one are linked to; nil: all.
  var reached: Set<MemberID>?
  /// The members that are linked to this one; nil: all.
  var askers: Set<MemberID>?
  /// A member reached it under its present name, or it was the only one: others can ask for its partitions.
  var hasBeenReached = false

  var requestsSoFar: UInt64 = 0
  var requests: [EngineRequest] = []
  var events: [Event] = []

  /// - Parameters:
  ///   - partitions: how many the fleet has; the same for all its members, for ever.
  ///   - seed: the fleet's, for what places partitions.
  package init(
    _ id: MemberID, address: String, partitions: Int, seed: UInt64, timings: FleetTimings = FleetTimings()
  ) {
    self.id = id
    self.address = address
    self.timings = timings
    rendezvous = Rendezvous(seed: seed)
    self.partitions = [Partition](repeating: Partition(), count: partitions)
  }

  /// It has been declared dead, and goes on under another name.
  package mutating func rejoin(as id: MemberID, at now: Int64) {
    precondition(standing == .removed, "only who has been removed joins again")
    self.id = id
    standing = .joining
    (revision, beat, nextBeatAt, readAt) = (0, 0, .min, nil)
    hasBeenReached = false
    // What it had under the old one has no owner now.
    lookAtOwners(at: now)
  }

  // MARK: Acting

  /// The right to act for a partition; nil: it is another's, or nobody knows at the moment.
  package func permit(for partition: Int, at now: Int64) -> Permit? {
    let epoch = partitions[partition].owned
    guard epoch > 0 else { return nil }
    let permit = Permit(partition: partition, epoch: epoch, until: until)
    return permit.isValid(at: now) ? permit : nil
  }

  /// Until when it may act for all that it has: nobody can have declared it dead before that.
  package var actsUntil: Int64 { until }

  /// The epoch under which it has a partition, whether or not it may act at the moment; nil: it has not.
  package func epoch(of partition: Int) -> UInt32? {
    partitions[partition].owned > 0 ? partitions[partition].owned : nil
  }

  /// Whether the engine is the one that it was, and has forgotten nothing.
  package var believesEngine: Bool {
    standing != .halted(.otherCluster) && standing != .halted(.revisionWentBackwards)
  }

  /// Nobody is there who could have what it has.
  package var isLast: Bool { others.allSatisfy(\.isLeaving) }

  /// Partitions that it is to give away, and of which something is left.
  package var drainingCount: Int { partitions.count(where: \.isDraining) }

  /// Whether its record may be there.
  var isThere: Bool { [.joining, .member, .leaving].contains(standing) }

  /// The members that partitions can belong to, as far as this one reaches them.
  var candidates: [MemberID] {
    let staying = others.filter { !$0.isLeaving }.map(\.id)
    let reached = staying.filter { self.reached?.contains($0) ?? true }
    if standing == .member { return [id] + reached }
    // Who reaches nobody may be cut off himself.
    return reached.isEmpty ? staying : reached
  }

  // MARK: Reach

  /// Sets the members that all loops of this one are linked to, as no others get partitions from it; and the members
  /// linked to it: before there is one, it claims only partitions that nobody has claimed for a while. Until it is set,
  /// all are.
  package mutating func isLinked(to reached: Set<MemberID>, from askers: Set<MemberID>) {
    (self.reached, self.askers) = (reached, askers)
  }

  mutating func noteLinks() {
    hasBeenReached = hasBeenReached || isLast || others.contains { askers?.contains($0.id) ?? true }
  }

  // MARK: Output

  package mutating func takeRequests() -> [EngineRequest] {
    defer { requests = [] }
    return requests
  }

  package mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  mutating func ask(_ body: EngineRequest.Body, _ purpose: Pending.Purpose, at now: Int64) -> Pending {
    requestsSoFar += 1
    requests.append(EngineRequest(number: requestsSoFar, body: body))
    return Pending(
      number: requestsSoFar, purpose: purpose, sentAt: now, knownRevision: knownRevision)
  }
}
