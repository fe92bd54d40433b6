/// Gives the times of a schedule, one after the other, from the run's start.
package struct ScheduleClock: Sendable {
  /// A part of the schedule in which the rate changes evenly.
  private struct Segment {
    var seconds: Double
    var from: Double
    var to: Double

    var arrivals: Double { (from + to) / 2 * seconds }

    /// The seconds from the segment's start until so many arrivals have come.
    func seconds(for arrivals: Double) -> Double {
      guard from != to else { return arrivals / from }
      let slope = (to - from) / seconds
      // The stable form of the quadratic's root; below 0 only where rounding leaves the segment.
      return 2 * arrivals / (from + max(0, from * from + 2 * slope * arrivals).squareRoot())
    }
  }

  private let segments: [Segment]
  private let isRandom: Bool
  private var random: LoadRandom
  private var index = 0
  /// The time at which the segment begins.
  private var startSeconds = 0.0
  private var startArrivals = 0.0
  /// How many arrivals of the segment come before the next one.
  private var arrivals = 0.0

  /// - Parameters:
  ///   - warmUpSeconds: comes before the schedule, at its first rate.
  ///   - seconds: how long the schedule itself takes.
  package init(_ schedule: Schedule, warmUpSeconds: Double, seconds: Double, seed: UInt64) {
    segments = Self.segments(schedule, warmUpSeconds: warmUpSeconds, seconds: seconds)
    random = LoadRandom(seed: seed, stream: Streams.times)
    if case .poisson = schedule { isRandom = true } else { isRandom = false }
    if isRandom { arrivals = random.exponential() }
  }

  private static func segments(_ schedule: Schedule, warmUpSeconds: Double, seconds: Double) -> [Segment] {
    let first = schedule.firstPerSecond
    var segments = warmUpSeconds > 0 ? [Segment(seconds: warmUpSeconds, from: first, to: first)] : []
    var last = first
    switch schedule {
    case .constant, .poisson: break
    case .linear(let from, let to):
      segments.append(Segment(seconds: seconds, from: from, to: to))
      last = to
    case .step(let rates, let length):
      segments += rates.map { Segment(seconds: length, from: $0, to: $0) }
      last = rates[rates.count - 1]
    }
    return segments + [Segment(seconds: .infinity, from: last, to: last)]
  }

  /// The nanoseconds from the run's start to the next arrival.
  package mutating func next() -> UInt64 {
    while arrivals >= startArrivals + segments[index].arrivals {
      startArrivals += segments[index].arrivals
      startSeconds += segments[index].seconds
      index += 1
    }
    let seconds = startSeconds + segments[index].seconds(for: arrivals - startArrivals)
    arrivals += isRandom ? random.exponential() : 1
    return UInt64((seconds * 1e9).rounded())
  }
}
