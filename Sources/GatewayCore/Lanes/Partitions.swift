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
    /// Nobody says that what was started by its last owner, or by this one and given up, has ended: until then nothing
    /// starts that must be alone.
    var exclusiveFrom: UInt64 = 0
    var tasks = 0
  }

  private(set) var entries: [Entry]
  /// By task.
  private var places = SlotArray(empty: Int16(-1), count: 0)
  /// What has come too early, by partition: before this member knows that it has it, or before what must be alone is.
  private var putOff: [RequestQueue]
  private(set) var putOffByteCount = 0
  /// Of what is asked at the moment.
  var atHand = -1
  private(set) var dueMilliseconds = UInt64.max
  /// Those whose last task has ended since they were asked for, or that had none.
  private var drained: [Int] = []

  init(at loop: LoopPlace) {
    let count = loop.isOwner ? loop.partitions : 0
    entries = [Entry](repeating: Entry(), count: count)
    putOff = [RequestQueue](repeating: RequestQueue(), count: count)
  }

  var isThere: Bool { !entries.isEmpty }

  // MARK: Having

  mutating func gain(_ partition: Int, epoch: UInt32, exclusiveFrom: UInt64) {
    let tasks = entries[partition].tasks
    entries[partition] = Entry(owned: epoch, known: epoch, exclusiveFrom: exclusiveFrom, tasks: tasks)
    noteDue()
  }

  /// Somebody has it, as far as it is known.
  mutating func hear(of partition: Int, epoch: UInt32) {
    entries[partition].known = max(entries[partition].known, epoch)
  }

  mutating func unsettle(_ partition: Int, until milliseconds: UInt64) {
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

  /// Those that nothing is left of, each once.
  mutating func takeDrained() -> [Int] {
    defer { drained = [] }
    return drained
  }

  // MARK: Time

  private mutating func noteDue() {
    dueMilliseconds = entries.indices.reduce(UInt64.max) { due, partition in
      let entry = entries[partition]
      let waits = putOff[partition].isEmpty || entry.owned == 0 ? UInt64.max : entry.exclusiveFrom
      return min(due, entry.drainsUntil, waits)
    }
  }

  /// Of those that are to be given away, such whose time is over: what is left of them has to end.
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
    putOffByteCount -= putOff[partition].byteCount
    putOff[partition].add(envelope, in: bytes, call: call, about: claim, of: place)
    putOffByteCount += putOff[partition].byteCount
    noteDue()
  }

  /// All that waits for a partition, to be looked at again.
  mutating func takePutOff(_ partition: Int) -> RequestQueue? {
    guard !putOff[partition].isEmpty else { return nil }
    var queue = RequestQueue()
    swap(&queue, &putOff[partition])
    putOffByteCount -= queue.byteCount
    noteDue()
    return queue
  }

  mutating func forgetPutOff() {
    for partition in putOff.indices { putOff[partition] = RequestQueue() }
    putOffByteCount = 0
    noteDue()
  }

  /// Those whose put off requests must be looked at again by now.
  func due(now: UInt64) -> [Int] {
    entries.indices.filter {
      !putOff[$0].isEmpty && entries[$0].owned > 0 && entries[$0].exclusiveFrom <= now
    }
  }

  /// Whether something of a key waits for its partition.
  func hasPutOff(key: UInt64, of partition: Int) -> Bool { putOff[partition].has(key: key) }

  /// Takes back what waits and is meant.
  mutating func takeBack(
    where isMeant: (RequestQueue.Place, _ call: UInt64?) -> Bool
  ) -> [(place: RequestQueue.Place, call: UInt64?)] {
    guard hasPutOff else { return [] }
    return putOff.indices.flatMap { partition in
      putOff[partition].isEmpty ? [] : putOff[partition].takeBack(where: isMeant)
    }
  }
}
