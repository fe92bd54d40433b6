import Fleet
import GatewayCore

/// In some histories a network holds back what members have written to the upstream, as long as they live and longer. There
/// the upstream refuses what comes behind requests of a higher epoch, by what stands in their fences.
extension FleetScene {
  /// What an upstream knows of a fleet by the fences of its messages.
  struct Fences {
    /// By partition: the highest epoch that it has heard of.
    var highest: [UInt64]
    /// By key: its partition, wherever its requests come from.
    var partitions: [String: UInt64] = [:]

    /// What a message that is written to the upstream says.
    static func fence(in line: String) -> Fence? {
      guard let partition = UInt64(line.digits(behind: #""fence":{"partition":"#)),
        let epoch = UInt64(line.digits(behind: #","epoch":"#)),
        let generation = UInt64(line.digits(behind: #","generation":"#))
      else { return nil }
      return Fence(partition: partition, epoch: epoch, generation: generation)
    }

    /// Whether something of a later owner has come before; what is not late counts from now on.
    mutating func isLate(_ fence: Fence) -> Bool {
      let place = Int(fence.partition)
      let isLate = fence.epoch < highest[place]
      highest[place] = max(highest[place], fence.epoch)
      return isLate
    }
  }

  struct Fence {
    let partition: UInt64
    let epoch: UInt64
    let generation: UInt64
  }

  /// What is on its way from a member to the upstream.
  struct Written {
    let line: String
    /// When it was written, and under which name of its member.
    let at: Int64
    let by: MemberID
  }

  private static let delays = [200, 2_500, 7_000, 12_000]

  mutating func holdBack(_ member: Int) {
    let milliseconds = held.pick(Self.delays)
    members[member].heldUntil = now + Int64(milliseconds)
    faults.count(.writesAreHeldBack)
    tell("what member \(member) writes to the upstream is held back for \(milliseconds) ms")
  }

  mutating func write(_ line: String, of member: Int) {
    let written = Written(line: line, at: now, by: members[member].membership.id)
    guard now < members[member].heldUntil || !members[member].heldBack.isEmpty else {
      return hearUpstream(written, of: member)
    }
    _ = noteCancelled(written, of: member)
    members[member].heldBack.append(written)
  }

  /// The upstream hears what has been held back long enough, also of members that are no more.
  mutating func deliverHeldBack() {
    for member in members.indices where now >= members[member].heldUntil {
      let lines = members[member].heldBack
      members[member].heldBack = []
      for line in lines { hearUpstream(line, of: member) }
    }
  }

  /// Whether an upstream refuses what it hears; what is wrong with its fence is found here, too.
  mutating func isRefused(_ number: Int, _ line: String) -> Bool {
    guard passesFences else {
      if line.contains("fence") { complain("a request has a fence that nobody asked for: \(line)") }
      return false
    }
    guard let fence = Fences.fence(in: line), fence.partition < fences.highest.count else {
      complain("a request has no fence: \(line)")
      return false
    }
    checkFence(of: number, fence)
    guard fences.isLate(fence), control != .withoutFence else {
      checkOwner(of: number, fence.generation)
      return false
    }
    fencedCount += 1
    return true
  }

  /// The work of a later owner of a key is not followed by older work.
  private mutating func checkOwner(of number: Int, _ generation: UInt64) {
    let newer = asked.indices.first {
      asked[$0].key == asked[number].key && asked[$0].arrival != nil
        && (asked[$0].generation ?? 0) >> Self.countedBits > generation >> Self.countedBits
    }
    if let newer { complain("request \(number) came to upstream behind \(newer), which a later owner sent") }
  }

  /// Above so many bits of a generation stands its epoch.
  private static let countedBits = 33

  private mutating func checkFence(of number: Int, _ fence: Fence) {
    let (key, generation) = (asked[number].key, fence.generation)
    if let known = fences.partitions[key], known != fence.partition {
      complain("key \(key) is of partitions \(known) and \(fence.partition)")
    }
    fences.partitions[key] = fence.partition
    if generation >> Self.countedBits != fence.epoch {
      complain("generation \(generation) is of another epoch than \(fence.epoch)")
    }
    asked[number].generation = generation
    // Between two members only the epoch tells which request is newer; one client's requests come in their order.
    guard !asked[number].isNotification else { return }
    let wrong = asked.indices.first { other in
      guard let known = asked[other].generation, other != number, asked[other].key == key,
        asked[other].client == asked[number].client, !asked[other].isNotification
      else { return false }
      return (other < number) != (known < generation)
    }
    if let wrong { complain("the generations of requests \(wrong) and \(number) are not in their order") }
  }
}
