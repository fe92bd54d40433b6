/// What is searched for: bytes, ASCII letters in either case.
package struct Query: Hashable, Sendable {
  /// Longer ones are refused.
  package static let limitBytes = 128
  /// From here on the index narrows what has to be read.
  package static let indexedBytes = 3

  /// As it was asked.
  let text: [UInt8]
  let folded: [UInt8]

  /// Nil for a query that nothing can be asked with: empty, too long, or of several lines.
  package init?(_ text: [UInt8]) {
    guard (1...Self.limitBytes).contains(text.count), !text.contains(.lineFeed) else { return nil }
    self.text = text
    folded = text.map(\.folded)
  }

  package init?(_ text: String) { self.init(Array(text.utf8)) }

  var isIndexed: Bool { folded.count >= Self.indexedBytes }

  /// Whether the query stands at `index`. Every text ends in a line feed, which no query holds, so the
  /// comparison stops before the text does.
  func stands(at index: Int, in bytes: [UInt8]) -> Bool {
    for offset in folded.indices where bytes[index + offset].folded != folded[offset] { return false }
    return true
  }

  /// Whether the query, which stands at `index`, is followed by something that ends a word.
  func endsWord(at index: Int, in bytes: [UInt8]) -> Bool {
    !ByteClass(bytes[index + folded.count]).isWord
  }
}
