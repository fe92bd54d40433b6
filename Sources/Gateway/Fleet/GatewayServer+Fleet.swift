import Fleet
import GatewayCore
import LibUV

/// A loop's part in a fleet.
extension GatewayServer {
  /// Where the member may not act, nothing is decided.
  @inline(never)
  func waitForPermit() { owning?.waitBeforeTurn() }

  /// What other members' loops, or the member's own with the partitions, have told.
  func heard(_ batch: PeerBatch, from place: Int) {
    turn.hasHeard = true
    core.heard(batch, from: place)
    addMirrors()
    hasRead(batch.byteCount)
  }

  /// A loop of another member cannot be reached any more.
  func forget(_ place: Int) {
    now()
    release(core.placeIsDown(place))
    links?.forget(place)
  }

  /// The member has been declared dead: what it wrote to upstreams while it could not know that may be in the kernel yet,
  /// and must not arrive behind what others have started since.
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

  /// The member goes on under another name.
  func become(_ id: MemberID) {
    asking?.become(id)
    owning?.become(id)
  }
}
