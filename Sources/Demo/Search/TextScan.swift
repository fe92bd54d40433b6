/// Searches without an index: reads a text from end to end, every word and every line of it.
struct TextScan {
  private let query: Query
  private let first: UInt8

  init(_ query: Query) {
    self.query = query
    first = query.folded[0]
  }

  /// - Parameter text: a range of `bytes` that a line feed follows.
  func read(_ text: Range<Int>, of bytes: [UInt8]) -> (tally: FileTally, words: Int) {
    var (tally, line, words) = (FileTally(), LineTally(), 0)
    var (previous, lineStart) = (ByteClass.lineFeed, text.lowerBound)
    for index in text.lowerBound...text.upperBound {
      let kind = ByteClass(bytes[index])
      if kind.isWord && !previous.isWord { words += 1 }
      if kind.isLetter { line.letters += 1 }
      if bytes[index].folded == first, query.stands(at: index, in: bytes) {
        line.add(at: index, weight: query.weight(at: index, previous, kind, in: bytes))
      }
      if kind == .lineFeed {
        tally.add(line, lengthBytes: index - lineStart)
        (line, lineStart) = (LineTally(), index + 1)
      }
      previous = kind
    }
    return (tally, words)
  }
}
