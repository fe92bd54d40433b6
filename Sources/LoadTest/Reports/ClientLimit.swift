/// Decides whether the client, and not the server, limited a run.
struct ClientLimit {
  /// The share of latency's p99 from which on the client's own lag distorts the measurement.
  private static let lagShare = 0.1
  /// Below that a kernel's scheduling shows, not a client that is too slow.
  private static let lagNanoseconds: UInt64 = 100_000
  private static let unsentShare = 0.01
  private static let heldBackShare = 0.01

  /// The warning; nil when the client kept up.
  static func warning(_ measurement: LoadMeasurement) -> String? {
    heldBackWarning(measurement) ?? unsentWarning(measurement) ?? lagWarning(measurement)
  }

  private static func heldBackWarning(_ measurement: LoadMeasurement) -> String? {
    let share = Double(measurement.heldBack) / Double(max(1, measurement.intended))
    guard share >= heldBackShare else { return nil }
    return "\(Quantity.percent(share)) of what was due was held back while --max-open requests were open: "
      + "the answers set the pace, not the schedule. Ask for less, or allow more."
  }

  private static func unsentWarning(_ measurement: LoadMeasurement) -> String? {
    let share = Double(measurement.unsent) / Double(max(1, measurement.intended))
    guard share >= unsentShare else { return nil }
    return "This client could not send \(Quantity.percent(share)) of what was due: "
      + "its figures show the client's limit, not the server's. Ask for less, or use a faster machine."
  }

  private static func lagWarning(_ measurement: LoadMeasurement) -> String? {
    guard let lag = measurement.lag.nanoseconds(.p99), lag >= lagNanoseconds,
      let latency = measurement.latency.nanoseconds(.p99), Double(lag) >= Double(latency) * lagShare
    else { return nil }
    return "This client itself sent late, by \(Quantity.time(lag)) at p99: "
      + "latency shows that as well, not the server alone. Compare service, or ask for less."
  }
}
