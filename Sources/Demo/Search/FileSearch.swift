/// Finds the files of a corpus that a query is about, in slices short enough to be cancelled between them.
package struct FileSearch: Sendable {
  /// Bytes read between two looks at whether anybody still wants the result: about a millisecond's work, and
  /// some five when they end in the middle of the longest file.
  static let sliceBytes = 256 << 10
  /// How often a small corpus is read at most.
  static let roundLimit = 1000

  package let corpus: Corpus
  /// How often a search that the index cannot help reads the corpus: once, unless it stands for a larger one.
  package private(set) var rounds = 1
  let index: TrigramIndex
  private let words: [UInt32]

  package init(_ corpus: Corpus) {
    self.corpus = corpus
    index = TrigramIndex(corpus)
    words = corpus.files.map { corpus.wordCount(of: $0.text) }
  }

  /// The same files, read as often as it takes to read `bytes` of names and text, up to `roundLimit`.
  func reading(bytes: Int) -> FileSearch {
    var search = self
    let all = max(1, readByteCount)
    search.rounds = min(Self.roundLimit, max(1, (bytes + all - 1) / all))
    return search
  }

  /// What is read in one round.
  var readByteCount: Int { corpus.files.reduce(0) { $0 + $1.path.count + $1.text.count } }

  /// - Parameter isCancelled: asked between slices.
  /// - Parameter spent: told the processor time of each slice in nanoseconds.
  /// - Throws: `CancellationError` when `isCancelled` said so.
  package func search(
    _ query: Query, isCancelled: @Sendable () -> Bool = { Task.isCancelled },
    spent: @Sendable (UInt64) -> Void = { _ in }
  ) async throws -> SearchResult {
    let start = ContinuousClock.now
    var work = Work(query, in: self)
    while true {
      let clock = WorkClock()
      let isDone = work.readSlice(of: self)
      spent(clock.elapsedNanoseconds)
      guard !isDone else { break }
      guard !isCancelled() else { throw CancellationError() }
      await Task.yield()
    }
    var result = work.result(corpus)
    result.tookMilliseconds = (ContinuousClock.now - start).milliseconds
    return result
  }

  /// One search on its way through the corpus.
  private struct Work {
    let query: Query
    let scan: TextScan
    let finder: TextFinder?
    /// Nil: every file.
    let candidates: [UInt32]?
    var position = 0
    var ranking = Ranking()

    init(_ query: Query, in search: FileSearch) {
      self.query = query
      scan = TextScan(query)
      finder = query.isIndexed ? TextFinder(query) : nil
      candidates = query.isIndexed ? search.index.candidates(query) : nil
    }

    /// Whether that was the last slice.
    mutating func readSlice(of search: FileSearch) -> Bool {
      let files = search.corpus.files.count
      let end = candidates?.count ?? files * search.rounds
      var readBytes = 0
      while position < end, readBytes < FileSearch.sliceBytes {
        let number = candidates.map { Int($0[position]) } ?? position % files
        // Each round finds it all.
        if candidates == nil, number == 0 { ranking = Ranking() }
        let file = search.corpus.files[number]
        read(file, number, of: search)
        readBytes += file.path.count + file.text.count
        position += 1
      }
      return position == end
    }

    private mutating func read(_ file: CorpusFile, _ number: Int, of search: FileSearch) {
      let bytes = search.corpus.bytes
      let path = scan.read(file.path, of: bytes).tally
      if let finder {
        let text = finder.read(file.text, of: bytes)
        ranking.add(number, text: text, words: Int(search.words[number]), path: path)
      } else {
        let (text, words) = scan.read(file.text, of: bytes)
        ranking.add(number, text: text, words: words, path: path)
      }
    }

    func result(_ corpus: Corpus) -> SearchResult {
      SearchResult(
        query: query.text, files: ranking.files, matches: ranking.matches,
        top: ranking.best.map { corpus.hit($0) })
    }
  }
}

extension Corpus {
  fileprivate func hit(_ entry: Ranking.Entry) -> SearchResult.Hit {
    let file = files[entry.file]
    let path = Array(bytes[file.path])
    guard let match = entry.bestMatch else { return SearchResult.Hit(path: path, line: 0, text: []) }
    let line = 1 + bytes[file.text.lowerBound..<match].count { $0 == .lineFeed }
    return SearchResult.Hit(path: path, line: line, text: excerpt(around: match, in: file.text))
  }
}
