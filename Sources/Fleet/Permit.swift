/// The right to act for a partition under an epoch until a moment: to admit, start, deliver, or undo. Whatever acts takes
/// one, and looks at the clock when it does, not when its turn began.
package struct Permit: Hashable, Sendable {
  package let partition: Int
  package let epoch: UInt32
  /// In milliseconds of `CLOCK_BOOTTIME`.
  let until: Int64

  package func isValid(at now: Int64) -> Bool { now < until }
}
