/// Frames that members send each other, and what becomes of them.
extension Cluster {
  mutating func open(
    _ link: Int, from opener: Int, to listener: Int, delayMilliseconds: Int
  ) -> Bool {
    guard isRunning(opener), members.indices.contains(listener), opener != listener,
      members[listener].state != .isDown, frames.isNew(link), !network.hasLink(from: opener, to: listener)
    else { return false }
    log.add(link)
    if frames.hasHeardOfCut(opener) { ownCoverage.count(.openedAgain) }
    frames.isOpened(link, from: opener, to: listener)
    network.open(link, from: opener, to: listener, delayMilliseconds: delayMilliseconds, at: nowMilliseconds)
    return true
  }

  mutating func probe(_ link: Int, from member: Int, byteCount: Int) -> Bool {
    guard isRunning(member), let view = network.link(link), view.maySend(from: member) else { return false }
    if view.isCut { ownCoverage.count(.sentIntoCut) }
    let frame = Frame.probe(frames.nextNumber, byteCount: byteCount)
    frames.isSent(frame, over: link, from: member)
    network.send(frame, over: link, from: member, at: nowMilliseconds)
    return true
  }

  mutating func receive(_ events: Int, over link: Int, at member: Int) -> Bool {
    guard isRunning(member) else { return false }
    var count = 0
    while count < events, let event = network.receive(over: link, at: member, at: nowMilliseconds) {
      note(event, over: link, at: member)
      count += 1
    }
    let isDelayed = count < events && network.link(link)?.nextDueMilliseconds(at: member) != nil
    if isDelayed { ownCoverage.count(.delayedFrame) }
    return count > 0
  }

  private mutating func note(_ event: PeerLink.Event, over link: Int, at member: Int) {
    log.add(link)
    if case .frame(let frame) = event {
      log.add(frame.number)
      log.add(frame.bytes[...])
    }
    frames.arrived(event, over: link, at: member)
  }

  mutating func cut(_ link: Int, arriving: Int) -> Bool {
    guard let view = network.link(link), !view.isCut else { return false }
    log.add(link)
    let onTheWay = max(view.incomingCount(at: view.opener), view.incomingCount(at: view.listener))
    if onTheWay > arriving { ownCoverage.count(.lostFrame) }
    if arriving > 0, onTheWay > 0 { ownCoverage.count(.arrivedBehindCut) }
    frames.isCut(link)
    network.cut(link, arriving: arriving, at: nowMilliseconds)
    return true
  }

  mutating func delay(_ link: Int, _ milliseconds: Int) -> Bool {
    guard network.link(link) != nil else { return false }
    network.setDelay(milliseconds, of: link)
    return true
  }
}
