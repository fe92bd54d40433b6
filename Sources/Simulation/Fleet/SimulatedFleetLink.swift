import Fleet
import GatewayCore

/// A link from one member's clients to another's partitions: frames that were sent and not heard yet. Its two ends hear
/// of its end at different times.
struct SimulatedFleetLink {
  enum Frame {
    case batch(PeerBatch)
    /// With the time of the asking one's clock.
    case ping(Int64)
    /// With that, and how long the answering one may still act.
    case pong(sentAt: Int64, remaining: Int64)
  }

  let owner: Int
  let id: MemberID
  /// Where the owner's core has it.
  let ownerPlace: Int
  /// With the time of their arrival.
  var toOwner: [(at: Int64, frame: Frame)] = []
  var toEdge: [(at: Int64, frame: Frame)] = []
  var mail = LeasedMail()
  /// The asking end finds out then that it is broken; nil: it is not.
  var endsAt: Int64?
  /// Nothing has come from the owner for a while.
  var isPausing = false

  init(owner: Int, id: MemberID, ownerPlace: Int) {
    self.owner = owner
    self.id = id
    self.ownerPlace = ownerPlace
  }

  /// Behind all that is on its way already.
  mutating func say(_ frame: Frame, toOwnerAt time: Int64) {
    guard endsAt == nil else { return }
    toOwner.append((max(time, toOwner.last?.at ?? 0), frame))
  }
  mutating func say(_ frame: Frame, toEdgeAt time: Int64) {
    guard endsAt == nil else { return }
    toEdge.append((max(time, toEdge.last?.at ?? 0), frame))
  }

  /// Nothing that is on its way comes before that.
  mutating func delay(until time: Int64) {
    for index in toOwner.indices { toOwner[index].at = max(toOwner[index].at, time) }
    for index in toEdge.indices { toEdge[index].at = max(toEdge[index].at, time) }
  }

  /// All that is on its way has come by then.
  mutating func hurry(to time: Int64) {
    for index in toOwner.indices { toOwner[index].at = min(toOwner[index].at, time) }
    for index in toEdge.indices { toEdge[index].at = min(toEdge[index].at, time) }
  }
}
