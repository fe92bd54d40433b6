/// The verdict of a run's checks.
package enum LoadVerdict: Hashable, Sendable {
  case right
  case violations(UInt64)
  /// A connection was lost or never came about.
  case failed(String)
  /// There was no reply that could have been wrong.
  case nothingChecked

  package init(_ measurement: LoadMeasurement) {
    if measurement.violationCount > 0 {
      self = .violations(measurement.violationCount)
    } else if let failure = measurement.failure {
      self = .failed(failure)
    } else {
      self = measurement.results + measurement.superseded > 0 ? .right : .nothingChecked
    }
  }

  /// In a word or two, for a table.
  var word: String {
    switch self {
    case .right: "right"
    case .violations(1): "1 violation"
    case .violations(let count): "\(Quantity.count(count)) violations"
    case .failed: "FAILED"
    case .nothingChecked: "nothing checked"
    }
  }
}

extension LoadVerdict: CustomStringConvertible {
  package var description: String {
    switch self {
    case .right: "one reply for each request, nothing stale, every answer its own"
    case .violations: word
    case .failed(let failure): "FAILED: \(failure)"
    case .nothingChecked: "nothing was checked"
    }
  }
}
