import GatewayCore
import HotData
import LibUV

/// A server beside others, each on a loop of its own: what clients ask of keys that another has goes there.
extension GatewayServer {
  /// Sends the others what this turn has led to.
  func sendToLoops() {
    links?.noteConnections(core.connectionCount)
    links?.noteHeld(core.mailByteCount)
    links?.send { loop in
      guard var batch = core.takeBatch(for: loop) else { return nil }
      batch.nameClients { client in
        let slot = ClientID(slot: client.slot)
        (client.address, client.way) = (connections.address(of: slot), connections.way(of: slot))
      }
      return batch
    }
    tellWhoIsBehind()
  }

  /// A loop that does not keep up is asked no more for a while, and what it has to be told waits here, where it counts.
  private func tellWhoIsBehind() {
    guard let links else { return }
    if let behind = links.lookWhoIsBehind() { core.otherLoops(areBehind: behind) }
    links.lookAtLoads { core.otherLoop($0, isTold: $1) }
    let writable = links.takeWritable()
    guard !writable.isEmpty else { return }
    // Some may have gone in this turn.
    for client in writable where connections.isThere(client) { core.clientBecameWritable(client) }
    arm(atMilliseconds: loop.nowMilliseconds + 1)
  }

  func received(_ mail: LoopMail) {
    switch mail {
    case .call(let body): body(self)
    case .batch(let batch, let loop, let life):
      if let asking, loop == links?.place.owner {
        return asking.heardOwn(batch, inLife: life, from: loop)
      }
      // A loop with clients may hear first that the member was declared dead: what it asks is of the next life.
      if let owning, life > owning.life { owning.forgetEarlierLife() }
      now()
      heard(batch, from: loop)
    }
  }

  func addMirrors() {
    guard let links else { return }
    for mirror in core.takeNewMirrors() {
      connections.add(.transport(MirrorTransport(mirror, over: links)), as: mirror.mirror)
      audit?.note(mirror.client.address, of: mirror.mirror, number: core.number(of: mirror.mirror))
    }
  }
}
