import Histogram

/// Names the times that a run measures, each a histogram.
enum LoadTiming: String, CaseIterable, Sendable {
  case latency, service, firstPiece, pieceGap, supersededAfter, staleness, cancel, lag

  /// As a person reads it.
  var title: String {
    switch self {
    case .latency: "latency"
    case .service: "service"
    case .firstPiece: "first piece"
    case .pieceGap: "piece gap"
    case .supersededAfter: "superseded"
    case .staleness: "staleness"
    case .cancel: "cancel"
    case .lag: "client lag"
    }
  }

  /// What it is, in half a sentence.
  var meaning: String {
    switch self {
    case .latency: "of results, from when the request was due"
    case .service: "of results, from when it was sent"
    case .firstPiece: "from when the request was due to the first piece of its answer"
    case .pieceGap: "from each piece to the next"
    case .supersededAfter: "of superseded requests, from when they were due to their reply"
    case .staleness: "from the newest request of a key to its answer"
    case .cancel: "from when a request was not wanted any more to upstream's hearing of it"
    case .lag: "how late this client itself sent"
    }
  }

  func histogram(of measurement: LoadMeasurement) -> Histogram<UInt64> {
    switch self {
    case .latency: measurement.latency
    case .service: measurement.service
    case .firstPiece: measurement.firstPiece
    case .pieceGap: measurement.pieceGap
    case .supersededAfter: measurement.supersededAfter
    case .staleness: measurement.staleness
    case .cancel: measurement.cancelLatency
    case .lag: measurement.lag
    }
  }

  /// Whether a run may have none of it, and its report says nothing then.
  var isOptional: Bool { self == .firstPiece || self == .pieceGap }

  func nanoseconds(_ percentile: Percentile, of measurement: LoadMeasurement) -> UInt64? {
    histogram(of: measurement).nanoseconds(percentile)
  }
}
