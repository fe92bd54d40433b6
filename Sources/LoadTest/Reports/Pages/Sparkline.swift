/// Draws a row of numbers as a row of blocks, the largest as the highest.
struct Sparkline {
  private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
  private static let letters: [Character] = ["_", ".", "-", "=", "+", "*", "#", "@"]

  private let levels: [Character]

  init(hasUnicode: Bool) { levels = hasUnicode ? Self.blocks : Self.letters }

  /// The last `columns` of the numbers.
  func text(_ numbers: [Double], columns: Int) -> String {
    let shown = numbers.suffix(max(0, columns))
    let highest = shown.max() ?? 0
    return String(shown.map { level($0, highest) })
  }

  private func level(_ number: Double, _ highest: Double) -> Character {
    guard number > 0, highest > 0, highest.isFinite else { return levels[0] }
    return levels[min(levels.count - 1, Int(number / highest * Double(levels.count)))]
  }
}
