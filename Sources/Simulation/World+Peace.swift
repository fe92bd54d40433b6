import GatewayCore

/// Faults stop: clients and upstream do at once what they should, and everything must come to its end.
extension World {
  /// Far more than any history needs.
  private static let mostRounds = 10_000
  /// The longest timeout and the longest grace, an orphan's life, and some to connect again.
  private static let mostMilliseconds = 200_000

  /// What is still wrong when everything should be over, if anything.
  mutating func settle() -> String? {
    if turnIsOpen { endTurn() }
    let end = nowMilliseconds + Self.mostMilliseconds
    if let complaint = run(until: end, { $0.isAnswered }) { return complaint }
    for client in clients.open { oracle.expectAllAnswered(client, because: "in the end") }
    if let complaint = oracle.complaint { return complaint }
    for (index, client) in clients.open.enumerated() {
      let leaving = index.isMultiple(of: 2) ? Action.finish(client: client) : .reset(client: client)
      if let complaint = apply(Step(leaving)) { return complaint }
    }
    if let complaint = run(until: end + Self.mostMilliseconds, { $0.isEmpty }) { return complaint }
    oracle.expectCancelsSeen()
    oracle.expectUndone()
    oracle.expect(core.leftovers.isEmpty, "invariant 8: left in the end: \(core.leftovers)")
    return oracle.complaint ?? network.complaint
  }

  private var isAnswered: Bool {
    core.liveRequestCount == 0 && clients.open.allSatisfy { clients.all[$0].unreceived == 0 }
  }

  private var isEmpty: Bool {
    core.taskCount == 0 && core.keyCount == 0 && core.liveRequestCount == 0 && core.clientCount == 0
  }

  private mutating func run(until end: Int, _ isOver: (borrowing World) -> Bool) -> String? {
    for _ in 0..<Self.mostRounds {
      if let complaint = round() { return complaint }
      if isOver(self) { return nil }
      guard nowMilliseconds < end, core.nextDueMilliseconds != nil else { break }
      if let complaint = apply(Step(.passToNextTimer)) { return complaint }
    }
    return """
      invariant 11: not over in the end: \(core.liveRequestCount) requests open, \(core.taskCount) tasks, \
      \(core.keyCount) keys, \(core.clientCount) clients
      """
  }

  /// Everybody does what they should until nobody has anything left to do.
  private mutating func round() -> String? {
    for _ in 0..<Self.mostRounds {
      guard let action = nextGoodDeed() else { return nil }
      if let complaint = apply(Step(action)) { return complaint }
    }
    return "invariant 11: there is no end to what is left to do"
  }

  private func nextGoodDeed() -> Action? {
    for upstream in upstreams.indices {
      if let deed = nextGoodDeed(ofUpstream: upstream) { return deed }
    }
    for client in clients.open {
      if network.inboxes[client].room < Action.everything / 2 {
        return .read(client: client, bytes: Action.everything / 2)
      }
      if network.inboxes[client].isPaused { continue }
      if clients.all[client].unreceived > 0 || clients.all[client].owesFIN {
        return .deliver(client: client, bytes: Action.everything)
      }
    }
    return nil
  }

  private func nextGoodDeed(ofUpstream index: Int) -> Action? {
    if upstreams[index].state == .connecting { return .accept(upstream: index) }
    guard upstreams[index].state == .connected else { return nil }
    if network.pipes[index].room < Action.everything / 2 {
      return .readUpstream(upstream: index, bytes: Action.everything / 2)
    }
    if upstreams[index].unreceived > 0 {
      return .deliverAnswers(upstream: index, bytes: Action.everything)
    }
    let call = upstreams[index].calls.first { !($0.isCancelled && oracle.tasks[$0.task].isUnheard) }
    return call.map { .answer(upstream: index, $0.name, Answer(kind: .result, form: 0)) }
  }
}

extension SimulatedClient {
  fileprivate var owesFIN: Bool { hasFinished && !finHasArrived }
}
