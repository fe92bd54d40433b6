/// The matches of a search in one text: how often, how well, and which line is the best to show.
struct FileTally: Hashable {
  private(set) var matches = 0
  private(set) var weight = 0
  /// Where the best line's first occurrence begins.
  private(set) var bestMatch = 0
  private var bestWorth = -1

  mutating func add(_ line: LineTally, lengthBytes: Int) {
    guard line.matches > 0 else { return }
    matches += line.matches
    weight += line.weight
    let worth = line.worth(lengthBytes: lengthBytes)
    guard worth > bestWorth else { return }
    bestWorth = worth
    bestMatch = line.firstMatch
  }
}
