/// Lines up the columns of a table: the first to the left, the others, which are numbers, to the right.
struct AlignedTable {
  private var rows: [[String]] = []
  private let hasWordsAtEnd: Bool

  /// - Parameter hasWordsAtEnd: whether the last column has words, not numbers.
  init(hasWordsAtEnd: Bool = false) { self.hasWordsAtEnd = hasWordsAtEnd }

  mutating func add(_ row: [String]) { rows.append(row) }

  var lines: [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in line(row, widths) }
  }

  private func line(_ row: [String], _ widths: [Int]) -> String {
    let cells = row.enumerated().map { column, cell in
      let isText = column == 0 || hasWordsAtEnd && column == widths.count - 1
      return isText ? cell.padded(to: widths[column]) : cell.leftPadded(to: widths[column])
    }
    return ("  " + cells.joined(separator: "   ")).trimmingEnd
  }
}

extension String {
  /// Without the spaces that fill up a line.
  var trimmingEnd: String {
    var end = self[...]
    while end.last == " " { end.removeLast() }
    return String(end)
  }
}
