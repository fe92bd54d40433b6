/// The clocks of one machine, of which a member's membership and its loops each read one: they begin anywhere, and where
/// rates differ the seconds of two machines are not equally long.
struct SimulatedClocks {
  /// No machine's clock is so far off. Of two members a permit of three seconds must be over at the one before four have
  /// passed at the other: that holds while their rates differ by less than a third.
  static let mostPartsPerMillion: Int64 = 100_000

  /// Before the scene's: of `CLOCK_BOOTTIME`, and of the loops' clock.
  let bootOffset: Int64
  let loopOffset: Int64
  let partsPerMillion: Int64

  func bootTime(at now: Int64) -> Int64 { paced(now) + bootOffset }
  func loopTime(at now: Int64) -> UInt64 { UInt64(paced(now) + loopOffset) }

  private func paced(_ now: Int64) -> Int64 { now + now * partsPerMillion / 1_000_000 }
}
