/// Writes the intervals of a load run as a table for other programs (RFC 4180).
package enum LoadCSV {
  private static var columns: [(name: String, value: (LoadInterval) -> UInt64)] {
    [
      ("start_ns", \.startNanoseconds), ("length_ns", \.lengthNanoseconds), ("intended_requests", \.intended),
      ("sent_requests", \.sent), ("results", \.results), ("superseded", \.superseded),
      ("cancelled", \.cancelled), ("errors", \.errors),
      ("stale_results", \.stale), ("open_requests", \.open), ("latency_p50_ns", \.p50Nanoseconds),
      ("latency_p99_ns", \.p99Nanoseconds), ("latency_max_ns", \.maxNanoseconds),
      ("client_lag_max_ns", \.lagNanoseconds),
    ]
  }

  /// A header and a row for each interval. Names and numbers need no quotes.
  package static func text(_ measurement: LoadMeasurement) -> String {
    let header = columns.map(\.name).joined(separator: ",")
    let rows = measurement.intervals.map { interval in
      columns.map { String($0.value(interval)) }.joined(separator: ",")
    }
    return ([header] + rows).map { $0 + "\r\n" }.joined()
  }
}
