import HotData
import JSONRPC
import TaskStore

/// Of a fleet: the partitions of this member, at the loop that has them.
extension Lanes {
  var hasPartitions: Bool { partitions.isThere }
  var partitionsDueMilliseconds: UInt64 { partitions.dueMilliseconds }

  // MARK: Having

  mutating func gain(_ partition: Int, epoch: UInt32, exclusiveFrom: UInt64) {
    partitions.gain(
      partition, epoch: epoch, exclusiveFrom: exclusiveFrom, countedFrom: store.startOfEpoch)
  }

  mutating func hear(ofPartition partition: Int, epoch: UInt32) {
    partitions.hear(of: partition, epoch: epoch)
  }

  mutating func drain(partition: Int, until milliseconds: UInt64) {
    partitions.drain(partition, until: milliseconds)
  }

  /// Gives up the partitions that have been drained.
  /// - Returns: with each, whether none of its work goes on, whichever owner had started that.
  mutating func takeDrained() -> [(partition: Int, isExclusive: Bool)] {
    partitions.takeDrained().filter { partitions.entries[$0].isDraining }.map { partition in
      let isExclusive = partitions.entries[partition].exclusiveFrom <= nowMilliseconds
      partitions.lose(partition)
      return (partition, isExclusive)
    }
  }

  /// Partitions that need a higher epoch soon, each once.
  mutating func takeSpent() -> [Int] { partitions.takeSpent() }

  /// As if so many more had been admitted.
  mutating func skipGenerations(_ count: UInt64) { store.skipGenerations(count) }

  /// A partition has so many of its epoch when it is to get a higher one; and then it takes nothing more without that.
  private static let generationsUntilSpent = TaskStore.generationsPerEpoch / 4 * 3
  private static let mostGenerations = TaskStore.generationsPerEpoch / 32 * 31

  /// What is admitted next counts for a partition. Soon before its epoch has no generation left, its member is to get it
  /// anew.
  /// - Returns: false: there is none left.
  mutating func beginGenerations(of partition: Int) -> Bool {
    let entry = partitions.entries[partition]
    let count = store.generationCount &- entry.countedFrom
    if count >= Self.generationsUntilSpent { partitions.noteSpent(partition) }
    guard count < Self.mostGenerations else { return false }
    store.beginGenerations(of: entry.owned, from: entry.countedFrom)
    return true
  }

  /// Something of it is at work that nobody hears of any more.
  mutating func delayExclusive(partition: Int, until milliseconds: UInt64) {
    partitions.delayExclusive(partition, until: milliseconds)
  }

  mutating func lose(partition: Int) { partitions.lose(partition) }

  mutating func loseAllPartitions() {
    partitions.forgetPutOff()
    for partition in partitions.entries.indices { partitions.lose(partition) }
    _ = partitions.takeDrained()
  }

  /// Nil: it is of no partition.
  func fence(of slot: Int) -> Fence? {
    partitions.partition(ofTask: slot).map {
      Fence(partition: $0, generation: store.generation(inSlot: slot))
    }
  }

  func tasks(ofPartition partition: Int) -> [Int] { partitions.tasks(of: partition) }

  func drainMilliseconds(inSlot slot: Int) -> UInt32 { store.drainMilliseconds(inSlot: slot) }

  /// What is left of it ends then.
  mutating func limit(partition: Int, to milliseconds: UInt64) {
    partitions.limit(partition, to: milliseconds)
  }

  /// No time has passed for what ends.
  mutating func stoodStill(forMilliseconds milliseconds: UInt64) {
    store.stoodStill(forMilliseconds: milliseconds)
    partitions.stoodStill(forMilliseconds: milliseconds)
  }

  mutating func takeOverduePartitions() -> [(partition: Int, isCut: Bool)] {
    partitions.takeOverdue(now: nowMilliseconds)
  }

  // MARK: What is asked

  /// What becomes of a request about a partition.
  enum Reception {
    /// It is about none.
    case outOfPlace
    /// It is this member's, and asked now: what is admitted counts for it.
    case now
    /// It is this member's, but what must be alone has to wait.
    case nowUnlessAlone
    /// It is not this member's yet, as far as it knows, or not any more.
    case early, moved
  }

  /// - Parameter isForeign: it is for upstream. What there is of a partition can be looked at and taken back to the end.
  mutating func receive(_ claim: PartitionClaim, isForeign: Bool) -> Reception {
    let partition = Int(claim.partition)
    guard partitions.entries.indices.contains(partition) else { return .outOfPlace }
    let entry = partitions.entries[partition]
    // What was sent under a lower epoch goes back even if this member has the partition again: an older request of the
    // same client may be on its way back.
    guard entry.owned > 0, entry.owned == claim.epoch, !entry.isDraining || !isForeign else {
      return claim.epoch <= entry.known ? .moved : .early
    }
    guard beginGenerations(of: partition) || !isForeign else { return .moved }
    partitions.atHand = partition
    return nowMilliseconds < entry.exclusiveFrom ? .nowUnlessAlone : .now
  }

  /// Whether a partition is about to be given away, and a request is about it as this member has it.
  func isDraining(_ claim: PartitionClaim) -> Bool {
    let entry = partitions.entries[Int(claim.partition)]
    return entry.isDraining && entry.owned == claim.epoch
  }

  // MARK: What comes too early

  var hasPutOff: Bool { partitions.hasPutOff }

  /// Whether the client of a mirror has as much waiting here as it may.
  func putsOffMuch(of name: MirrorName, within limitBytes: Int) -> Bool {
    partitions.holdsMuch(of: RequestQueue.Asker(name), within: limitBytes)
  }

  /// Whether anything waits of it.
  func putsOff(of name: MirrorName) -> Bool { partitions.holds(RequestQueue.Asker(name)) }

  mutating func putOff(
    _ envelope: Envelope, in bytes: Span<UInt8>, about claim: PartitionClaim, of name: MirrorName,
    _ labels: RequestLabels, isAlone: Bool
  ) {
    let call = envelope.isNotification ? nil : JSONNumber.nonNegativeInteger(envelope.id, in: bytes)
    let place = RequestQueue.Place(
      client: Int32(truncatingIfNeeded: name.slot), serial: name.serial, loop: name.loop, labels: labels,
      isAlone: isAlone)
    partitions.putOff(envelope, in: bytes, call: call, about: claim, of: place)
  }

  mutating func takePutOff(_ partition: Int) -> RequestQueue? { partitions.takePutOff(partition) }

  /// Partitions of which something waits that was to be alone, and may start by now.
  mutating func takeExclusivePartitions() -> [Int] { partitions.takeExclusive(now: nowMilliseconds) }

  /// Whether something of a key waits that a request about its partition must not overtake.
  func hasPutOff(key: UInt64, about claim: PartitionClaim) -> Bool {
    key != 0 && partitions.hasPutOff(key: key, of: Int(claim.partition))
  }

  /// Takes back what waits and is meant.
  mutating func takeBackPutOff(
    where isMeant: (RequestQueue.Place, _ call: UInt64?) -> Bool
  ) -> [(place: RequestQueue.Place, call: UInt64?)] {
    partitions.takeBack(now: nowMilliseconds, where: isMeant)
  }

  /// The same of what the client of a mirror has asked.
  mutating func takeBackPutOff(
    of name: MirrorName, where isMeant: (RequestQueue.Place, _ call: UInt64?) -> Bool
  ) -> [(place: RequestQueue.Place, call: UInt64?)] {
    partitions.takeBack(of: name, now: nowMilliseconds, where: isMeant)
  }

  /// Requests that waited only behind requests which were taken back.
  mutating func takeFreed() -> [RequestQueue] { partitions.takeFreed(now: nowMilliseconds) }
}
