/// Which member's life each loop with clients of other members belongs to: so a connection there has one number here,
/// however often it is introduced, and over however many links.
struct MemberLives {
  /// So many are remembered.
  private static let most: UInt64 = 32_000
  /// No process comes to as many connections of its own. So the numbers of the first lives are still read exactly by
  /// readers of JSON, which know none beyond 2 to the power of 53.
  private static let lifeShift: UInt64 = 48

  /// From 1 on, by what tells them apart.
  private var numbers: [UInt64: UInt64] = [:]
  private var newest: UInt64 = 0
  private var numbersOfPlaces: [Int: UInt64] = [:]

  /// - Parameter life: as random as a member's ID.
  mutating func note(_ life: UInt64, at place: Int) {
    let number: UInt64
    if let known = numbers[life] { number = known } else { number = newNumber(of: life) }
    numbersOfPlaces[place] = number
  }

  /// The oldest one is forgotten, unless it is there.
  private mutating func newNumber(of life: UInt64) -> UInt64 {
    repeat { newest = newest % Self.most + 1 } while numbersOfPlaces.values.contains(newest)
    if let oldest = numbers.first(where: { $0.value == newest })?.key { numbers[oldest] = nil }
    numbers[life] = newest
    return newest
  }

  /// A connection's number here: each member counts its own from 1 on, and no two of its loops have the same.
  ///
  /// Where nobody has said whose a place is it stands for a life of its own.
  func connection(_ number: UInt64, at place: Int) -> UInt64 {
    let life = numbersOfPlaces[place] ?? Self.most + 1 + UInt64(place)
    let mask: UInt64 = (1 << Self.lifeShift) - 1
    return life << Self.lifeShift | (number & mask)
  }
}
