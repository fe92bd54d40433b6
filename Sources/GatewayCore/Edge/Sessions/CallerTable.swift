import HotData
import JSONRPC
import TaskStore

/// A waiter as the gateway knows it: whose request it is, and under which id.
struct Caller {
  var sender = Sender.nobody
  /// None: the table has it elsewhere, for it is long.
  fileprivate(set) var shortID = ShortRequestID()
  /// The number of its group, or -1.
  @Compact var group = -1
  /// Of connection and id, once its connection's requests are indexed.
  fileprivate var hash: UInt32 = 0

  var isAbsent: Bool { sender.client < 0 }
}

/// One connection's open requests, oldest first.
struct OpenRequests {
  fileprivate(set) var list = SlotList()
  @Compact fileprivate(set) var count = 0
  /// Whether they can be found by their ids: from the first time on that the connection takes one back.
  fileprivate var isIndexed = false

  var isEmpty: Bool { list.isEmpty }
  var newest: WaiterID { WaiterID(slot: list.last) }
}

/// The open request of each waiter, found by connection, by id and by group.
struct CallerTable: ~Copyable {
  private let place = StaysInPlace()
  private var callers = SlotArray(empty: Caller())
  /// What few have.
  private var longIDs = PayloadTable()
  private var ofClient = SlotLinks()
  private var ofGroup = SlotLinks()
  private var ofBucket = SlotLinks()
  private var indexedCount = 0
  /// By a hash of connection and id; at least as many as what is indexed, so that hardly any two share one.
  private var buckets = SlotArray(empty: SlotList(), count: CallerTable.fewestBuckets)
  private static let fewestBuckets = 256
  /// By the group's number in `groupNames`.
  private var groups = SlotArray(empty: SlotList(), count: 0)
  private var groupNames: KeyTable
  private var unescapedID: [UInt8] = []

  /// - Parameter seed: random, so that nobody outside can choose ids that collide.
  init(seed: UInt64) { groupNames = KeyTable(seed: seed) }

  /// Groups that have an open request.
  var groupCount: Int { groupNames.count }

  subscript(waiter: WaiterID) -> Caller {
    _read { yield callers[waiter.slot] }
  }

  /// The id of a waiter's request.
  func id(of waiter: WaiterID) -> RequestID {
    guard callers[waiter.slot].shortID.isAbsent else { return RequestID(callers[waiter.slot].shortID) }
    var id = RequestID()
    longIDs.withBytes(of: waiter.slot) { id = RequestID(ByteRange($0.indices), in: $0) }
    return id
  }

  // MARK: Coming and going

  /// Remembers whose request a waiter is.
  /// - Parameter group: its number, as `internGroup` gave it, or -1.
  @inline(__always)
  mutating func add(
    _ waiter: WaiterID, id: ByteRange, in bytes: Span<UInt8>, _ sender: Sender, group: Int,
    to openRequests: inout OpenRequests
  ) {
    let slot = waiter.slot
    callers.reach(slot)
    precondition(callers[slot].isAbsent, "a waiter has two callers")
    let isShort = id.count <= ShortRequestID.limitBytes
    let shortID = isShort ? ShortRequestID(id, in: bytes) : ShortRequestID()
    callers[slot] = Caller(sender: sender, shortID: shortID, group: group)
    if !isShort { longIDs.store(id.range, 0..<0, of: bytes, at: slot) }
    ofClient.append(slot, to: &openRequests.list)
    openRequests.count &+= 1
    if openRequests.isIndexed { index(slot) }
    if group >= 0 { ofGroup.append(slot, to: &groups[group]) }
  }

  /// Forgets whose request a waiter was: it has been answered, or its connection is gone.
  @inline(__always)
  mutating func remove(_ waiter: WaiterID, from openRequests: inout OpenRequests) {
    let slot = waiter.slot
    precondition(!callers[slot].isAbsent, "a request gets a second reply")
    ofClient.remove(slot, from: &openRequests.list)
    openRequests.count &-= 1
    if openRequests.isIndexed {
      ofBucket.remove(slot, from: &buckets[bucket(of: callers[slot].hash)])
      indexedCount -= 1
    }
    let group = callers[slot].group
    if group >= 0 {
      ofGroup.remove(slot, from: &groups[group])
      releaseIfEmpty(group)
    }
    if callers[slot].shortID.isAbsent { longIDs.forgetApart(slot) }
    callers[slot].sender = .nobody
  }

  /// Gives back what the tables grew to; there must be no waiter.
  mutating func giveBackMemory() {
    callers = SlotArray(empty: Caller())
    longIDs.giveBackMemory()
    ofClient = SlotLinks()
    ofGroup = SlotLinks()
    ofBucket = SlotLinks()
    buckets = SlotArray(empty: SlotList(), count: Self.fewestBuckets)
    groups = SlotArray(empty: SlotList(), count: 0)
    groupNames.giveBackMemory()
  }

  /// Open requests of one connection, oldest first.
  func waiters(among openRequests: OpenRequests) -> [WaiterID] { waiters(in: openRequests.list, ofClient) }

  private func waiters(in list: SlotList, _ links: borrowing SlotLinks) -> [WaiterID] {
    var waiters: [WaiterID] = []
    var slot = list.first
    while slot != 0 {
      waiters.append(WaiterID(slot: slot))
      slot = links.next(of: slot)
    }
    return waiters
  }

  // MARK: By id

  /// The newest open request of a connection with this id, given as a JSON value.
  mutating func newest(
    withID id: ByteRange, in bytes: Span<UInt8>, of client: Int, among openRequests: inout OpenRequests
  ) -> WaiterID? {
    index(&openRequests)
    let hash = hash(id, in: bytes, of: client)
    var slot = buckets[bucket(of: hash)].last
    while slot != 0 {
      if callers[slot].hash == hash, callers[slot].sender.client == client,
        self.id(of: WaiterID(slot: slot)).matches(id, in: bytes)
      {
        return WaiterID(slot: slot)
      }
      slot = ofBucket.previous(of: slot)
    }
    return nil
  }

  private mutating func index(_ openRequests: inout OpenRequests) {
    guard !openRequests.isIndexed else { return }
    openRequests.isIndexed = true
    var slot = openRequests.list.first
    while slot != 0 {
      index(slot)
      slot = ofClient.next(of: slot)
    }
  }

  private mutating func index(_ slot: Int) {
    indexedCount += 1
    if indexedCount > buckets.count { growBuckets() }
    let (id, client) = (id(of: WaiterID(slot: slot)), callers[slot].sender.client)
    callers[slot].hash = id.withBytes { bytes in hash(ByteRange(bytes.indices), in: bytes, of: client) }
    ofBucket.append(slot, to: &buckets[bucket(of: callers[slot].hash)])
  }

  /// Strings that say the same are the same id, however they are written, and a number is never one.
  private mutating func hash(_ id: ByteRange, in bytes: Span<UInt8>, of client: Int) -> UInt32 {
    guard bytes[Int(id.lower)] == UInt8(ascii: "\"") else {
      return hash(bytes.extracting(id.range), isString: false, of: client)
    }
    guard JSONString.hasEscapes(id, in: bytes) else {
      return hash(bytes.extracting(id.range.dropFirst().dropLast()), isString: true, of: client)
    }
    unescapedID.removeAll(keepingCapacity: true)
    _ = JSONString.unescape(id, in: bytes, into: &unescapedID)
    return hash(unescapedID.span, isString: true, of: client)
  }

  private func hash(_ content: Span<UInt8>, isString: Bool, of client: Int) -> UInt32 {
    let namespace = UInt64(client) << 1 | (isString ? 1 : 0)
    return UInt32(truncatingIfNeeded: groupNames.hash(namespace, content))
  }

  private func bucket(of hash: UInt32) -> Int { Int(hash) & (buckets.count - 1) }

  private mutating func growBuckets() {
    var old = SlotArray(empty: SlotList(), count: buckets.count * 2)
    swap(&old, &buckets)
    for index in old.indices {
      // Oldest first, so that the newest of an id stays the last.
      while !old[index].isEmpty {
        let slot = old[index].first
        ofBucket.remove(slot, from: &old[index])
        ofBucket.append(slot, to: &buckets[bucket(of: callers[slot].hash)])
      }
    }
  }

  // MARK: By group

  /// The number of a group; it must be given to `add`, or back to `releaseIfEmpty`.
  mutating func internGroup(_ name: Span<UInt8>, of client: Int) -> Int {
    let group = groupNames.intern(namespace: UInt64(client), name)
    groups.reach(group)
    return group
  }

  mutating func releaseIfEmpty(_ group: Int) {
    if group >= 0 && groups[group].isEmpty { groupNames.release(group) }
  }

  /// The open requests of a group, oldest first.
  func waiters(ofGroup name: Span<UInt8>, of client: Int) -> [WaiterID] {
    guard let group = groupNames.find(namespace: UInt64(client), name) else { return [] }
    return waiters(in: groups[group], ofGroup)
  }
}
