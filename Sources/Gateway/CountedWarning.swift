import Logging

/// Lets what a counter has counted be logged now and then.
struct CountedWarning {
  private var warning = RepeatedWarning()
  /// The counter's value when it was last looked at.
  private(set) var count: UInt64 = 0

  /// - Parameters:
  ///   - total: what the counter says now.
  ///   - name: what it counts.
  mutating func log(
    _ total: UInt64, as name: String, _ message: Logger.Message, _ metadata: Logger.Metadata = [:],
    to log: Logger, atMilliseconds now: UInt64
  ) {
    let metadata = metadata.merging([name: .stringConvertible(total - count)]) { $1 }
    warning.log(message, metadata, to: log, atMilliseconds: now)
    count = total
  }
}
