/// A small deterministic generator: the same seed gives the same numbers.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  @inlinable package static var step: UInt64 { 0x9e37_79b9_7f4a_7c15 }

  @usableFromInline var state: UInt64

  @inlinable
  package init(seed: UInt64) { state = seed }

  @inlinable
  package mutating func next() -> UInt64 {
    state &+= Self.step
    return Self.mixed(state)
  }

  /// Spreads what differs between two words over all their bits; no two words give the same.
  @inlinable
  package static func mixed(_ word: UInt64) -> UInt64 {
    var mixed = word
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
