import Testing

@testable import Demo

/// What the index and the finder tell must be what reading everything tells.
@Suite struct IndexOracleTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `an indexed search finds what a scan finds`(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let corpus = Corpus.random(using: &random)
    let search = FileSearch(corpus)
    for _ in 0..<200 {
      let query = try #require(Query(corpus.randomQuery(using: &random)))
      let found = try await search.search(query)
      let read = search.scan(query)
      #expect(found.matches == read.matches)
      #expect(found.files == read.files)
      #expect(found.top.map(\.path) == read.best.map { Array(corpus.bytes[corpus.files[$0.file].path]) })
    }
  }

  @Test(arguments: [5, 6] as [UInt64])
  func `each text's tally is the same, read or found`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let corpus = Corpus.random(using: &random)
    for _ in 0..<200 {
      let query = try #require(Query(corpus.randomQuery(using: &random)))
      let (scan, finder) = (TextScan(query), TextFinder(query))
      for file in corpus.files {
        #expect(scan.read(file.text, of: corpus.bytes).tally == finder.read(file.text, of: corpus.bytes))
      }
    }
  }

  @Test func `words are counted alike by the scan and for the index`() throws {
    var random = SeededRandom(seed: 7)
    let corpus = Corpus.random(using: &random)
    let scan = TextScan(try #require(Query("x")))
    for file in corpus.files {
      #expect(scan.read(file.text, of: corpus.bytes).words == Int(corpus.wordCount(of: file.text)))
    }
  }
}

extension FileSearch {
  /// The same search, without the index.
  func scan(_ query: Query) -> Ranking {
    let scan = TextScan(query)
    var ranking = Ranking()
    for (number, file) in corpus.files.enumerated() {
      let (text, words) = scan.read(file.text, of: corpus.bytes)
      ranking.add(number, text: text, words: words, path: scan.read(file.path, of: corpus.bytes).tally)
    }
    return ranking
  }
}

extension Corpus {
  /// Few different bytes, so that queries match often; some of them rare, high, or a line feed.
  static func random(using random: inout SeededRandom) -> Corpus {
    let alphabet = Array("aAbBcC_1 .@`\n\n\u{e9}{[".utf8) + [0xff, 1]
    func bytes(upTo count: Int) -> [UInt8] {
      (0..<Int.random(in: 0...count, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
    }
    var corpus = Corpus()
    for number in 0..<40 {
      let name = bytes(upTo: 6).filter { $0 != 10 }
      corpus.append(path: name + Array("\(number)".utf8), content: bytes(upTo: 400), isCut: false)
    }
    return corpus
  }

  /// Three to eight bytes that stand somewhere, more often than not.
  func randomQuery(using random: inout SeededRandom) -> [UInt8] {
    while true {
      let start = Int.random(in: 0..<byteCount - 8, using: &random)
      let query = bytes[start..<start + Int.random(in: 3...8, using: &random)]
      if !query.contains(.lineFeed) { return Array(query) }
    }
  }
}
