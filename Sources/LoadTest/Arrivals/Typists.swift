import Glibc

/// Decides when each of many people types a letter: letters come in bursts, with pauses for reading.
package struct Typists: Sendable {
  /// Half of the gaps between a burst's letters are shorter.
  package static let letterMilliseconds = 150.0
  /// How far the gaps spread, as the deviation of their logarithm.
  private static let spread = 0.35
  private static let shortestMilliseconds = 40.0
  private static let longestMilliseconds = 800.0
  private static let lettersPerBurst = 3...9
  private static let pauseMilliseconds = 900...2_500
  /// When people begin: not all at once.
  private static let firstMilliseconds = 0...3_000

  private struct Typist {
    var random: LoadRandom
    var lettersLeft: Int
  }

  private var typists: [Typist] = []
  private var keystrokes = TimeHeap()

  package init(count: Int, seed: UInt64) {
    for index in 0..<count {
      var random = LoadRandom(seed: seed, stream: Streams.typist(index))
      let first = random.within(Self.firstMilliseconds)
      let letters = random.within(Self.lettersPerBurst)
      typists.append(Typist(random: random, lettersLeft: letters))
      keystrokes.insert(index, at: UInt64(first) * 1_000_000)
    }
  }

  /// The next letter: its typist, and its time from the run's start.
  package mutating func next() -> (nanoseconds: UInt64, typist: Int) {
    guard let keystroke = keystrokes.first else { preconditionFailure("there is nobody who types") }
    let gap = gap(after: keystroke.number)
    keystrokes.moveFirst(to: keystroke.nanoseconds + UInt64(gap * 1e6))
    return (keystroke.nanoseconds, keystroke.number)
  }

  private mutating func gap(after index: Int) -> Double {
    typists[index].lettersLeft -= 1
    guard typists[index].lettersLeft == 0 else {
      let gap = Self.letterMilliseconds * exp(Self.spread * typists[index].random.normal())
      return min(max(gap, Self.shortestMilliseconds), Self.longestMilliseconds)
    }
    typists[index].lettersLeft = typists[index].random.within(Self.lettersPerBurst)
    return Double(typists[index].random.within(Self.pauseMilliseconds))
  }
}
