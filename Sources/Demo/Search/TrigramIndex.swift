/// Knows which files hold which three bytes side by side, and so where a query may stand.
///
/// Bytes count by their class, of which there are 64: letters in either case are one, rare bytes share
/// theirs. So it may point out a file too many, never one too few.
struct TrigramIndex: Sendable {
  private static let trigrams = 1 << 18

  /// For each trigram where its files begin in `postings`; they end where the next one's begin.
  private let starts: [UInt32]
  /// Numbers of files, ascending within each trigram.
  private let postings: [UInt32]

  init(_ corpus: Corpus) {
    var collected = Collected()
    var seen = TrigramSet()
    for file in corpus.files {
      seen.insert(file.path, of: corpus.bytes)
      seen.insert(file.text, of: corpus.bytes)
      seen.empty(into: &collected.trigrams)
      collected.ends.append(collected.trigrams.count)
    }
    (starts, postings) = collected.sorted(trigramCount: Self.trigrams)
  }

  var postingCount: Int { postings.count }

  /// The files in which the query may stand, ascending.
  func candidates(_ query: Query) -> [UInt32] {
    let lists = Trigram.all(in: query.folded).map { postings[Int(starts[$0])..<Int(starts[$0 + 1])] }
    let shortestFirst = lists.sorted { $0.count < $1.count }
    return shortestFirst.dropFirst().reduce(Array(shortestFirst[0])) { Self.common($0, $1) }
  }

  private static func common(_ few: [UInt32], _ many: ArraySlice<UInt32>) -> [UInt32] {
    var position = many.startIndex
    return few.filter { file in
      while position < many.endIndex, many[position] < file { position += 1 }
      return position < many.endIndex && many[position] == file
    }
  }
}

/// Each file's trigrams, one file after the other, on the way to an index.
private struct Collected {
  var trigrams: [UInt32] = []
  var ends: [Int] = []

  /// Sorted by counting: the files of each trigram side by side.
  func sorted(trigramCount: Int) -> (starts: [UInt32], files: [UInt32]) {
    var starts = [UInt32](repeating: 0, count: trigramCount + 1)
    for trigram in trigrams { starts[Int(trigram) + 1] += 1 }
    for trigram in 0..<trigramCount { starts[trigram + 1] += starts[trigram] }
    var next = starts
    var files = [UInt32](repeating: 0, count: trigrams.count)
    var position = 0
    for (file, end) in ends.enumerated() {
      for trigram in trigrams[position..<end] {
        files[Int(next[Int(trigram)])] = UInt32(file)
        next[Int(trigram)] += 1
      }
      position = end
    }
    return (starts, files)
  }
}
