/// What a failure rule can be about.
enum RuleMetric: Hashable, Sendable {
  case time(LoadTiming, percent: Double)
  case count(Count)
  /// Replies per second.
  case rate

  enum Count: String, CaseIterable, Sendable {
    case results, superseded, cancelled, errors, stale, unsent, violations
  }

  /// The histograms that can be named, in front of a dot, and the words for them.
  private static let timings: [(word: String, timing: LoadTiming)] = [
    ("latency", .latency), ("service", .service), ("superseded", .supersededAfter),
    ("firstPiece", .firstPiece), ("pieceGap", .pieceGap),
    ("staleness", .staleness), ("cancel", .cancel), ("lag", .lag),
  ]

  static let allowed =
    Count.allCases.map(\.rawValue).joined(separator: ", ")
    + ", rate, max, or a percentile such as p99 or p99.9; "
    + "these two are of latency, or, with one of these words and a dot before, of "
    + timings.dropFirst().map(\.word).joined(separator: ", ")

  /// nil for what is none of them.
  init?(_ text: String) {
    if text == "rate" {
      self = .rate
    } else if let count = Count(rawValue: text) {
      self = .count(count)
    } else {
      self.init(time: text)
    }
  }

  private init?(time text: String) {
    var rest = text[...]
    var timing = LoadTiming.latency
    for known in Self.timings where text.hasPrefix(known.word + ".") {
      timing = known.timing
      rest = text.dropFirst(known.word.count + 1)
    }
    guard let percent = Self.percent(rest) else { return nil }
    self = .time(timing, percent: percent)
  }

  private static func percent(_ text: Substring) -> Double? {
    if text == "max" { return 100 }
    guard text.first == "p", let percent = RuleScanner.number(text.dropFirst()) else { return nil }
    return percent <= 100 ? percent : nil
  }

  /// The units in which its bound may be given, the usual one first.
  var units: [RuleBound.Unit] {
    switch self {
    case .time: [.milliseconds, .nanoseconds, .microseconds, .seconds]
    case .count(.violations), .rate: [.none]
    case .count: [.none, .percent]
    }
  }

  /// In nanoseconds, requests, requests per second or as a ratio; nil when nothing was measured.
  func value(of measurement: LoadMeasurement, asShare: Bool) -> Double? {
    switch self {
    case .time(let timing, let percent):
      return timing.nanoseconds(Percentile(percent: percent, name: ""), of: measurement).map { Double($0) }
    case .rate:
      return measurement.perSecond
    case .count(let count):
      guard asShare else { return Double(count.value(of: measurement)) }
      let whole = count.whole(of: measurement)
      return whole == 0 ? nil : Double(count.value(of: measurement)) / Double(whole)
    }
  }

  func text(_ value: Double, asShare: Bool) -> String {
    switch self {
    case .time: Quantity.time(UInt64(value))
    case .rate: Quantity.rate(value)
    case .count: asShare ? Quantity.percent(value) : Quantity.count(UInt64(value))
    }
  }
}

extension RuleMetric.Count {
  fileprivate func value(of measurement: LoadMeasurement) -> UInt64 {
    switch self {
    case .results: measurement.results
    case .superseded: measurement.superseded
    case .cancelled: measurement.cancelled
    case .errors: measurement.errorCount
    case .stale: measurement.stale
    case .unsent: measurement.unsent
    case .violations: measurement.violationCount
    }
  }

  /// Of what it is a share.
  fileprivate func whole(of measurement: LoadMeasurement) -> UInt64 {
    self == .unsent ? measurement.intended : measurement.replies
  }
}
