import Histogram
import JSONRPC

/// Keeps what a load run measured as a JSON text from which the same measurement comes back.
package enum LoadJSON {
  static let schema = "lastword-load"
  static let version: UInt64 = 1

  package static func bytes(_ measurement: LoadMeasurement) -> [UInt8] {
    var json = JSONBuilder()
    json.object { json in
      json.member("schema", schema)
      json.member("version", version)
      writeSetup(measurement, into: &json)
      writeCounts(measurement, into: &json)
      json.member("histograms") { json in
        for timing in LoadTiming.allCases
        where !timing.isOptional || timing.histogram(of: measurement).totalCount > 0 {
          write(timing, of: measurement, into: &json)
        }
      }
      if let work = measurement.upstream { json.member("upstream") { write(work, into: &$0) } }
      if let work = measurement.direct { json.member("direct") { write(work, into: &$0) } }
      if let stale = measurement.directStale { json.member("directStale", stale) }
      json.array("intervals", measurement.intervals) { write($1, into: &$0) }
      writeChecks(measurement, into: &json)
    }
    return json.bytes + [UInt8(ascii: "\n")]
  }

  private static func writeSetup(_ measurement: LoadMeasurement, into json: inout JSONBuilder) {
    json.array("settings", measurement.settings) { json, setting in
      json.member("name", setting.name)
      json.member("value", setting.value)
    }
    // A string, for many readers would round a seed of 64 bits.
    json.member("seed", String(measurement.seed))
    json.member("startedSeconds", measurement.startedSeconds)
    json.member("elapsedNanoseconds", measurement.elapsedNanoseconds)
  }

  private static func writeCounts(_ measurement: LoadMeasurement, into json: inout JSONBuilder) {
    json.member("intended", measurement.intended)
    json.member("sent", measurement.sent)
    json.member("unsent", measurement.unsent)
    json.member("heldBack", measurement.heldBack)
    json.member("results", measurement.results)
    json.member("superseded", measurement.superseded)
    json.member("cancelled", measurement.cancelled)
    json.array("errors", measurement.errors.sorted { $0.key < $1.key }) { json, error in
      json.member("code", error.key)
      json.member("count", error.value)
    }
    json.member("abandoned", measurement.abandoned)
    if measurement.pieces > 0 { json.member("pieces", measurement.pieces) }
    json.member("stale", measurement.stale)
  }

  private static func write(
    _ timing: LoadTiming, of measurement: LoadMeasurement, into json: inout JSONBuilder
  ) {
    let histogram = timing.histogram(of: measurement)
    var recorded: [(UInt64, UInt64)] = []
    histogram.forEachRecorded { recorded.append(($0, $1)) }
    json.member(timing.memberName) { json in
      json.member("count", histogram.totalCount)
      json.pairs("nanosecondsAndCounts", recorded)
    }
  }

  private static func write(_ work: LoadMeasurement.UpstreamWork, into json: inout JSONBuilder) {
    json.member("requests", work.requests)
    json.member("computed", work.computed)
    json.member("cancelled", work.cancelled)
    json.member("fenced", work.fenced)
    json.member("busyNanoseconds", work.busyNanoseconds)
  }

  private static func write(_ interval: LoadInterval, into json: inout JSONBuilder) {
    json.member("startNanoseconds", interval.startNanoseconds)
    json.member("lengthNanoseconds", interval.lengthNanoseconds)
    json.member("intended", interval.intended)
    json.member("sent", interval.sent)
    json.member("results", interval.results)
    json.member("superseded", interval.superseded)
    json.member("cancelled", interval.cancelled)
    json.member("errors", interval.errors)
    json.member("stale", interval.stale)
    json.member("open", interval.open)
    json.member("p50Nanoseconds", interval.p50Nanoseconds)
    json.member("p99Nanoseconds", interval.p99Nanoseconds)
    json.member("maxNanoseconds", interval.maxNanoseconds)
    json.member("lagNanoseconds", interval.lagNanoseconds)
  }

  private static func writeChecks(_ measurement: LoadMeasurement, into json: inout JSONBuilder) {
    json.member("violationCount", measurement.violationCount)
    json.array("violations", measurement.violations) { json, violation in
      json.member("connection", violation.connection)
      json.member("description", violation.description)
      json.array("trace", violation.trace)
    }
    if let failure = measurement.failure { json.member("failure", failure) }
  }
}

extension LoadTiming {
  /// What its histogram is called in a file.
  var memberName: StaticString {
    switch self {
    case .latency: "latency"
    case .service: "service"
    case .firstPiece: "firstPiece"
    case .pieceGap: "pieceGap"
    case .supersededAfter: "supersededAfter"
    case .staleness: "staleness"
    case .cancel: "cancel"
    case .lag: "lag"
    }
  }
}
