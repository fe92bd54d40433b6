import Fleet
import GatewayCore

/// What members tell each other, and when they find out that they cannot.
extension FleetScene {
  private static let pingMilliseconds: Int64 = 500
  /// A frame may arrive after its sender has been declared dead.
  private static let slowestMilliseconds = 7_000

  mutating func arrival(between one: Int, _ other: Int) -> Int64 {
    let isSlow = members[one].isSlow(at: now) || members[other].isSlow(at: now)
    let time = now + 1 + Int64(random.below(isSlow ? Self.slowestMilliseconds : 20))
    return max(time, silentUntil(one, other))
  }

  /// The member whose clients a place of another's owner stands for, and that one's link; nil: nobody's any more.
  func incoming(_ place: Int, of member: Int) -> (asking: Int, link: Int)? {
    guard let (asking, link) = members[member].incoming[place] else { return nil }
    return members[asking].links[link]?.ownerPlace == place ? (asking, link) : nil
  }

  // MARK: Who is there

  /// What the watch has told becomes known to the loops.
  mutating func hearNews(of member: Int) {
    for news in members[member].view.takeNews() {
      switch news {
      case .came(let id, let place, _): connect(member, place, to: id)
      case .gone(let id, let place):
        if id != members[member].membership.id { drop(place, of: member) }
      case .partition(let number, let owner, let place, let epoch):
        let isOwn = owner == members[member].membership.id
        let known = isOwn ? 1 : place ?? -1
        members[member].edge.core.partition(number, isAt: known, epoch: epoch)
        if !isOwn { members[member].told.append { $0.core.heard(ofPartition: number, epoch: epoch) } }
      }
    }
  }

  /// A new connection; what leads there is a new link, and where it ends the older one of this member ends first.
  private mutating func connect(_ member: Int, _ place: Int, to id: MemberID) {
    guard id != members[member].membership.id,
      let owner = members.indices.first(where: { members[$0].membership.id == id }),
      members[owner].state == .running, mayAct(owner), now >= members[owner].barredUntil,
      !areSilent(member, owner),
      members[member].links[place] == nil
    else { return }
    for (other, asking) in members[owner].incoming.sorted(by: { $0.key < $1.key })
    where asking.asking == member { endAtOwner(other, of: owner) }
    guard let own = (2..<LoopPlace.mostInFleet).first(where: { members[owner].incoming[$0] == nil }) else {
      return
    }
    members[owner].incoming[own] = (member, place)
    members[owner].owner.core.timeAdvanced(to: loopTime(of: owner))
    let asking = members[member].membership.id
    members[owner].owner.core.placeIsUp(own, ofLife: asking.high ^ asking.low)
    members[member].links[place] = SimulatedFleetLink(owner: owner, id: id, ownerPlace: own)
    members[member].edge.core.placeIsUp(place)
    tell("member \(member) has a link to member \(owner)")
  }

  /// The asking end is over: nothing that is on its way to it is heard.
  mutating func drop(_ place: Int, of member: Int) {
    guard let link = members[member].links.removeValue(forKey: place) else { return }
    tell("member \(member) has no link to member \(link.owner) any more")
    members[member].edge.forget(place)
    // The other end finds out by itself.
    var time = now + Int64(random.below(1_000))
    if areSilent(member, link.owner) { time = now + Int64(quiet.below(Self.longestToNotice)) }
    members[link.owner].ending.append((time, link.ownerPlace, member, place))
  }

  mutating func endAtOwner(_ place: Int, of member: Int) {
    guard members[member].incoming.removeValue(forKey: place) != nil else { return }
    members[member].owner.forget(place)
  }

  /// All that lead to a member end: it has been declared dead, or is gone.
  mutating func breakLinks(to member: Int) {
    for (place, _) in members[member].incoming.sorted(by: { $0.key < $1.key }) {
      guard let (asking, link) = incoming(place, of: member) else {
        endAtOwner(place, of: member)
        continue
      }
      endAtOwner(place, of: member)
      breakLink(link, of: asking)
    }
  }

  /// The asking end finds out some time; then it connects anew if the other is still there.
  mutating func breakLink(_ place: Int, of member: Int) {
    guard members[member].links[place] != nil, members[member].links[place]?.endsAt == nil else { return }
    faults.count(.linkBreaks)
    members[member].links[place]?.endsAt = now + Int64(random.below(1_000))
  }

  /// Tells its membership which members it reaches, and which reach it.
  mutating func tellLinks(of member: Int) {
    let reached = Set(members[member].links.values.map(\.id))
    let askers = members[member].incoming.keys.compactMap { place in
      incoming(place, of: member).map { members[$0.asking].membership.id }
    }
    members[member].membership.isLinked(to: reached, from: Set(askers))
  }

  // MARK: What is said

  mutating func hearLinks(of member: Int) {
    endLinks(of: member)
    hearOwners(of: member)
    lookAtSilence(of: member)
    guard now >= members[member].nextPingAt else { return }
    members[member].nextPingAt = now + Self.pingMilliseconds
    for place in members[member].links.keys.sorted() {
      guard let link = members[member].links[place] else { continue }
      let time = arrival(between: member, link.owner)
      let sentAt = clock(of: member)
      members[member].links[place]?.say(.ping(sentAt), toOwnerAt: time)
    }
  }

  /// What other members' owners have said.
  mutating func hearOwners(of member: Int) {
    for place in members[member].links.keys.sorted() { hearOwner(of: place, member) }
  }

  private mutating func endLinks(of member: Int) {
    for place in members[member].links.keys.sorted() {
      guard let link = members[member].links[place], let end = link.endsAt, end <= now else { continue }
      drop(place, of: member)
    }
    for other in members[member].view.members where members[member].links[other.place] == nil {
      connect(member, other.place, to: other.id)
    }
  }

  /// Ends links of asking members once the loop with the partitions does not stand still.
  mutating func endIncoming(of member: Int) {
    for (at, place, asking, link) in members[member].ending where at <= now {
      if let there = members[member].incoming[place], there == (asking, link),
        incoming(place, of: member) == nil
      {
        endAtOwner(place, of: member)
      }
    }
    members[member].ending.removeAll { $0.at <= now }
  }

  /// What the owner's end has said.
  private mutating func hearOwner(of place: Int, _ member: Int) {
    while let (at, frame) = members[member].links[place]?.toEdge.first, at <= now {
      members[member].links[place]?.toEdge.removeFirst()
      switch frame {
      case .batch(let batch): members[member].links[place]?.mail.add(batch)
      case .pong(let sentAt, let remaining):
        hasAnswered(place, of: member)
        members[member].links[place]?.mail.extend(until: sentAt + remaining)
      case .ping: break
      }
    }
    let time = hearingTime(of: member)
    while let batch = members[member].links[place]?.mail.take(at: time) {
      tell("member \(member) hears from the owner at place \(place): \(batch.summary)")
      if let link = members[member].links[place] { checkHeard(link.id, by: member) }
      members[member].edge.hear(batch, from: place)
    }
  }

  /// No loop with clients hears an owner that was declared dead, however late its words come. One that left in order said
  /// them before it lost its partitions.
  mutating func checkHeard(_ owner: MemberID, by member: Int) {
    if wasDeclaredDead(owner) { complain("member \(member) hears an owner that was declared dead") }
  }

  /// It is no member any more, and did not leave in order.
  func wasDeclaredDead(_ member: MemberID) -> Bool { !engine.knows(member) && !haveLeft.contains(member) }

  /// By which a loop with clients judges whether what an owner has said still counts.
  func hearingTime(of member: Int) -> Int64 { control == .withoutLease ? .min + 1 : clock(of: member) }

  /// Hears what asking members say.
  mutating func hearAsking(of member: Int) {
    for place in members[member].incoming.keys.sorted() { hearAsking(at: place, of: member) }
  }

  /// What the asking end has said.
  private mutating func hearAsking(at place: Int, of member: Int) {
    guard let (asking, link) = incoming(place, of: member) else { return }
    while let (at, frame) = members[asking].links[link]?.toOwner.first, at <= now {
      members[asking].links[link]?.toOwner.removeFirst()
      switch frame {
      case .batch(let batch):
        tell("member \(member) hears from member \(asking): \(batch.summary)")
        members[member].owner.hear(batch, from: place, isLate: isLate())
      case .ping(let sentAt):
        let remaining = members[member].membership.actsUntil.subtractingReportingOverflow(clock(of: member))
        guard !remaining.overflow, remaining.partialValue > 0 else { continue }
        let time = arrival(between: member, asking)
        members[asking].links[link]?.say(
          .pong(sentAt: sentAt, remaining: remaining.partialValue), toEdgeAt: time)
      case .pong: break
      }
    }
  }
}
