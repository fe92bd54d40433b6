import Glibc

/// Places numbers along one side of a plot, and decides where its ticks stand.
struct PlotAxis {
  struct Tick {
    var value: Double
    var label: String
  }

  /// How near to 100 % percentiles are shown.
  static let mostNines = 7.0

  private let low: Double
  private let high: Double
  private let isLogarithmic: Bool
  let ticks: [Tick]

  /// The part of the axis at which the number stands, from 0 to 1.
  func part(_ value: Double) -> Double {
    let part = isLogarithmic ? log10(max(value, low) / low) / log10(high / low) : (value - low) / (high - low)
    return min(1, max(0, part))
  }

  /// From zero to a round number that is no smaller than `highest`.
  static func linear(upTo highest: Double, ticks count: Double = 5, label: (Double) -> String) -> PlotAxis {
    let highest = highest > 0 && highest.isFinite ? highest : 1
    let step = round(highest / count, .up)
    let steps = max(1, Int((highest / step).rounded(.up)))
    let ticks = (0...steps).map { Tick(value: Double($0) * step, label: label(Double($0) * step)) }
    return PlotAxis(low: 0, high: Double(steps) * step, isLogarithmic: false, ticks: ticks)
  }

  /// From zero to exactly `highest`, for time that is over at the end.
  static func time(upTo seconds: Double) -> PlotAxis {
    let seconds = seconds > 0 ? seconds : 1
    let ticks = linear(upTo: seconds) { Quantity.tick($0) + " s" }.ticks.filter {
      $0.value <= seconds * 1.001
    }
    return PlotAxis(low: 0, high: seconds, isLogarithmic: false, ticks: ticks)
  }

  /// Nanoseconds, from one round number to another.
  static func logarithmic(_ values: [Double]) -> PlotAxis {
    let positive = values.filter { $0 > 0 }
    let low = round(positive.min() ?? 1_000, .down)
    let high = max(low * 10, round(positive.max() ?? 1_000_000, .up))
    let multiples: [Double] = high / low > 150 ? [1] : [1, 2, 5]
    let decades = sequence(first: decade(low, .down)) { $0 * 10 <= high * 1.001 ? $0 * 10 : nil }
    let values = decades.flatMap { decade in multiples.map { $0 * decade } }
    let ticks = values.filter { low * 0.999 <= $0 && $0 <= high * 1.001 }
    return PlotAxis(
      low: low, high: high, isLogarithmic: true,
      ticks: ticks.map { Tick(value: $0, label: Quantity.timeTick($0)) })
  }

  /// Percentiles by their distance from 100 %, as far as so many samples reach; a value is log10(1 / (1 - p)).
  static func percentiles(samples: UInt64) -> PlotAxis {
    let high = min(mostNines, max(2, log10(Double(max(1, samples)))))
    let labels = ["0", "90", "99", "99.9", "99.99", "99.999", "99.9999", "99.99999"]
    let ticks = labels.enumerated().map { Tick(value: Double($0), label: $1) }
    return PlotAxis(low: 0, high: high, isLogarithmic: false, ticks: ticks.filter { $0.value <= high })
  }

  private static func decade(_ value: Double, _ rule: FloatingPointRoundingRule) -> Double {
    pow(10, log10(value).rounded(rule))
  }

  /// The nearest of 1, 2, 5, 10, 20 … that is no larger or no smaller.
  private static func round(_ value: Double, _ rule: FloatingPointRoundingRule) -> Double {
    let unit = decade(value, .down)
    let steps = [1, 2, 5, 10].map { $0 * unit }
    return rule == .up
      ? steps.first { $0 >= value * 0.999 } ?? 10 * unit : steps.last { $0 <= value * 1.001 } ?? unit
  }
}

extension Quantity {
  /// A round number, as short as it can be.
  static func tick(_ value: Double) -> String {
    switch value {
    case 1e9...: tick(value / 1e9) + " G"
    case 1e6...: tick(value / 1e6) + " M"
    case 1e4...: tick(value / 1e3) + " k"
    default: value == value.rounded() ? decimal(value, places: 0) : withoutZeros(decimal(value, places: 3))
    }
  }

  static func timeTick(_ nanoseconds: Double) -> String {
    // Just above the round number that was meant, for powers of ten are not exact.
    switch nanoseconds * 1.000001 {
    case 1e9...: tick((nanoseconds / 1e9).rounded()) + " s"
    case 1e6...: tick((nanoseconds / 1e6).rounded()) + " ms"
    case 1e3...: tick((nanoseconds / 1e3).rounded()) + " µs"
    default: tick(nanoseconds.rounded()) + " ns"
    }
  }

  private static func withoutZeros(_ text: String) -> String {
    var text = text
    while text.last == "0" { text.removeLast() }
    return text
  }
}
