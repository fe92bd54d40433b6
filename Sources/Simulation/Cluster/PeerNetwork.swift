/// The network between members: the links that there are.
struct PeerNetwork {
  private(set) var links: [PeerLink] = []

  private func place(of number: Int) -> Int? { links.firstIndex { $0.number == number } }

  /// Nil: there is none, or neither end has anything more to hear of it.
  func link(_ number: Int) -> PeerLink? { place(of: number).map { links[$0] } }

  /// Whether a member knows of a link to another that it opened itself.
  func hasLink(from opener: Int, to listener: Int) -> Bool {
    links.contains { $0.opener == opener && $0.listener == listener && $0.knowledge(of: opener) == .isOpen }
  }

  mutating func open(
    _ number: Int, from opener: Int, to listener: Int, delayMilliseconds: Int, at milliseconds: Int
  ) {
    links.append(
      PeerLink(number, from: opener, to: listener, delayMilliseconds: delayMilliseconds, at: milliseconds))
  }

  mutating func send(_ frame: Frame, over number: Int, from member: Int, at milliseconds: Int) {
    guard let place = place(of: number) else { return }
    links[place].send(frame, from: member, at: milliseconds)
  }

  /// The next that arrives at a member, if its time has come.
  mutating func receive(over number: Int, at member: Int, at milliseconds: Int) -> PeerLink.Event? {
    guard let place = place(of: number) else { return nil }
    let event = links[place].receive(at: member, at: milliseconds)
    if links[place].isOver { links.remove(at: place) }
    return event
  }

  mutating func cut(_ number: Int, arriving: Int, at milliseconds: Int) {
    guard let place = place(of: number) else { return }
    links[place].cut(arriving: arriving, at: milliseconds)
    if links[place].isOver { links.remove(at: place) }
  }

  mutating func setDelay(_ milliseconds: Int, of number: Int) {
    guard let place = place(of: number) else { return }
    links[place].delayMilliseconds = milliseconds
  }

  /// A member is no more.
  mutating func lose(_ member: Int, arriving: Int, at milliseconds: Int) {
    for place in links.indices { links[place].lose(member, arriving: arriving, at: milliseconds) }
    links.removeAll { $0.isOver }
  }

  // MARK: What is left to do

  /// Nothing is on its way to anybody.
  var isQuiet: Bool {
    links.allSatisfy { $0.incomingCount(at: $0.opener) + $0.incomingCount(at: $0.listener) == 0 }
  }

  /// A link over which something can arrive at a member now.
  func nextArrival(at member: Int, at milliseconds: Int) -> Int? {
    let link = links.first { $0.nextDueMilliseconds(at: member).map { $0 <= milliseconds } ?? false }
    return link?.number
  }

  /// When the next can arrive at a member.
  func nextDueMilliseconds(at member: Int) -> Int? {
    links.compactMap { $0.nextDueMilliseconds(at: member) }.min()
  }
}
