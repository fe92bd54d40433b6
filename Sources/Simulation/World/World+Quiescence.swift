import GatewayCore

/// Faults stop: clients and upstreams do at once what they should, and everything must come to its end.
extension World {
  /// Far more than any history needs.
  static let mostRounds = 10_000

  var isAnswered: Bool {
    core.liveRequestCount == 0 && clients.open.allSatisfy { clients.all[$0].unreceived == 0 }
  }

  var isEmpty: Bool {
    core.taskCount == 0 && core.keyCount == 0 && core.liveRequestCount == 0 && core.clientCount == 0
  }

  /// The longest time for which an order is remembered, and some to forget it in.
  static let mostOrderMilliseconds = 10_100

  /// What is left in the end.
  var leftText: String {
    """
    \(core.liveRequestCount) requests open, \(core.taskCount) tasks, \(core.keyCount) keys, \
    \(core.orderCount) orders, \(core.clientCount) clients
    """
  }

  /// Nothing is on its way any more: everybody has heard what they were owed.
  mutating func expectAllHeard() -> String? {
    for client in clients.open { expectEverythingHeard(client, because: "in the end") }
    expectAllHeardUnderTLS()
    for link in openLinks { oracle.expectAllAnswered(link: link) }
    return oracle.complaint
  }

  /// How the clients leave that are there.
  var departures: [Action] {
    clients.open.enumerated().map { index, client in
      index.isMultiple(of: 2) ? .finish(client: client, isMidMessage: false) : .reset(client: client)
    }
  }

  /// All clients have gone, and nothing is left.
  mutating func expectNothingLeft() -> String? {
    oracle.expectCancelsSeen()
    oracle.expectUndone()
    for link in openLinks where upstream(of: link).takesExchanges {
      oracle.expect(links[link].calls.isEmpty, "an exchange over link \(link) goes on for ever")
    }
    oracle.expectEmpty(core.leftovers)
    expectAllTold()
    return oracle.complaint ?? network.complaint
  }

  /// Everybody does what they should until nobody has anything left to do.
  mutating func round() -> String? {
    for _ in 0..<Self.mostRounds {
      guard let action = nextGoodDeed() else { return nil }
      if let complaint = apply(Step(action)) { return complaint }
    }
    return Oracle.endless
  }

  private func nextGoodDeed() -> Action? {
    if core.isBehind { return .goOn }
    for link in openLinks {
      if let deed = nextGoodDeed(ofLink: link) { return deed }
    }
    for client in clients.greeting {
      if let deed = channel(of: client).flatMap({ nextGoodDeed(of: client, over: $0) }) { return deed }
    }
    for client in clients.open {
      if network.inboxes[client].room < Action.everything / 2 {
        return .read(client: client, bytes: Action.everything / 2)
      }
      if network.inboxes[client].isPaused { continue }
      if let channel = channel(of: client) {
        if let deed = nextGoodDeed(of: client, over: channel) { return deed }
        continue
      }
      if clients.all[client].unreceived > 0 || clients.all[client].owesFIN {
        return .deliver(client: client, bytes: Action.everything)
      }
    }
    return nil
  }

  private func nextGoodDeed(ofLink link: Int) -> Action? {
    let view = links[link]
    if view.state == .connecting { return .accept(link: link, room: Action.everything) }
    let takesExchanges = upstream(of: link).takesExchanges
    if !takesExchanges, network.pipes[view.slot].room < Action.everything / 2 {
      return .readUpstream(link: link, bytes: Action.everything / 2)
    }
    if view.unreceived > 0 { return .deliverAnswers(link: link, bytes: Action.everything) }
    // Some of what is cancelled is never answered by itself.
    let call = view.calls.first { !$0.isCancelled || !takesExchanges && !oracle.tasks[$0.task].isUnheard }
    return call.map {
      $0.isNotification
        ? .take(link: link, $0.name) : .answer(link: link, $0.name, Answer(kind: .result, form: 0))
    }
  }
}

extension SimulatedClient {
  fileprivate var owesFIN: Bool { hasFinished && !finHasArrived }
}
