/// Members whose processes stop for a while, or are killed and start again.
extension Cluster {
  func stop(_ member: Int) -> Bool {
    guard isRunning(member) else { return false }
    members[member].state = .isStopped
    return true
  }

  /// It has missed some time, which passes at once.
  mutating func resume(_ member: Int) -> Bool {
    guard members[member].state == .isStopped else { return false }
    members[member].state = .isRunning
    let missed = nowMilliseconds - members[member].world.nowMilliseconds
    guard missed > 0 else { return true }
    ownCoverage.count(.missedTime)
    if let complaint = perform(Step(.pass(milliseconds: missed)), at: member) { frames.complain(complaint) }
    return true
  }

  mutating func kill(_ member: Int, arriving: Int) -> Bool {
    guard members[member].state != .isDown else { return false }
    members[member].state = .isDown
    frames.isLost(member)
    network.lose(member, arriving: arriving, at: nowMilliseconds)
    return true
  }

  /// With it went its clients' connections: nobody owes them anything.
  mutating func start(_ member: Int) -> Bool {
    guard members[member].state == .isDown else { return false }
    log.add(Int(truncatingIfNeeded: members[member].world.logHash))
    ownCoverage.add(members[member].world.oracle.coverage)
    if let chronicle = members[member].world.chronicle { toldBefore.add(chronicle.tally) }
    members[member].world = nextWorld()
    members[member].state = .isRunning
    return true
  }
}
