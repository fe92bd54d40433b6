/// Searches a text that the index has pointed out: goes from occurrence to occurrence, and tells what a scan
/// would have told.
struct TextFinder {
  private let query: Query
  /// The query's first bytes, each eight times side by side, and which bit to set before comparing.
  private let patterns: (UInt64, UInt64, UInt64)
  private let foldings: (UInt64, UInt64, UInt64)

  /// - Parameter query: one of at least `Query.indexedBytes`.
  init(_ query: Query) {
    precondition(query.isIndexed)
    self.query = query
    let bytes = query.folded
    patterns = (UInt64(repeating: bytes[0]), UInt64(repeating: bytes[1]), UInt64(repeating: bytes[2]))
    foldings = (Self.folding(bytes[0]), Self.folding(bytes[1]), Self.folding(bytes[2]))
  }

  /// - Parameter text: a range of `bytes` that a line feed follows; `Corpus.slackByteCount` more end them.
  func read(_ text: Range<Int>, of bytes: [UInt8]) -> FileTally {
    var (tally, line) = (FileTally(), LineTally())
    var lineRange = text.lowerBound..<text.lowerBound
    var position = text.lowerBound
    while let match = next(from: position, below: text.upperBound, in: bytes) {
      if match >= lineRange.upperBound {
        tally.add(line, lengthBytes: lineRange.count)
        lineRange = bytes.line(around: match, in: text)
        line = LineTally()
        line.letters = lineRange.count { ByteClass(bytes[$0]).isLetter }
      }
      line.add(at: match, weight: weight(at: match, text.lowerBound, in: bytes))
      position = match + 1
    }
    tally.add(line, lengthBytes: lineRange.count)
    return tally
  }

  private func weight(at index: Int, _ start: Int, in bytes: [UInt8]) -> Int {
    let previous = index > start ? ByteClass(bytes[index - 1]) : .lineFeed
    return query.weight(at: index, previous, ByteClass(bytes[index]), in: bytes)
  }

  private func next(from start: Int, below end: Int, in bytes: [UInt8]) -> Int? {
    var index = start
    while index < end {
      let candidates = candidates(at: index, in: bytes)
      guard candidates != 0 else {
        index += 8
        continue
      }
      index += candidates.trailingZeroBitCount / 8
      guard index < end else { return nil }
      if query.stands(at: index, in: bytes) { return index }
      index += 1
    }
    return nil
  }

  /// Looks at eight places at once. The lowest bit that is set tells a place where the query's first three
  /// bytes stand; those above it may be wrong.
  private func candidates(at index: Int, in bytes: [UInt8]) -> UInt64 {
    // Bytes have no padding, and the raw span does not outlive this call.
    let raw = unsafe bytes.span.bytes
    let first = raw.littleEndian(at: index) | foldings.0
    let second = raw.littleEndian(at: index + 1) | foldings.1
    let third = raw.littleEndian(at: index + 2) | foldings.2
    let differences = (first ^ patterns.0) | (second ^ patterns.1) | (third ^ patterns.2)
    return (differences &- 0x0101_0101_0101_0101) & ~differences & 0x8080_8080_8080_8080
  }

  /// Only letters have two cases; in anything else that bit must be compared.
  private static func folding(_ byte: UInt8) -> UInt64 {
    ByteClass(byte).isLetter ? UInt64(repeating: 0x20) : 0
  }
}

extension UInt64 {
  fileprivate init(repeating byte: UInt8) { self = UInt64(byte) * 0x0101_0101_0101_0101 }
}

extension RawSpan {
  @inline(__always)
  fileprivate func littleEndian(at index: Int) -> UInt64 {
    // Checked by the span; every bit pattern is an integer.
    unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }
}

extension [UInt8] {
  /// The line that holds `index`, without its line feed.
  func line(around index: Int, in text: Range<Int>) -> Range<Int> {
    let start = self[text.lowerBound..<index].lastIndex(of: .lineFeed).map { $0 + 1 } ?? text.lowerBound
    let end = self[index..<text.upperBound].firstIndex(of: .lineFeed) ?? text.upperBound
    return start..<end
  }
}
