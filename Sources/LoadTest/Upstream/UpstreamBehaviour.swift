/// How the bundled upstream treats its requests.
package enum UpstreamBehaviour: Hashable, Sendable {
  /// Answers at once.
  case echo
  /// Works for so long, and stops when it is told to.
  case slow(milliseconds: Double)
  /// Works for a time between these, so that a newer request overtakes an older one.
  case jitter(from: Double, to: Double)
  /// Works for so long, whether or not it is told to stop.
  case stubborn(milliseconds: Double)
  /// As `slow`, but told to stop it goes on, and its result comes another time that long after.
  case late(milliseconds: Double)
  /// Works for so long and answers twice.
  case twice(milliseconds: Double)
  /// Each request gets one of the above, drawn at random.
  case mix

  package static let millisecondsRange = 0...3_600_000.0
  private static let usualMilliseconds = 20.0
  private static let mixed: [UpstreamBehaviour] = [
    .echo, .jitter(from: 0, to: 20), .slow(milliseconds: 5), .stubborn(milliseconds: 10),
    .late(milliseconds: 10), .twice(milliseconds: 5),
  ]
  /// The forms of a behaviour on the command line.
  package static let forms = "echo, slow:MS, jitter:A..B, stubborn:MS, late:MS, twice:MS or mix"
  /// The name of each.
  package static let names = ["echo", "slow", "jitter", "stubborn", "late", "twice", "mix"]

  package init?(parsing text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let number = parts.count == 2 ? Self.milliseconds(parts[1]) : Self.usualMilliseconds
    switch (parts[0], number) {
    case ("echo", _) where parts.count == 1: self = .echo
    case ("mix", _) where parts.count == 1: self = .mix
    case ("jitter", _): self.init(jitter: parts.count == 2 ? parts[1] : "1..20")
    case ("slow", let number?): self = .slow(milliseconds: number)
    case ("stubborn", let number?): self = .stubborn(milliseconds: number)
    case ("late", let number?): self = .late(milliseconds: number)
    case ("twice", let number?): self = .twice(milliseconds: number)
    default: return nil
    }
  }

  private init?(jitter text: Substring) {
    let ends = text.split(separator: "..", omittingEmptySubsequences: false).compactMap(Self.milliseconds)
    guard ends.count == 2, ends[0] <= ends[1] else { return nil }
    self = .jitter(from: ends[0], to: ends[1])
  }

  private static func milliseconds(_ text: Substring) -> Double? {
    Double(text).flatMap { millisecondsRange.contains($0) ? $0 : nil }
  }

  /// Draws the treatment of the next request.
  func plan(_ random: inout LoadRandom) -> UpstreamPlan {
    switch self {
    case .echo: UpstreamPlan(milliseconds: 0)
    case .slow(let time): UpstreamPlan(milliseconds: time)
    case .jitter(let from, let to): UpstreamPlan(milliseconds: from + (to - from) * random.fraction())
    case .stubborn(let time): UpstreamPlan(milliseconds: time, onCancel: .ignore)
    case .late(let time): UpstreamPlan(milliseconds: time, onCancel: .goOn(milliseconds: time))
    case .twice(let time): UpstreamPlan(milliseconds: time, answersTwice: true)
    case .mix: Self.mixed[random.below(Self.mixed.count)].plan(&random)
    }
  }
}

/// How the bundled upstream treats one request.
struct UpstreamPlan: Hashable, Sendable {
  enum OnCancel: Hashable, Sendable {
    case stop
    case ignore
    /// It goes on for this time.
    case goOn(milliseconds: Double)
  }

  var milliseconds: Double
  var onCancel = OnCancel.stop
  var answersTwice = false
}

extension UpstreamBehaviour: CustomStringConvertible {
  package var description: String {
    switch self {
    case .echo: "echo"
    case .slow(let time): "slow:\(time.shortest)"
    case .jitter(let from, let to): "jitter:\(from.shortest)..\(to.shortest)"
    case .stubborn(let time): "stubborn:\(time.shortest)"
    case .late(let time): "late:\(time.shortest)"
    case .twice(let time): "twice:\(time.shortest)"
    case .mix: "mix"
    }
  }
}
