/// Decides which files are the best, as they come in.
struct Ranking {
  static let places = 10

  struct Entry: Hashable {
    var file: Int
    var score: Int
    /// Where to begin showing the text; nil if just the path holds the query.
    var bestMatch: Int?
  }

  private(set) var matches = 0
  private(set) var files = 0
  private(set) var best: [Entry] = []

  /// - Parameter words: how many words the file's text has: a short text that holds the query as often as a
  ///   long one is more about it.
  mutating func add(_ file: Int, text: FileTally, words: Int, path: FileTally) {
    guard text.matches + path.matches > 0 else { return }
    files += 1
    matches += text.matches + path.matches
    let score = text.weight * 1000 / (words + 200) + path.weight * MatchWeight.pathFactor
    insert(Entry(file: file, score: score, bestMatch: text.matches > 0 ? text.bestMatch : nil))
  }

  private mutating func insert(_ entry: Entry) {
    // Of equals the one that came first stays ahead.
    let place = best.firstIndex { $0.score < entry.score } ?? best.count
    guard place < Self.places else { return }
    best.insert(entry, at: place)
    if best.count > Self.places { best.removeLast() }
  }
}
