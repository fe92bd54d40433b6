import Testing

@testable import LoadTest

@Suite struct QuantityTests {
  @Test(arguments: [
    (0, "0 ns"), (999, "999 ns"), (1_000, "1.00 µs"), (9_994, "9.99 µs"), (9_995, "10.0 µs"),
    (999_499, "999 µs"), (999_500, "1.00 ms"), (1_234_567, "1.23 ms"), (999_500_000, "1.00 s"),
    (3_600_000_000_000, "3,600 s"),
  ])
  func `a time has three digits and the unit that fits`(nanoseconds: UInt64, text: String) {
    #expect(Quantity.time(nanoseconds) == text)
  }

  @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")])
  func `digits of counts stand in threes`(number: UInt64, text: String) {
    #expect(Quantity.count(number) == text)
    #expect(Quantity.count(.max) == "18,446,744,073,709,551,615")
  }

  @Test func `a share that is small but not nothing does not read as nothing`() {
    #expect(Quantity.share(1, of: 1_000_000) == "<0.01 %")
    #expect(Quantity.share(0, of: 1_000_000) == "0 %")
    #expect(Quantity.share(1, of: 0) == "–")
  }

  @Test func `numbers that cannot be written out do not trap`() {
    #expect(Quantity.decimal(.infinity, places: 2) == "∞")
    #expect(Quantity.decimal(.nan, places: 2) == "–")
    #expect(Quantity.decimal(-0.001, places: 2) == "0.00")
    #expect(Quantity.rate(-1_234.6) == "-1,235/s")
  }
}
