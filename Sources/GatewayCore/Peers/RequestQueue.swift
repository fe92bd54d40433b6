import JSONRPC

/// Requests that wait, each as it came, in their order.
struct RequestQueue {
  struct Place {
    let client: Int32
    /// Tells the client from others that had its slot.
    let serial: UInt64
    /// At the loop with the clients: the hash of its key; 0: it is about none, or came back.
    var name: UInt64 = 0
    /// At the owner: which loop asked.
    var loop = -1
    /// At the owner, too.
    var labels = RequestLabels()
    /// It must not start while something of its key may still be at work; others wait only behind such.
    var isAlone = false
    var isTakenBack = false
    /// At the owner, too: the one before it of the same client; -1: there is none.
    var previous = -1
    /// So much room it takes.
    fileprivate(set) var byteCount = 0

    var asker: Asker { Asker(client: client, serial: serial, loop: loop) }
  }

  /// The client of another loop that has asked.
  struct Asker: Hashable {
    let client: Int32
    let serial: UInt64
    let loop: Int

    init(client: Int32, serial: UInt64, loop: Int) {
      (self.client, self.serial, self.loop) = (client, serial, loop)
    }

    init(_ name: MirrorName) {
      self.init(client: Int32(truncatingIfNeeded: name.slot), serial: name.serial, loop: name.loop)
    }
  }

  private(set) var batch = PeerBatch()
  var places: [Place] = []
  /// The keys of those that wait at the owner, and how many of them.
  private var keys: [UInt64: Int] = [:]
  /// The last of each client that waits at the owner.
  private var lasts: [Asker: Int] = [:]
  /// So much of it has been taken back.
  private(set) var takenBackByteCount = 0

  var isEmpty: Bool { places.isEmpty }
  var count: Int { places.count }
  var byteCount: Int { batch.byteCount &+ places.count &* MemoryLayout<Place>.stride }
  /// Without what has been taken back.
  var wantedByteCount: Int { byteCount - takenBackByteCount }

  /// - Parameter call: under which it is asked; nil: it is a notification.
  /// - Returns: how much room it takes.
  @discardableResult
  mutating func add(
    _ envelope: Envelope, in bytes: Span<UInt8>, call: UInt64?, about claim: PartitionClaim, of place: Place
  ) -> Int {
    let before = byteCount
    batch.addRequest(envelope, in: bytes, call: call, from: Int(place.client), about: claim)
    var place = place
    if place.loop >= 0 { place.previous = lasts.updateValue(places.count, forKey: place.asker) ?? -1 }
    place.byteCount = batch.byteCount + (places.count + 1) * MemoryLayout<Place>.stride - before
    places.append(place)
    if place.labels.key != 0 { keys[place.labels.key, default: 0] += 1 }
    return place.byteCount
  }

  /// Whether something of a key waits.
  func has(key: UInt64) -> Bool { keys[key] != nil }

  /// Takes back the matching requests.
  /// - Returns: with each, its call; nil: it is a notification.
  mutating func takeBack(
    where isMeant: (Place, _ call: UInt64?) -> Bool
  ) -> [(place: Place, call: UInt64?)] {
    var taken: [(place: Place, call: UInt64?)] = []
    for index in places.indices { takeBack(index, where: isMeant, into: &taken) }
    shrink()
    return taken
  }

  /// The same of what the client of a mirror has asked: nothing else is looked at.
  mutating func takeBack(
    of name: MirrorName, where isMeant: (Place, _ call: UInt64?) -> Bool
  ) -> [(place: Place, call: UInt64?)] {
    var taken: [(place: Place, call: UInt64?)] = []
    var index = lasts[Asker(name)] ?? -1
    while index >= 0 {
      takeBack(index, where: isMeant, into: &taken)
      index = places[index].previous
    }
    shrink()
    return taken.reversed()
  }

  private mutating func takeBack(
    _ index: Int, where isMeant: (Place, _ call: UInt64?) -> Bool,
    into taken: inout [(place: Place, call: UInt64?)]
  ) {
    guard !places[index].isTakenBack, case .request(_, let envelope, _) = batch.events[index] else { return }
    let call = JSONNumber.nonNegativeInteger(envelope.id, in: batch.bytes.span)
    guard isMeant(places[index], call) else { return }
    leaveOut(index)
    taken.append((places[index], call))
  }

  /// Adds one of these to another queue; returns whether it is asked under an epoch, as it has to be.
  private func add(_ index: Int, to other: inout RequestQueue, under epoch: UInt32) -> Bool {
    guard case .request(_, let envelope, let claim) = batch.events[index], claim.epoch == epoch else {
      return false
    }
    let bytes = batch.bytes.span
    let call = JSONNumber.nonNegativeInteger(envelope.id, in: bytes)
    other.add(envelope, in: bytes, call: call, about: claim, of: places[index])
    return true
  }

  private mutating func leaveOut(_ index: Int) {
    places[index].isTakenBack = true
    takenBackByteCount += places[index].byteCount
    forget(key: places[index].labels.key)
  }

  private mutating func shrink() {
    if takenBackByteCount > byteCount / 2 { keep { place, _ in !place.isTakenBack } }
  }

  /// Takes out requests that wait behind nothing any more: for each of these keys all before the first that must run
  /// alone.
  /// - Parameter epoch: the epoch of the requests; one for another epoch stays.
  mutating func takeFreed(_ keys: Set<UInt64>, under epoch: UInt32) -> RequestQueue {
    var freed = RequestQueue()
    var held: Set<UInt64> = []
    for index in places.indices where !places[index].isTakenBack {
      let key = places[index].labels.key
      guard keys.contains(key), !held.contains(key) else { continue }
      if !places[index].isAlone, add(index, to: &freed, under: epoch) {
        leaveOut(index)
      } else {
        held.insert(key)
      }
    }
    shrink()
    return freed
  }

  private mutating func forget(key: UInt64) {
    guard let count = keys[key] else { return }
    keys[key] = count > 1 ? count - 1 : nil
  }

  /// Leaves out all others, in so much time as it takes to add those.
  mutating func keep(where isKept: (Place, _ call: UInt64?) -> Bool) { self = part(where: isKept) }

  private func part(where isKept: (Place, _ call: UInt64?) -> Bool) -> RequestQueue {
    var kept = RequestQueue()
    let bytes = batch.bytes.span
    for (event, place) in zip(batch.events, places) {
      guard case .request(_, let envelope, let claim) = event else { continue }
      let call = JSONNumber.nonNegativeInteger(envelope.id, in: bytes)
      if isKept(place, call) { kept.add(envelope, in: bytes, call: call, about: claim, of: place) }
    }
    return kept
  }

  /// Nothing more is added: it can be read.
  mutating func seal() { batch.seal() }
}

/// The hashes of a waiting request's key and group, by which it is found; 0: it has none.
struct RequestLabels: Hashable {
  var key: UInt64 = 0
  var group: UInt64 = 0
}
