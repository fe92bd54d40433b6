/// Decides how many requests per second are sent, and when, however long their answers take.
package enum Schedule: Hashable, Sendable {
  case constant(perSecond: Double)
  /// Each rate for so long, the last one until the end.
  case step(perSecond: [Double], seconds: Double)
  /// The rate changes evenly from one to another in the course of the run.
  case linear(from: Double, to: Double)
  /// At random times, as from many independent senders.
  case poisson(perSecond: Double)

  package static let perSecondRange = 0.001...10_000_000.0
  package static let secondsRange = 0.001...86_400.0
  package static let stepLimit = 1_000
  /// The forms of a schedule on the command line.
  package static let forms =
    "RATE, constant:RATE, step:RATE,RATE,…@SECONDS, linear:RATE..RATE or poisson:RATE, in requests a second"

  package init?(parsing text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      guard let rate = Self.rate(text[...]) else { return nil }
      self = .constant(perSecond: rate)
      return
    }
    let schedule: Schedule? =
      switch parts[0] {
      case "constant": Self.rate(parts[1]).map { .constant(perSecond: $0) }
      case "poisson": Self.rate(parts[1]).map { .poisson(perSecond: $0) }
      case "linear": Self.linear(parts[1])
      case "step": Self.step(parts[1])
      default: nil
      }
    guard let schedule else { return nil }
    self = schedule
  }

  private static func rate(_ text: Substring) -> Double? {
    Double(text).flatMap { perSecondRange.contains($0) ? $0 : nil }
  }

  private static func linear(_ text: Substring) -> Schedule? {
    let ends = text.split(separator: "..", omittingEmptySubsequences: false).compactMap(rate)
    return ends.count == 2 ? .linear(from: ends[0], to: ends[1]) : nil
  }

  private static func step(_ text: Substring) -> Schedule? {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, let seconds = Double(parts[1]), secondsRange.contains(seconds) else { return nil }
    let words = parts[0].split(separator: ",", omittingEmptySubsequences: false)
    let rates = words.compactMap(rate)
    guard rates.count == words.count, (1...stepLimit).contains(rates.count) else { return nil }
    return .step(perSecond: rates, seconds: seconds)
  }

  /// The rate at the beginning, which the warm-up has, too.
  var firstPerSecond: Double {
    switch self {
    case .constant(let rate), .poisson(let rate), .linear(let rate, _): rate
    case .step(let rates, _): rates[0]
    }
  }
}

extension Schedule: CustomStringConvertible {
  package var description: String {
    switch self {
    case .constant(let rate): "constant:\(rate.shortest)"
    case .poisson(let rate): "poisson:\(rate.shortest)"
    case .linear(let from, let to): "linear:\(from.shortest)..\(to.shortest)"
    case .step(let rates, let seconds):
      "step:\(rates.map(\.shortest).joined(separator: ","))@\(seconds.shortest)"
    }
  }
}

extension Double {
  /// The number in decimal digits, without a fraction if it is whole.
  package var shortest: String { self == rounded() && magnitude < 1e15 ? "\(Int(self))" : "\(self)" }
}
