import JSONRPC

/// Where a loop with clients sends requests for a partition, and the requests that wait here until they can be sent.
///
/// A request waits while no owner of its partition is known, while the owner cannot be reached, and, after a change of
/// owner, until all requests sent to the last owner have been answered or have come back: else a client's newer request
/// could arrive before its older one.
struct PartitionRoutes {
  struct Entry {
    /// The owner's place; -1: nobody knows.
    var place = -1
    var epoch: UInt32 = 0
    /// The last owner takes nothing up to this epoch.
    var refused: UInt32 = 0
    /// Requests that were sent and are not answered yet.
    var sent = 0
    /// Some requests sent to the last owner have not been answered.
    var waits = false
    /// The requests that wait here though their callers have gone.
    var unwantedCount = 0
    var unwantedByteCount = 0
  }

  /// Whether requests can be sent to a place.
  enum Reach {
    case down
    /// It is connected, and does not answer.
    case pausing
    case up
  }

  /// What waits here of one client.
  private struct Share {
    var byteCount = 0
    /// Its notifications, by partition.
    var notifications: [Int: Notifications] = [:]
  }

  private struct Notifications {
    var count = 0
    var byteCount = 0
  }

  private(set) var entries: [Entry]
  /// By place.
  private var reach: [Reach]
  /// By partition: requests that came back, and, to be sent behind them, requests that were never sent.
  private var returned: [RequestQueue]
  private var parked: [RequestQueue]
  private(set) var parkedByteCount = 0
  private(set) var parkedCount = 0
  /// By client.
  private var shares: [Int: Share] = [:]

  init(at loop: LoopPlace) {
    let count = loop.isOwner ? 0 : loop.partitions
    entries = [Entry](repeating: Entry(), count: count)
    returned = [RequestQueue](repeating: RequestQueue(), count: count)
    parked = returned
    reach = (0..<loop.placeCount).map { $0 < loop.count ? .up : .down }
  }

  func partition(of hash: UInt64) -> Int {
    Int(hash.multipliedFullWidth(by: UInt64(entries.count)).high)
  }

  /// Whether something may be at work there.
  func isConnected(_ place: Int) -> Bool { reach[place] != .down }

  /// - Parameter name: the key's hash.
  func place(ofPartition partition: Int, name: UInt64 = 0) -> KeyPlace {
    KeyPlace(loop: mustWait(partition) ? -1 : entries[partition].place, partition: partition, name: name)
  }

  func claim(_ partition: Int) -> PartitionClaim {
    guard partition >= 0 else { return .none }
    return PartitionClaim(partition: Int16(truncatingIfNeeded: partition), epoch: entries[partition].epoch)
  }

  /// Whether requests about a partition can be sent.
  func isOpen(_ partition: Int) -> Bool {
    let entry = entries[partition]
    return entry.place >= 0 && reach[entry.place] == .up && entry.epoch > entry.refused && !entry.waits
  }

  private func mustWait(_ partition: Int) -> Bool {
    !isOpen(partition) || hasParked(partition)
  }

  // MARK: What becomes known

  /// Somebody has a partition from this epoch on.
  mutating func keep(_ partition: Int, at place: Int, epoch: UInt32) {
    let before = entries[partition]
    if epoch == before.epoch {
      entries[partition].place = place
      return
    }
    guard epoch > before.epoch else { return }
    entries[partition].waits = before.sent > 0
    entries[partition].place = place
    entries[partition].epoch = epoch
  }

  mutating func refused(_ claim: PartitionClaim) {
    let partition = Int(claim.partition)
    entries[partition].refused = max(entries[partition].refused, claim.epoch)
  }

  mutating func note(_ reach: Reach, of place: Int) { self.reach[place] = reach }

  // MARK: Callers

  mutating func beganSent(_ partition: Int) { entries[partition].sent += 1 }

  /// One that was sent has been answered, or comes back.
  mutating func endedSent(_ partition: Int) {
    entries[partition].sent -= 1
    if entries[partition].sent == 0 { entries[partition].waits = false }
  }

  /// The caller of a request that waits here has gone.
  /// - Parameter byteCount: the request's size.
  /// - Returns: whether half of the waiting requests have no caller: then these are to be left out.
  mutating func endedParked(_ partition: Int, of client: Int, byteCount: Int) -> Bool {
    unparked(of: client, byteCount: byteCount)
    return leftParked(partition, count: 1, byteCount: byteCount)
  }

  private mutating func leftParked(_ partition: Int, count: Int, byteCount: Int) -> Bool {
    entries[partition].unwantedCount += count
    entries[partition].unwantedByteCount += byteCount
    parkedByteCount -= byteCount
    parkedCount -= count
    return entries[partition].unwantedByteCount > heldByteCount(partition) / 2
  }

  /// A client is gone. Nobody wants its notifications any more.
  /// - Returns: how many wait here; and the partitions of which half has no caller any more, as above.
  mutating func forgetClient(_ client: Int) -> (count: Int, partitions: [Int]) {
    guard let share = shares.removeValue(forKey: client) else { return (count: 0, partitions: []) }
    var count = 0
    var partitions: [Int] = []
    for (partition, notifications) in share.notifications {
      count += notifications.count
      if leftParked(partition, count: notifications.count, byteCount: notifications.byteCount) {
        partitions.append(partition)
      }
    }
    return (count: count, partitions: partitions)
  }

  /// Leaves out what nobody waits for any more.
  mutating func keepParked(_ partition: Int, where isWanted: (RequestQueue.Place, UInt64?) -> Bool) {
    returned[partition].keep(where: isWanted)
    parked[partition].keep(where: isWanted)
    entries[partition].unwantedCount = 0
    entries[partition].unwantedByteCount = 0
  }

  // MARK: What waits

  func hasParked(_ partition: Int) -> Bool {
    !parked[partition].isEmpty || !returned[partition].isEmpty
  }

  /// With what nobody waits for any more.
  private func heldByteCount(_ partition: Int) -> Int {
    returned[partition].byteCount + parked[partition].byteCount
  }

  /// Whether more of a client waits here than the room that is left for all. So others always find room.
  func holdsMuch(of client: Int, within limitBytes: Int) -> Bool {
    (shares[client]?.byteCount ?? 0) > limitBytes - parkedByteCount
  }

  /// - Parameter isBack: it has been sent, and came back.
  /// - Returns: how many bytes it takes.
  mutating func park(
    _ partition: Int, of client: Int, isBack: Bool, isNotification: Bool, _ add: (inout RequestQueue) -> Void
  ) -> Int {
    let before = heldByteCount(partition)
    if isBack { add(&returned[partition]) } else { add(&parked[partition]) }
    let byteCount = heldByteCount(partition) - before
    parkedCount += 1
    parkedByteCount += byteCount
    shares[client, default: Share()].byteCount += byteCount
    if isNotification {
      shares[client]?.notifications[partition, default: Notifications()].count += 1
      shares[client]?.notifications[partition]?.byteCount += byteCount
    }
    return byteCount
  }

  /// So much of a client does not wait here any more.
  mutating func unparked(of client: Int, byteCount: Int) {
    guard let share = shares[client] else { return }
    shares[client] = share.byteCount > byteCount ? share : nil
    shares[client]?.byteCount -= byteCount
  }

  /// What has waited and can be sent now, in its order.
  mutating func takeParked(_ partition: Int) -> [RequestQueue] {
    guard isOpen(partition), hasParked(partition) else { return [] }
    let queues = [returned[partition], parked[partition]].filter { !$0.isEmpty }
    parkedCount -= queues.reduce(0) { $0 + $1.count } - entries[partition].unwantedCount
    parkedByteCount -= heldByteCount(partition) - entries[partition].unwantedByteCount
    entries[partition].unwantedCount = 0
    entries[partition].unwantedByteCount = 0
    returned[partition] = RequestQueue()
    parked[partition] = RequestQueue()
    for place in queues.lazy.flatMap(\.places) {
      let client = Int(place.client)
      guard let taken = shares[client]?.notifications.removeValue(forKey: partition) else { continue }
      unparked(of: client, byteCount: taken.byteCount)
    }
    return queues
  }
}
