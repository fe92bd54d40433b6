import JSONRPC

/// Requests that wait, each as it came, in their order.
struct RequestQueue {
  struct Place {
    let client: Int32
    /// Tells the client from others that had its slot.
    let serial: UInt64
    /// At the owner: which loop asked.
    var loop = -1
    /// At the owner, too.
    var labels = RequestLabels()
    var isTakenBack = false

    /// Whether it was asked by the client that a mirror stands for.
    func isOf(_ name: MirrorName) -> Bool {
      client == Int32(truncatingIfNeeded: name.slot) && loop == name.loop && serial == name.serial
    }
  }

  private(set) var batch = PeerBatch()
  var places: [Place] = []
  /// Somebody waits for each of them, or did.
  private(set) var isForCallersOnly = true
  /// The keys of those that wait at the owner.
  private var keys: Set<UInt64> = []

  var isEmpty: Bool { places.isEmpty }
  var count: Int { places.count }
  var byteCount: Int { batch.byteCount &+ places.count &* MemoryLayout<Place>.stride }

  /// - Parameter call: under which it is asked; nil: it is a notification.
  mutating func add(
    _ envelope: Envelope, in bytes: Span<UInt8>, call: UInt64?, about claim: PartitionClaim, of place: Place
  ) {
    batch.addRequest(envelope, in: bytes, call: call, from: Int(place.client), about: claim)
    places.append(place)
    if place.labels.key != 0 { keys.insert(place.labels.key) }
    if envelope.isNotification { isForCallersOnly = false }
  }

  /// Whether something of a key waits.
  func has(key: UInt64) -> Bool { keys.contains(key) }

  /// Takes back those that are meant.
  /// - Returns: with each, under which call it was asked; nil: it is a notification.
  mutating func takeBack(
    where isMeant: (Place, _ call: UInt64?) -> Bool
  ) -> [(place: Place, call: UInt64?)] {
    var taken: [(place: Place, call: UInt64?)] = []
    for index in places.indices where !places[index].isTakenBack {
      guard case .request(_, let envelope, _) = batch.events[index] else { continue }
      let call = JSONNumber.nonNegativeInteger(envelope.id, in: batch.bytes.span)
      guard isMeant(places[index], call) else { continue }
      places[index].isTakenBack = true
      taken.append((places[index], call))
    }
    return taken
  }

  /// Nothing more is added: it can be read.
  mutating func seal() { batch.seal() }
}

/// What a request is found by that waits, by the hashes of their names; 0: it has none.
struct RequestLabels: Hashable {
  var key: UInt64 = 0
  var group: UInt64 = 0
}
