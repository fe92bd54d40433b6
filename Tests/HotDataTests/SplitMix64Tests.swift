import Testing

@testable import HotData

@Suite struct SplitMix64Tests {
  /// The first numbers of this seed are published with the algorithm's tests.
  @Test func `a seed gives the numbers that are published`() {
    var random = SplitMix64(seed: 1_234_567)
    let numbers = (1...5).map { _ in random.next() as UInt64 }
    #expect(
      numbers == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
  }

  @Test func `a number is its state, mixed`() {
    var random = SplitMix64(seed: 7)
    #expect(random.next() == SplitMix64.mixed(7 &+ SplitMix64.step))
    #expect(random.next() == SplitMix64.mixed(7 &+ 2 &* SplitMix64.step))
  }
}
