/// Which of the process' loops one is. Each has a core of its own, and every shared key belongs to one of them.
///
/// In a fleet the last loop of each member serves no clients, but the partitions that the member has; the others have
/// clients, and ask whichever member has a key's partition.
package struct LoopPlace: Hashable, Sendable {
  /// From 0 on.
  package let number: Int
  package let count: Int
  /// The same at all of them: it decides which keys are whose.
  package let seed: UInt64
  package let isInFleet: Bool
  /// As many as the fleet has.
  package let partitions: Int

  /// So many loops with clients there can be.
  package static let most = 16
  /// So many loops, of this and of other processes, one can speak with in a fleet, itself included.
  package static let mostInFleet = 64
  /// The only one.
  package static let alone = LoopPlace(number: 0, of: 1, seed: 0)

  /// - Parameter seed: in a fleet that of all its members.
  package init(number: Int, of count: Int, seed: UInt64, isInFleet: Bool = false, partitions: Int = 256) {
    let most = isInFleet ? Self.most + 1 : Self.most
    precondition((1...most).contains(count) && (0..<count).contains(number), "no such loop")
    precondition(!isInFleet || count > 1, "the partitions of a member have a loop of their own")
    self.number = number
    self.count = count
    self.seed = seed
    self.isInFleet = isInFleet
    self.partitions = isInFleet ? partitions : 0
  }

  /// A number that no other loop gives.
  func unique(_ slot: Int) -> Int { slot * count + number }

  var isAlone: Bool { count == 1 }
  /// That of the loop that has the member's partitions.
  package var owner: Int { count - 1 }
  package var isOwner: Bool { isInFleet && number == owner }
  /// How many loops it can speak with, itself included: the process' loops first.
  package var placeCount: Int { isInFleet ? Self.mostInFleet : count }
}
