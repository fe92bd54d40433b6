/// The matches of a search on one line, and how much that line is worth showing.
struct LineTally: Hashable {
  /// The letters on the line, up to where it was read.
  var letters = 0
  private(set) var matches = 0
  private(set) var weight = 0
  private(set) var firstMatch = 0

  mutating func add(at index: Int, weight: Int) {
    if matches == 0 { firstMatch = index }
    matches += 1
    self.weight += weight
  }

  /// Long lines hold much of everything, and tables and hex dumps are not what anybody looks for: what counts
  /// is how much was found for the line's length, and how much of the line is letters.
  func worth(lengthBytes: Int) -> Int {
    weight * 1000 / (lengthBytes + 40) * (letters * 16 / (lengthBytes + 1))
  }
}
