import GatewayCore

/// Two members that do not hear each other while all others do, in some histories: their frames wait, as long as their
/// links last, and arrive once they hear each other again. The asking member ends its link after a while.
extension FleetScene {
  struct SilentPair {
    let members: Set<Int>
    let since: Int64
    let until: Int64
  }

  /// As the gateway has it.
  private static let pausingMilliseconds: Int64 = 1_200
  private static let silenceMilliseconds: Int64 = 4_000
  /// The asked member looks once a second.
  static let longestToNotice = 11_000

  mutating func silence() {
    let there = alive
    guard there.count > 1 else { return }
    let one = quiet.pick(there)
    let other = quiet.pick(there.filter { $0 != one })
    guard !areSilent(one, other) else { return }
    let milliseconds = Int64(quiet.pick([800, 2_500, 6_000, 15_000]))
    silent.append(SilentPair(members: [one, other], since: now, until: now + milliseconds))
    faults.count(.pairIsSilent)
    tell("members \(one) and \(other) do not hear each other for \(milliseconds) ms")
    for (member, owner) in [(one, other), (other, one)] {
      for place in links(of: member, to: owner) {
        members[member].links[place]?.delay(until: now + milliseconds)
      }
    }
  }

  /// They hear each other again: what they have said comes.
  mutating func endSilence() {
    for member in members.indices {
      for place in members[member].links.keys.sorted() where isSilent(place, of: member) {
        members[member].links[place]?.hurry(to: now)
      }
    }
    silent = []
  }

  private func links(of member: Int, to owner: Int) -> [Int] {
    members[member].links.keys.sorted().filter { members[member].links[$0]?.owner == owner }
  }

  private func silentPair(_ one: Int, _ other: Int) -> SilentPair? {
    silent.last { $0.members == [one, other] && now < $0.until }
  }

  func areSilent(_ one: Int, _ other: Int) -> Bool { silentPair(one, other) != nil }

  private func isSilent(_ place: Int, of member: Int) -> Bool {
    members[member].links[place].map { areSilent(member, $0.owner) } ?? false
  }

  /// What these two members say from now on arrives no earlier than this.
  func silentUntil(_ one: Int, _ other: Int) -> Int64 { silentPair(one, other)?.until ?? .min }

  /// A link over which nothing has come for a while is asked nothing more, and then ends.
  mutating func lookAtSilence(of member: Int) {
    guard !silent.isEmpty else { return }
    for place in members[member].links.keys.sorted() {
      guard let link = members[member].links[place], let pair = silentPair(member, link.owner) else {
        continue
      }
      let time = members[member].clocks.bootTime(at: now) - members[member].clocks.bootTime(at: pair.since)
      if time >= Self.silenceMilliseconds, mayAct(member) {
        faults.count(.pairIsSilentForLong)
        drop(place, of: member)
      } else if time >= Self.pausingMilliseconds, !link.isPausing {
        faults.count(.linkPauses)
        members[member].links[place]?.isPausing = true
        members[member].edge.core.placePauses(place)
      }
    }
  }

  /// Something has come: it can be asked again.
  mutating func hasAnswered(_ place: Int, of member: Int) {
    guard members[member].links[place]?.isPausing == true else { return }
    members[member].links[place]?.isPausing = false
    members[member].edge.core.placeIsUp(place)
  }
}
