import Glibc
import HotData

/// Random numbers from a seed, in any number of independent streams.
package struct LoadRandom: RandomNumberGenerator, Sendable {
  private static let streamStep: UInt64 = 0xd1b5_4a32_d192_ed03

  private var generator: SplitMix64

  package init(seed: UInt64, stream: UInt64 = 0) {
    self.init(state: SplitMix64.mixed(seed &+ stream &* Self.streamStep))
  }

  /// For a single stream, whose state is the seed itself.
  init(state: UInt64) { generator = SplitMix64(seed: state) }

  package mutating func next() -> UInt64 { generator.next() }

  /// A number from 0 on, below `bound`.
  package mutating func below(_ bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  package mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  /// From 0 on, below 1.
  package mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// An exponentially distributed number with a mean of 1: the gap between independent arrivals.
  package mutating func exponential() -> Double { -log(1 - fraction()) }

  /// A normally distributed number with a mean of 0 and a standard deviation of 1.
  package mutating func normal() -> Double {
    (-2 * log(1 - fraction())).squareRoot() * cos(2 * Double.pi * fraction())
  }
}
