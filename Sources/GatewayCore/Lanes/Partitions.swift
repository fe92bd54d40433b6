import HotData
import JSONRPC

/// The partitions that a member has, and what it has of them.
struct Partitions: ~Copyable {
  struct Entry {
    /// Under which it has it; 0: it has not.
    var owned: UInt32 = 0
    /// The highest that it has heard of.
    var known: UInt32 = 0
    /// It is about to give it away: nothing more is taken.
    var isDraining = false
    /// Then what is left of it is cut short, or, if that has been done, ends.
    var drainsUntil = UInt64.max
    var isCut = false
    /// Until then work of its last owner, or work that this owner gave up, may still go on: nothing starts that must
    /// run alone.
    var exclusiveFrom: UInt64 = 0
    /// Where its generations begin to be counted, and whether its epoch's generations are nearly used up.
    var countedFrom: UInt64 = 0
    var isSpent = false
    var tasks = 0
  }

  private(set) var entries: [Entry]
  /// By task.
  private var places = SlotArray(empty: Int16(-1), count: 0)
  /// Requests that came too early, by partition: before this member knows that it has the partition, or before tasks
  /// that must run alone may start there.
  private var putOff: [RequestQueue]
  private(set) var putOffByteCount = 0
  /// By client: so much of it waits.
  private var shares: [RequestQueue.Asker: Int] = [:]
  /// By partition: keys of which something has been taken back that others may have waited behind.
  private var freed: [Int: Set<UInt64>] = [:]
  /// Then these others go on.
  private var freedFrom = UInt64.max
  /// The partition of the request at hand.
  var atHand = -1
  private(set) var dueMilliseconds = UInt64.max
  /// Partitions whose last task has ended since they were asked for, or that had none.
  private var drained: [Int] = []
  /// Partitions that have nearly used up their generations since they were asked for.
  private var spent: [Int] = []

  init(at loop: LoopPlace) {
    let count = loop.isOwner ? loop.partitions : 0
    entries = [Entry](repeating: Entry(), count: count)
    putOff = [RequestQueue](repeating: RequestQueue(), count: count)
  }

  var isThere: Bool { !entries.isEmpty }

  // MARK: Having

  mutating func gain(_ partition: Int, epoch: UInt32, exclusiveFrom: UInt64, countedFrom: UInt64) {
    let tasks = entries[partition].tasks
    entries[partition] = Entry(
      owned: epoch, known: epoch, exclusiveFrom: exclusiveFrom, countedFrom: countedFrom, tasks: tasks)
    noteDue()
  }

  /// Somebody has it, as far as it is known.
  mutating func hear(of partition: Int, epoch: UInt32) {
    entries[partition].known = max(entries[partition].known, epoch)
  }

  mutating func delayExclusive(_ partition: Int, until milliseconds: UInt64) {
    entries[partition].exclusiveFrom = max(entries[partition].exclusiveFrom, milliseconds)
    noteDue()
  }

  mutating func lose(_ partition: Int) {
    entries[partition].owned = 0
    entries[partition].isDraining = false
    entries[partition].drainsUntil = .max
    noteDue()
  }

  mutating func drain(_ partition: Int, until milliseconds: UInt64) {
    entries[partition].isDraining = true
    entries[partition].isCut = false
    entries[partition].drainsUntil = milliseconds
    if entries[partition].tasks == 0 { drained.append(partition) }
    noteDue()
  }

  /// It needs a higher epoch before it has used up the generations of this one.
  mutating func noteSpent(_ partition: Int) {
    guard !entries[partition].isSpent else { return }
    entries[partition].isSpent = true
    spent.append(partition)
  }

  mutating func takeSpent() -> [Int] {
    guard !spent.isEmpty else { return [] }
    defer { spent = [] }
    return spent.filter { entries[$0].isSpent && entries[$0].owned > 0 }
  }

  /// Partitions without anything left, each once.
  mutating func takeDrained() -> [Int] {
    defer { drained = [] }
    return drained
  }

  // MARK: Time

  private mutating func noteDue() {
    dueMilliseconds = entries.indices.reduce(freedFrom) { due, partition in
      let entry = entries[partition]
      // Where nothing must wait for that, what has come too early waits for news of the partition.
      let isWaiting = entry.exclusiveFrom > 0 && entry.owned > 0 && !putOff[partition].isEmpty
      return min(due, entry.drainsUntil, isWaiting ? entry.exclusiveFrom : .max)
    }
  }

  /// Takes the partitions that are to be given away and whose time to drain is over. What still runs there has to end.
  mutating func takeOverdue(now: UInt64) -> [(partition: Int, isCut: Bool)] {
    let overdue = entries.indices.filter { entries[$0].drainsUntil <= now }
    for partition in overdue { entries[partition].drainsUntil = .max }
    noteDue()
    return overdue.map { ($0, entries[$0].isCut) }
  }

  /// It has been cut short: what is left then ends.
  mutating func limit(_ partition: Int, to milliseconds: UInt64) {
    entries[partition].isCut = true
    entries[partition].drainsUntil = milliseconds
    noteDue()
  }

  /// Partitions that are to be given away have so much more time.
  mutating func stoodStill(forMilliseconds milliseconds: UInt64) {
    for partition in entries.indices where entries[partition].drainsUntil < .max {
      entries[partition].drainsUntil += milliseconds
    }
    noteDue()
  }

  // MARK: Tasks

  mutating func add(_ task: Int) {
    guard atHand >= 0 else { return }
    places.reach(task)
    places[task] = Int16(truncatingIfNeeded: atHand)
    entries[atHand].tasks += 1
  }

  mutating func remove(_ task: Int) {
    guard let partition = partition(ofTask: task) else { return }
    places[task] = -1
    entries[partition].tasks -= 1
    if entries[partition].isDraining, entries[partition].tasks == 0 { drained.append(partition) }
  }

  /// The partition of a task; nil: it is of none.
  func partition(ofTask task: Int) -> Int? {
    places.indices.contains(task) && places[task] >= 0 ? Int(places[task]) : nil
  }

  func tasks(of partition: Int) -> [Int] { places.indices.filter { Int(places[$0]) == partition } }
  var taskCount: Int { entries.reduce(0) { $0 + $1.tasks } }

  // MARK: What has come too early

  var hasPutOff: Bool { putOffByteCount > 0 }

  mutating func putOff(
    _ envelope: Envelope, in bytes: Span<UInt8>, call: UInt64?, about claim: PartitionClaim,
    of place: RequestQueue.Place
  ) {
    let partition = Int(claim.partition)
    putOffByteCount -= putOff[partition].wantedByteCount
    let byteCount = putOff[partition].add(envelope, in: bytes, call: call, about: claim, of: place)
    putOffByteCount += putOff[partition].wantedByteCount
    shares[place.asker, default: 0] += byteCount
    noteDue()
  }

  /// Whether more of a client waits than the room that is left for all. So others always find room.
  func holdsMuch(of asker: RequestQueue.Asker, within limitBytes: Int) -> Bool {
    shares[asker, default: 0] > limitBytes - putOffByteCount
  }

  /// Whether anything of a client waits.
  func holds(_ asker: RequestQueue.Asker) -> Bool { shares[asker] != nil }

  /// These do not wait any more.
  private mutating func leave(_ places: some Sequence<RequestQueue.Place>) {
    for place in places {
      let left = shares[place.asker, default: 0] - place.byteCount
      shares[place.asker] = left > 0 ? left : nil
    }
  }

  /// All that waits for a partition, to be looked at again.
  mutating func takePutOff(_ partition: Int) -> RequestQueue? {
    guard !putOff[partition].isEmpty else { return nil }
    var queue = RequestQueue()
    swap(&queue, &putOff[partition])
    putOffByteCount -= queue.wantedByteCount
    leave(queue.places.lazy.filter { !$0.isTakenBack })
    noteDue()
    return queue
  }

  mutating func forgetPutOff() {
    for partition in putOff.indices { putOff[partition] = RequestQueue() }
    putOffByteCount = 0
    shares = [:]
    (freed, freedFrom) = ([:], .max)
    noteDue()
  }

  /// Partitions where requests wait and exclusive tasks may start by now: each once.
  mutating func takeExclusive(now: UInt64) -> [Int] {
    let exclusive = entries.indices.filter {
      let from = entries[$0].exclusiveFrom
      return from > 0 && from <= now && entries[$0].owned > 0 && !putOff[$0].isEmpty
    }
    for partition in exclusive { entries[partition].exclusiveFrom = 0 }
    noteDue()
    return exclusive
  }

  /// Whether something of a key waits for its partition.
  func hasPutOff(key: UInt64, of partition: Int) -> Bool { putOff[partition].has(key: key) }

  /// Takes back what waits and is meant. What has waited behind it is to be asked for by `takeFreed` a moment later.
  mutating func takeBack(
    now: UInt64, where isMeant: (RequestQueue.Place, _ call: UInt64?) -> Bool
  ) -> [(place: RequestQueue.Place, call: UInt64?)] {
    takeBackFromEach(now: now) { $0.takeBack(where: isMeant) }
  }

  /// The same of what the client of a mirror has asked.
  mutating func takeBack(
    of name: MirrorName, now: UInt64, where isMeant: (RequestQueue.Place, _ call: UInt64?) -> Bool
  ) -> [(place: RequestQueue.Place, call: UInt64?)] {
    takeBackFromEach(now: now) { $0.takeBack(of: name, where: isMeant) }
  }

  private mutating func takeBackFromEach(
    now: UInt64, _ take: (inout RequestQueue) -> [(place: RequestQueue.Place, call: UInt64?)]
  ) -> [(place: RequestQueue.Place, call: UInt64?)] {
    guard hasPutOff else { return [] }
    var all: [(place: RequestQueue.Place, call: UInt64?)] = []
    for partition in putOff.indices where !putOff[partition].isEmpty {
      let before = putOff[partition].wantedByteCount
      let taken = take(&putOff[partition])
      all += taken
      leave(taken.lazy.map(\.place))
      putOffByteCount -= before - putOff[partition].wantedByteCount
      let keys = taken.lazy.map(\.place.labels.key).filter { [queue = putOff[partition]] in queue.has(key: $0)
      }
      guard !keys.isEmpty else { continue }
      freed[partition, default: []].formUnion(keys)
      freedFrom = min(freedFrom, now + 1)
    }
    if !all.isEmpty { noteDue() }
    return all
  }

  /// What waits behind nothing any more, by partition, in its order.
  mutating func takeFreed(now: UInt64) -> [RequestQueue] {
    guard freedFrom <= now else { return [] }
    let queues = freed.keys.sorted().map { partition in
      let before = putOff[partition].wantedByteCount
      let queue = putOff[partition].takeFreed(freed[partition] ?? [], under: entries[partition].owned)
      putOffByteCount -= before - putOff[partition].wantedByteCount
      leave(queue.places)
      return queue
    }
    (freed, freedFrom) = ([:], .max)
    noteDue()
    return queues
  }
}
