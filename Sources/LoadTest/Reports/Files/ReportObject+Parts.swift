import Histogram

/// The parts of a report that stand in objects of their own.
extension ReportObject {
  func read(_ timing: LoadTiming, into measurement: inout LoadMeasurement) throws(LoadFileError) {
    let histogram = try value(timing.memberName).object().histogram()
    switch timing {
    case .latency: measurement.latency = histogram
    case .service: measurement.service = histogram
    case .firstPiece: measurement.firstPiece = histogram
    case .pieceGap: measurement.pieceGap = histogram
    case .supersededAfter: measurement.supersededAfter = histogram
    case .staleness: measurement.staleness = histogram
    case .cancel: measurement.cancelLatency = histogram
    case .lag: measurement.lag = histogram
    }
  }

  private func histogram() throws(LoadFileError) -> Histogram<UInt64> {
    var histogram = LoadMeasurement.histogram()
    var before: UInt64?
    for entry in try value("nanosecondsAndCounts").elements(upTo: ReportBounds.histogramEntries) {
      let pair = try entry.elements(upTo: 2)
      guard pair.count == 2 else { throw entry.error("expected a value and its count") }
      let (value, count) = (try pair[0].number(upTo: .max), try pair[1].number())
      guard before.map({ $0 < value }) ?? true else { throw entry.error("the values do not rise") }
      guard count > 0 else { throw entry.error("a count of nothing") }
      guard histogram.record(value, count: count) else { throw entry.error("longer than can be recorded") }
      guard histogram.totalCount <= ReportBounds.count else { throw entry.error("more than can be counted") }
      before = value
    }
    guard histogram.totalCount == (try count("count")) else {
      throw error("the counts do not add up to \"count\"")
    }
    return histogram
  }

  func interval() throws(LoadFileError) -> LoadInterval {
    var interval = LoadInterval()
    interval.startNanoseconds = try nanoseconds("startNanoseconds")
    interval.lengthNanoseconds = try value("lengthNanoseconds").number(upTo: ReportBounds.intervalNanoseconds)
    interval.intended = try count("intended")
    interval.sent = try count("sent")
    interval.results = try count("results")
    interval.superseded = try count("superseded")
    interval.errors = try count("errors")
    interval.stale = try count("stale")
    interval.open = try count("open")
    interval.p50Nanoseconds = try nanoseconds("p50Nanoseconds")
    interval.p99Nanoseconds = try nanoseconds("p99Nanoseconds")
    interval.maxNanoseconds = try nanoseconds("maxNanoseconds")
    interval.lagNanoseconds = try nanoseconds("lagNanoseconds")
    return interval
  }

  func violation() throws(LoadFileError) -> LoadViolation {
    var trace: [String] = []
    for line in try value("trace").elements(upTo: ReportBounds.traceLines) { trace.append(try line.text()) }
    return LoadViolation(
      connection: try value("connection").integer(), description: try text("description"), trace: trace)
  }
}
