import Glibc

/// Gives the numbers that a seed decides, in as many independent streams as one likes: SplitMix64.
package struct LoadRandom: RandomNumberGenerator, Sendable {
  private static let step: UInt64 = 0x9e37_79b9_7f4a_7c15
  private static let streamStep: UInt64 = 0xd1b5_4a32_d192_ed03

  private var state: UInt64

  package init(seed: UInt64, stream: UInt64 = 0) {
    self.init(state: Self.mixed(seed &+ stream &* Self.streamStep))
  }

  /// Where there is but one stream, the seed can be its state.
  init(state: UInt64) { self.state = state }

  package mutating func next() -> UInt64 {
    state &+= Self.step
    return Self.mixed(state)
  }

  private static func mixed(_ state: UInt64) -> UInt64 {
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 on, below `bound`.
  package mutating func below(_ bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  package mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  /// From 0 on, below 1.
  package mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// With a mean of 1: the gaps of arrivals that know nothing of each other.
  package mutating func exponential() -> Double { -log(1 - fraction()) }

  /// With a mean of 0 and a deviation of 1.
  package mutating func normal() -> Double {
    (-2 * log(1 - fraction())).squareRoot() * cos(2 * Double.pi * fraction())
  }
}
