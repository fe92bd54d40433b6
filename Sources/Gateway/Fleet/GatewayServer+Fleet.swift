import Fleet
import GatewayCore
import LibUV

/// A loop's part in a fleet.
extension GatewayServer {
  /// Where the member may not act, nothing is decided.
  @inline(never)
  func waitForPermit() { owning?.waitBeforeTurn() }

  /// Whether output may be written before the turn's end: not while the member may not act, and not what was decided
  /// before it was declared dead.
  @inline(never)
  var mayFlushEarly: Bool { owning?.mayFlushEarly ?? true }

  /// What other members' loops, or the member's own with the partitions, have told.
  func heard(_ batch: PeerBatch, from place: Int) {
    turn.hasHeard = true
    var count = 0
    repeat {
      let hasTime = count == 0 ? !turnClock.isLongOver : !turnClock.isOverNow && !core.hasWorkedMuch
      count =
        hasTime
        ? core.heard(batch, from: place, behind: count) : core.putOff(batch, from: place, behind: count)
      addMirrors()
      if count < batch.eventCount { flushEarly() }
    } while count < batch.eventCount
    hasRead(batch.byteCount)
  }

  /// A loop of another member cannot be reached any more.
  func forget(_ place: Int) {
    now()
    release(core.placeIsDown(place))
    links?.forget(place)
  }

  /// The member has been declared dead: bytes that it wrote to upstreams before it knew may be in the kernel yet, and
  /// must not arrive behind those of the partitions' new owners.
  func forgetAll() {
    connections.resetUpstreams()
    core.timeAdvanced(to: loop.nowMilliseconds)
    release(core.forgetAll())
    links?.forgetAll()
  }

  /// Nothing is said of them any more.
  private func release(_ mirrors: [ClientID]) {
    for mirror in mirrors { _ = connections.release(mirror) }
  }

  /// Members that it greets from now on hear its present configuration's digest.
  func noteDigest(of configuration: GatewayConfiguration) {
    guard asking != nil || owning != nil else { return }
    let digest = options.digest(configuration)
    asking?.digest = digest
    owning?.digest = digest
  }

  /// The other members that this loop is linked to, or that are to it.
  var linkedMembers: Set<MemberID> { asking?.linkedMembers ?? owning?.linkedMembers ?? [] }

  /// The member goes on under another name.
  func become(_ id: MemberID) {
    asking?.become(id)
    owning?.become(id)
  }
}
