/// Invariant 14: a member's frames arrive once, whole and in order, or the link was cut and both members are told.
///
/// It knows only which frames were sent, which arrived, and which links were cut, and nothing of the network.
struct PeerLinkOracle {
  private struct End {
    let member: Int
    var hasHeardOfOpening = false
    var hasHeardOfCut = false
    /// The member is no more: what is there now is another.
    var isLost = false
    /// What was sent there and has not arrived, in its order.
    var owed: [Frame] = []
    var lastNumber = 0
  }

  private struct Link {
    let number: Int
    var isCut = false
    /// First that of the member that opened it.
    var ends: [End]

    var isOver: Bool { ends.allSatisfy { $0.isLost || $0.hasHeardOfCut } }
  }

  private var links: [Link] = []
  private var openersThatHeardOfCuts: Set<Int> = []
  /// For the next frame, and the next link.
  private(set) var nextNumber = 1
  private(set) var nextLink = 1
  private let verdict = Verdict()

  /// What is wrong, if anything.
  var complaint: String? { verdict.complaint }

  func complain(_ text: String) { verdict.complain(text) }

  private func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
    if !condition { complain("invariant 14: " + text()) }
  }

  func isNew(_ link: Int) -> Bool { link >= nextLink }
  func hasHeardOfCut(_ opener: Int) -> Bool { openersThatHeardOfCuts.contains(opener) }

  private func place(of link: Int, _ member: Int) -> (link: Int, end: Int)? {
    guard let place = links.firstIndex(where: { $0.number == link }) else { return nil }
    return links[place].ends.firstIndex { $0.member == member }.map { (place, $0) }
  }

  // MARK: What happened

  mutating func isOpened(_ link: Int, from opener: Int, to listener: Int) {
    nextLink = max(nextLink, link + 1)
    let ends = [End(member: opener, hasHeardOfOpening: true), End(member: listener)]
    links.append(Link(number: link, ends: ends))
  }

  mutating func isSent(_ frame: Frame, over link: Int, from member: Int) {
    nextNumber = max(nextNumber, frame.number + 1)
    // Frames sent into a link that was cut must not arrive.
    guard let (place, end) = place(of: link, member), !links[place].isCut else { return }
    links[place].ends[1 - end].owed.append(frame)
  }

  mutating func isCut(_ link: Int) {
    for place in links.indices where links[place].number == link { links[place].isCut = true }
  }

  /// A member is no more.
  mutating func isLost(_ member: Int) {
    for place in links.indices {
      for end in links[place].ends.indices where links[place].ends[end].member == member {
        links[place].ends[end].isLost = true
        links[place].isCut = true
      }
    }
    links.removeAll { $0.isOver }
  }

  // MARK: What is judged

  mutating func arrived(_ event: PeerLink.Event, over link: Int, at member: Int) {
    guard let (place, end) = place(of: link, member) else {
      return expect(
        false, "member \(member) heard something over link \(link), which is not its own any more")
    }
    let view = links[place].ends[end]
    expect(!view.isLost, "member \(member) heard something over link \(link) of an earlier life")
    expect(!view.hasHeardOfCut, "member \(member) heard something over link \(link) behind its end")
    switch event {
    case .opened:
      expect(!view.hasHeardOfOpening, "member \(member) heard twice that link \(link) was opened")
      links[place].ends[end].hasHeardOfOpening = true
    case .frame(let frame): arrived(frame, place, end)
    case .cut:
      expect(links[place].isCut, "member \(member) heard that link \(link) was cut, and it was not")
      links[place].ends[end].hasHeardOfCut = true
      if end == 0 { openersThatHeardOfCuts.insert(member) }
      if links[place].isOver { links.remove(at: place) }
    }
  }

  private mutating func arrived(_ frame: Frame, _ place: Int, _ end: Int) {
    let view = links[place].ends[end]
    let way = "frame \(frame.number) to member \(view.member) over link \(links[place].number)"
    expect(view.hasHeardOfOpening, "\(way) arrived before the link was opened")
    expect(frame.number > view.lastNumber, "\(way) arrived twice, or was overtaken")
    guard let first = view.owed.first else { return expect(false, "\(way) was not sent, or behind a cut") }
    expect(first.number == frame.number, "\(way) arrived, and \(first.number) was before it")
    expect(first.number != frame.number || first == frame, "\(way) arrived changed")
    links[place].ends[end].owed.removeFirst()
    links[place].ends[end].lastNumber = frame.number
  }

  /// Nothing is on its way any more.
  func expectNothingOnTheWay() {
    for link in links {
      for end in link.ends where !end.isLost {
        if link.isCut {
          let isTold = end.hasHeardOfCut || !end.hasHeardOfOpening
          expect(isTold, "member \(end.member) never heard that link \(link.number) was cut")
        } else {
          expect(end.hasHeardOfOpening, "member \(end.member) never heard of link \(link.number)")
          expect(end.owed.isEmpty, "frame \(end.owed.first?.number ?? 0) over link \(link.number) is lost")
        }
      }
    }
  }
}
