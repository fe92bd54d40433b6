import Glibc

/// How requests are distributed over the keys.
package enum KeyDistribution: Hashable, Sendable {
  case uniform
  /// The k-th key has requests in proportion to k to the power of -exponent.
  case zipf(exponent: Double)

  package static let exponentRange = 0.01...10.0
}

/// Draws keys by a distribution, in constant time: Vose's alias method.
package struct KeyChoice: Sendable {
  private let count: Int
  /// The odds of each key; empty when all keys are equally likely.
  private var odds: [Double] = []
  private var alias: [Int32] = []

  package init(_ distribution: KeyDistribution, count: Int) {
    self.count = count
    guard case .zipf(let exponent) = distribution, count > 1 else { return }
    let weights = (1...count).map { pow(Double($0), -exponent) }
    fill(weights, total: weights.reduce(0, +))
  }

  private mutating func fill(_ weights: [Double], total: Double) {
    odds = weights.map { $0 / total * Double(count) }
    alias = (0..<Int32(count)).map { $0 }
    var scarce = odds.indices.filter { odds[$0] < 1 }
    var rich = odds.indices.filter { odds[$0] >= 1 }
    while let poor = scarce.popLast(), let giver = rich.last {
      alias[poor] = Int32(giver)
      odds[giver] -= 1 - odds[poor]
      if odds[giver] < 1 { scarce.append(rich.removeLast()) }
    }
  }

  package func draw(_ random: inout LoadRandom) -> Int {
    let key = random.below(count)
    guard !odds.isEmpty else { return key }
    return random.fraction() < odds[key] ? key : Int(alias[key])
  }
}
