/// One connection between two members: frames go both ways, each way in order, until it is cut.
///
/// A link that was cut never comes back; its opener may open another.
struct PeerLink {
  /// What comes out at an end.
  enum Event: Hashable, Sendable {
    /// Another member has opened the link.
    case opened
    case frame(Frame)
    /// The link is gone, and nothing more comes.
    case cut
  }

  /// What an end has heard of the link.
  enum Knowledge { case nothing, isOpen, isGone }

  private struct Parcel {
    var event: Event
    /// When it can arrive, at the earliest.
    var dueMilliseconds: Int
  }

  private struct End {
    let member: Int
    var knowledge: Knowledge
    /// What is on its way to this end, in its order.
    var incoming: [Parcel] = []
  }

  /// So many may be on their way to one end.
  static let mostIncoming = 64

  let number: Int
  /// That of what is sent from now on.
  var delayMilliseconds: Int
  private(set) var isCut = false
  /// First that of the member that opened it.
  private var ends: [End]

  init(_ number: Int, from opener: Int, to listener: Int, delayMilliseconds: Int, at milliseconds: Int) {
    self.number = number
    self.delayMilliseconds = delayMilliseconds
    ends = [End(member: opener, knowledge: .isOpen), End(member: listener, knowledge: .nothing)]
    enqueue(.opened, to: 1, at: milliseconds)
  }

  var opener: Int { ends[0].member }
  var listener: Int { ends[1].member }
  /// Neither end has anything more to hear.
  var isOver: Bool { ends.allSatisfy { $0.knowledge == .isGone } }

  private func end(of member: Int) -> Int? { ends.firstIndex { $0.member == member } }
  func other(than member: Int) -> Int { member == opener ? listener : opener }
  func knowledge(of member: Int) -> Knowledge { end(of: member).map { ends[$0].knowledge } ?? .isGone }
  func incomingCount(at member: Int) -> Int { end(of: member).map { ends[$0].incoming.count } ?? 0 }

  func maySend(from member: Int) -> Bool {
    knowledge(of: member) == .isOpen && incomingCount(at: other(than: member)) < Self.mostIncoming
  }

  /// When the next can arrive at this end; nil: nothing is on its way there.
  func nextDueMilliseconds(at member: Int) -> Int? {
    end(of: member).flatMap { ends[$0].incoming.first?.dueMilliseconds }
  }

  // MARK: Events

  /// A frame sent over a cut link, by an end that has not heard of the cut yet, is lost.
  mutating func send(_ frame: Frame, from member: Int, at milliseconds: Int) {
    guard !isCut, let end = end(of: other(than: member)) else { return }
    enqueue(.frame(frame), to: end, at: milliseconds)
  }

  /// What was sent later does not arrive earlier, however short the delay has become.
  private mutating func enqueue(_ event: Event, to end: Int, at milliseconds: Int) {
    let before = ends[end].incoming.last?.dueMilliseconds ?? 0
    let due = max(milliseconds + delayMilliseconds, before)
    ends[end].incoming.append(Parcel(event: event, dueMilliseconds: due))
  }

  /// The next that arrives at an end, if its time has come.
  mutating func receive(at member: Int, at milliseconds: Int) -> Event? {
    guard let end = end(of: member), let parcel = ends[end].incoming.first,
      parcel.dueMilliseconds <= milliseconds
    else { return nil }
    ends[end].incoming.removeFirst()
    switch parcel.event {
    case .opened: ends[end].knowledge = .isOpen
    case .cut: ends[end].knowledge = .isGone
    case .frame: break
    }
    return parcel.event
  }

  /// - Parameter arriving: of what is on its way, so much each way has come so far that it still arrives.
  mutating func cut(arriving: Int, at milliseconds: Int) {
    guard !isCut else { return }
    isCut = true
    for end in ends.indices {
      ends[end].incoming.removeLast(max(0, ends[end].incoming.count - arriving))
      tellOfCut(end, at: milliseconds)
    }
  }

  /// An end that will never have heard of the link hears nothing of its end either.
  private mutating func tellOfCut(_ end: Int, at milliseconds: Int) {
    if ends[end].knowledge == .nothing, ends[end].incoming.isEmpty { ends[end].knowledge = .isGone }
    if ends[end].knowledge != .isGone { enqueue(.cut, to: end, at: milliseconds) }
  }

  /// A member is no more, and with it what was on its way there.
  mutating func lose(_ member: Int, arriving: Int, at milliseconds: Int) {
    guard let end = end(of: member) else { return }
    cut(arriving: arriving, at: milliseconds)
    ends[end].incoming = []
    ends[end].knowledge = .isGone
  }
}
