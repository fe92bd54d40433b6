/// Which of the process' loops one is. Each has a core of its own, and every shared key belongs to one of them.
package struct LoopPlace: Hashable, Sendable {
  /// From 0 on.
  package let number: Int
  package let count: Int
  /// The same at all of them: it decides which keys are whose.
  package let seed: UInt64

  /// So many there can be.
  package static let most = 16
  /// The only one.
  package static let alone = LoopPlace(number: 0, of: 1, seed: 0)

  package init(number: Int, of count: Int, seed: UInt64) {
    precondition((1...Self.most).contains(count) && (0..<count).contains(number), "no such loop")
    self.number = number
    self.count = count
    self.seed = seed
  }

  /// A number that no other loop gives.
  func unique(_ slot: Int) -> Int { slot * count + number }

  var isAlone: Bool { count == 1 }
}
