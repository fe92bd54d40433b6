/// Decides what is typed and when: real queries at a human's pace, the same for the same seed.
package struct Typist: Sendable {
  /// Queries of a programmer; `\u{8}` takes a letter back.
  package static let queries = [
    "readdir", "sx\u{8}ocket", "permission denied", "strli\u{8}\u{8}tol", "timeout", "include <std",
  ]
  /// From one letter to the next: some hundred words a minute, as who types for a living does.
  private static let letterMilliseconds = 70...140
  /// More before a word's first letter.
  private static let wordMilliseconds = 30...80
  /// More before a mistake is noticed.
  private static let noticeMilliseconds = 120...260
  /// From a query's last letter to the next one's first: looking at what was found.
  private static let readMilliseconds = 900...1300

  package let keystrokes: [Keystroke]

  package init(_ queries: [String] = Self.queries, seed: UInt64) {
    var typing = Typing(random: SeededRandom(seed: seed))
    for query in queries { typing.type(query) }
    keystrokes = typing.keystrokes
  }

  private struct Typing {
    var random: SeededRandom
    var keystrokes: [Keystroke] = []
    private var now = 0

    init(random: SeededRandom) { self.random = random }

    mutating func type(_ query: String) {
      if !keystrokes.isEmpty { wait(Typist.readMilliseconds) }
      var text = ""
      var previous: Character?
      for key in query {
        if let previous { wait(before: key, after: previous) }
        if key == "\u{8}" { _ = text.popLast() } else { text.append(key) }
        keystrokes.append(Keystroke(atMilliseconds: now, text: text, isFirst: previous == nil))
        previous = key
      }
    }

    private mutating func wait(before key: Character, after previous: Character) {
      wait(Typist.letterMilliseconds)
      if previous == " " { wait(Typist.wordMilliseconds) }
      if key == "\u{8}" && previous != "\u{8}" { wait(Typist.noticeMilliseconds) }
    }

    private mutating func wait(_ milliseconds: ClosedRange<Int>) {
      now += Int.random(in: milliseconds, using: &random)
    }
  }
}
