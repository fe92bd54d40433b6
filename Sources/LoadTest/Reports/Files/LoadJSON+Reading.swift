import Histogram

extension LoadJSON {
  /// - Parameter file: what errors call the text.
  package static func read(_ bytes: [UInt8], file: String) throws(LoadFileError) -> LoadMeasurement {
    let report = try ReportValue(bytes, file: file).object()
    try checkVersion(report)
    var measurement = LoadMeasurement()
    try readSetup(report, into: &measurement)
    try readCounts(report, into: &measurement)
    let histograms = try report.value("histograms").object()
    for timing in LoadTiming.allCases {
      if timing.isOptional, try histograms.optional(timing.memberName) == nil { continue }
      try histograms.read(timing, into: &measurement)
    }
    measurement.upstream = try report.optional("upstream").map(work)
    measurement.direct = try report.optional("direct").map(work)
    measurement.directStale = try report.optional("directStale")?.number()
    for object in try report.objects("intervals", upTo: ReportBounds.intervals) {
      let interval = try object.interval()
      let isLater = measurement.intervals.last.map { $0.startNanoseconds < interval.startNanoseconds } ?? true
      guard isLater else { throw object.error("does not begin after the interval before it") }
      measurement.intervals.append(interval)
    }
    try readChecks(report, into: &measurement)
    try check(measurement, report)
    return measurement
  }

  private static func checkVersion(_ report: ReportObject) throws(LoadFileError) {
    guard let schema = try report.optional("schema"), try schema.text() == Self.schema else {
      throw report.error("not a report of lastword load: \"schema\" is not \"\(Self.schema)\"")
    }
    let version = try report.value("version")
    guard try version.number() == Self.version else {
      throw version.error("this program reads version \(Self.version)")
    }
  }

  private static func readSetup(
    _ report: ReportObject, into measurement: inout LoadMeasurement
  ) throws(LoadFileError) {
    for setting in try report.objects("settings", upTo: ReportBounds.settings) {
      measurement.settings.append(.init(try setting.text("name"), try setting.text("value")))
    }
    let seed = try report.value("seed")
    guard let number = UInt64(try seed.text()) else {
      throw seed.error("expected a number of 64 bits in a string")
    }
    measurement.seed = number
    measurement.startedSeconds = try report.value("startedSeconds").number(upTo: ReportBounds.startedSeconds)
    measurement.elapsedNanoseconds = try report.nanoseconds("elapsedNanoseconds")
  }

  private static func readCounts(
    _ report: ReportObject, into measurement: inout LoadMeasurement
  ) throws(LoadFileError) {
    measurement.intended = try report.count("intended")
    measurement.sent = try report.count("sent")
    measurement.unsent = try report.count("unsent")
    measurement.heldBack = try report.count("heldBack")
    measurement.results = try report.count("results")
    measurement.superseded = try report.count("superseded")
    measurement.cancelled = try report.count("cancelled")
    measurement.abandoned = try report.count("abandoned")
    if try report.optional("pieces") != nil { measurement.pieces = try report.count("pieces") }
    measurement.stale = try report.count("stale")
    for error in try report.objects("errors", upTo: ReportBounds.errorCodes) {
      let code = try error.value("code").integer()
      guard measurement.errors.updateValue(try error.count("count"), forKey: code) == nil else {
        throw error.error("the code \(code) is there twice")
      }
    }
  }

  private static func work(_ value: ReportValue) throws(LoadFileError) -> LoadMeasurement.UpstreamWork {
    let object = try value.object()
    var work = LoadMeasurement.UpstreamWork()
    work.requests = try object.count("requests")
    work.computed = try object.count("computed")
    work.cancelled = try object.count("cancelled")
    if try object.optional("fenced") != nil { work.fenced = try object.count("fenced") }
    work.busyNanoseconds = try object.nanoseconds("busyNanoseconds")
    return work
  }

  private static func readChecks(
    _ report: ReportObject, into measurement: inout LoadMeasurement
  ) throws(LoadFileError) {
    measurement.violationCount = try report.count("violationCount")
    for violation in try report.objects("violations", upTo: ReportBounds.violations) {
      measurement.violations.append(try violation.violation())
    }
    measurement.failure = try report.optional("failure")?.text()
  }

  /// A file in which these do not hold was cut, edited or made by something else.
  private static func check(_ measurement: LoadMeasurement, _ report: ReportObject) throws(LoadFileError) {
    guard max(measurement.latency.totalCount, measurement.service.totalCount) <= measurement.results else {
      throw report.error("the counts do not add up: more latencies than results")
    }
    guard measurement.supersededAfter.totalCount <= measurement.superseded else {
      throw report.error(
        "the counts do not add up: more times of superseded requests than superseded requests")
    }
    guard measurement.stale <= measurement.violationCount else {
      throw report.error("the counts do not add up: more stale results than violations")
    }
    guard UInt64(measurement.violations.count) <= measurement.violationCount else {
      throw report.error("the counts do not add up: more violations than their count")
    }
  }
}
