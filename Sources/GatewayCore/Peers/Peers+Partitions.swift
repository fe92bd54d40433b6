import HotData
import JSONRPC
import TaskStore

/// In a fleet: which loop has which partition, and the requests that wait to be sent there.
extension Peers {
  // MARK: Who has what

  var partitions: Range<Int> { routes.entries.indices }
  func place(ofPartition partition: Int) -> KeyPlace { routes.place(ofPartition: partition) }

  mutating func keep(_ partition: Int, at place: Int, epoch: UInt32) {
    routes.keep(partition, at: place, epoch: epoch)
  }

  /// Whether a loop can be reached from now on.
  mutating func note(_ reach: PartitionRoutes.Reach, of place: Int) { routes.note(reach, of: place) }

  /// The owner of a partition takes no requests for it any more. Returns the partition; nil: there is none with this
  /// number.
  mutating func refused(_ claim: PartitionClaim) -> Int? {
    guard partitions.contains(Int(claim.partition)) else { return nil }
    routes.refused(claim)
    return Int(claim.partition)
  }

  // MARK: What waits

  var parkedCount: Int { routes.parkedCount }
  var parkedByteCount: Int { routes.parkedByteCount }
  func hasParked(_ partition: Int) -> Bool { routes.hasParked(partition) }

  /// - Parameter isBack: it has been sent, and came back: it goes before what has not.
  mutating func park(
    _ envelope: Envelope, in bytes: Span<UInt8>, _ call: UInt64?, of client: Int, at key: KeyPlace,
    isBack: Bool = false
  ) {
    let place = RequestQueue.Place(
      client: Int32(truncatingIfNeeded: client), serial: serial(of: client), name: key.name)
    let byteCount = routes.park(key.partition, of: client, isBack: isBack, isNotification: call == nil) {
      $0.add(envelope, in: bytes, call: call, about: .none, of: place)
    }
    guard let waiter = call.flatMap({ waiter(ofCall: $0) }) else { return }
    parkedByteCounts.reach(waiter.slot)
    parkedByteCounts[waiter.slot] = byteCount
  }

  /// Whether a client has as much waiting here as it may.
  func parksMuch(of client: Int, within limitBytes: Int) -> Bool {
    routes.holdsMuch(of: client, within: limitBytes)
  }

  /// A client has taken leave: its notifications that wait here go with it. Returns how many those were.
  mutating func forgetParked(of client: Int) -> Int {
    let (count, partitions) = routes.forgetClient(client)
    for partition in partitions { leaveOutUnwanted(partition) }
    return count
  }

  /// Leaves out those for whose answers nobody waits any more, and those whose clients are gone.
  mutating func leaveOutUnwanted(_ partition: Int) {
    // The closure reads this table, so the routes must not be part of it meanwhile.
    var routes = PartitionRoutes(at: .alone)
    swap(&routes, &self.routes)
    routes.keepParked(partition) { place, call in
      call.map { waiter(ofCall: $0) != nil } ?? isThere(Int(place.client), place.serial)
    }
    swap(&routes, &self.routes)
  }

  /// What has waited and can be sent now, in its order.
  mutating func takeParked(_ partition: Int) -> [RequestQueue] { routes.takeParked(partition) }

  // MARK: Time

  var dueMilliseconds: UInt64 { deadlines.dueMilliseconds }

  // MARK: At the owner

  /// By which a request that waits is found.
  func label(ofKey key: Span<UInt8>, _ namespace: Namespace) -> UInt64 {
    labelHash.hash(namespace.number, key)
  }
  func label(ofGroup group: Span<UInt8>) -> UInt64 { labelHash.hash(0, group) }

  /// That of the client whose request waits; nil: it is gone.
  func mirror(of place: RequestQueue.Place) -> Int? {
    guard let mirror = mirror(of: place.client, at: place.loop), names[mirror]?.serial == place.serial else {
      return endedMirrors[place.asker]
    }
    return mirror
  }

  /// What the client of a mirror is called at its own loop.
  func name(ofMirror mirror: Int) -> MirrorName? { names[mirror] }
}
