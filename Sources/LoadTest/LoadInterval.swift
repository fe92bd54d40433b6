/// A part of a run, usually a second.
package struct LoadInterval: Sendable {
  /// Its beginning, from the run's start.
  package var startNanoseconds: UInt64 = 0
  package var lengthNanoseconds: UInt64 = 0
  package var intended: UInt64 = 0
  package var sent: UInt64 = 0
  package var results: UInt64 = 0
  package var superseded: UInt64 = 0
  package var cancelled: UInt64 = 0
  package var errors: UInt64 = 0
  package var stale: UInt64 = 0
  /// Requests open at its end.
  package var open: UInt64 = 0
  package var p50Nanoseconds: UInt64 = 0
  package var p99Nanoseconds: UInt64 = 0
  package var maxNanoseconds: UInt64 = 0
  /// The longest time by which the client itself was late.
  package var lagNanoseconds: UInt64 = 0

  package init() {}
}
