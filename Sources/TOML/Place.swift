/// Where something stands in a text: line and column, both counted from 1, the column in Unicode scalars.
package struct Place: Hashable, Comparable, Sendable {
  package var line: Int
  package var column: Int

  package static let start = Place(line: 1, column: 1)

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (one: Place, other: Place) -> Bool {
    (one.line, one.column) < (other.line, other.column)
  }
}
