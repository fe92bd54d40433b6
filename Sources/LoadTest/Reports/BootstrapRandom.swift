/// Draws the same samples each time, so that a comparison of the same reports says the same (SplitMix64).
struct BootstrapRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func index(below count: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    bits ^= bits >> 31
    return Int(bits.multipliedFullWidth(by: UInt64(count)).high)
  }
}
