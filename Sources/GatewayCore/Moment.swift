/// A moment of the last 49 days, in four bytes: there are as many records as requests, and none of them gets that old.
struct Moment {
  private var lowerHalf: UInt32

  init(_ milliseconds: UInt64) { lowerHalf = UInt32(truncatingIfNeeded: milliseconds) }

  /// The moment itself; it is not after `now`.
  func milliseconds(by now: UInt64) -> UInt64 { now &- age(at: now) }

  func age(at now: UInt64) -> UInt64 { UInt64(UInt32(truncatingIfNeeded: now) &- lowerHalf) }
}
