/// The bounds of a report file: whatever it says, sums of what was read from it cannot overflow.
enum ReportBounds {
  static let fileBytes = 64 << 20
  static let count: UInt64 = 1 << 44
  static let nanoseconds: UInt64 = 1 << 62
  /// The longest interval: almost ten hours.
  static let intervalNanoseconds: UInt64 = 1 << 45
  /// The end of the year 9999.
  static let startedSeconds: UInt64 = 253_402_300_799
  static let errorCodes = 10_000
  static let settings = 1_000
  static let intervals = 1 << 17
  static let violations = 10_000
  static let traceLines = 10_000
  /// More than any histogram has buckets.
  static let histogramEntries = 1 << 17
}
