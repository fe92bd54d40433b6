/// What the gateway saved upstream against the same schedule sent directly.
struct LoadSavings {
  let through: LoadMeasurement.UpstreamWork
  let direct: LoadMeasurement.UpstreamWork

  /// nil unless both were measured.
  init?(_ measurement: LoadMeasurement) {
    guard let through = measurement.upstream, let direct = measurement.direct else { return nil }
    self.through = through
    self.direct = direct
  }

  /// Below zero when more was computed than directly; nil when nothing was to be saved.
  var computedRatio: Double? { Self.ratio(through.computed, direct.computed) }
  var busyRatio: Double? { Self.ratio(through.busyNanoseconds, direct.busyNanoseconds) }

  var line: String {
    "\(difference(through.computed, direct.computed, Quantity.count)) of "
      + "\(Quantity.count(direct.computed)) computed (\(Self.text(computedRatio))), "
      + "\(difference(through.busyNanoseconds, direct.busyNanoseconds, Quantity.time)) of "
      + "\(Quantity.time(direct.busyNanoseconds)) busy (\(Self.text(busyRatio)))"
  }

  static func text(_ ratio: Double?) -> String { ratio.map(Quantity.percent) ?? Quantity.none }

  private static func ratio(_ through: UInt64, _ direct: UInt64) -> Double? {
    direct == 0 ? nil : 1 - Double(through) / Double(direct)
  }

  private func difference(_ through: UInt64, _ direct: UInt64, _ text: (UInt64) -> String) -> String {
    through <= direct ? text(direct - through) : "-" + text(through - direct)
  }
}

extension LoadMeasurement.UpstreamWork {
  var line: String {
    "\(Quantity.count(requests)) requests, \(Quantity.count(computed)) computed, "
      + "\(Quantity.count(cancelled)) cancelled, busy \(Quantity.time(busyNanoseconds)) (summed over requests)"
  }
}
