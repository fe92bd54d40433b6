import Synchronization
import Testing

@testable import Demo

@Suite struct SearchTests {
  func search(_ files: KeyValuePairs<String, String>, for query: String) async throws -> SearchResult {
    try await FileSearch(Corpus(files)).search(try #require(Query(query)))
  }

  @Test(arguments: ["R", "re", "rea", "READ"])
  func `letters match in either case`(query: String) async throws {
    let result = try await search(["one": "Read\nread", "two": "write it down"], for: query)
    #expect(result.top.first == SearchResult.Hit(path: Array("one".utf8), line: 1, text: Array("Read".utf8)))
    #expect(result.matches == (query == "R" ? 3 : 2))
  }

  @Test(arguments: ["a", "ab", "abc"])
  func `occurrences that overlap or touch are all counted`(query: String) async throws {
    let result = try await search(["x": "abcabcabc"], for: query)
    #expect(result.matches == 3)
  }

  @Test func `a query may span words but not lines`() async throws {
    let result = try await search(["x": "one two\none\ntwo"], for: "one two")
    #expect(result.matches == 1)
    #expect(Query("one\ntwo") == nil)
  }

  @Test func `the end of one text and the beginning of the next are no match`() async throws {
    for query in ["ab", "abc"] {
      let result = try await search(["1": "xa", "2": "b", "3": "abd"], for: query)
      #expect(result.matches == (query == "ab" ? 1 : 0))
    }
  }

  @Test func `only letters have two cases`() async throws {
    #expect(try await search(["x": "@[` {@[`"], for: "@[`").matches == 2)
    #expect(try await search(["x": "`{@"], for: "@[`").matches == 0)
    #expect(try await search(["x": "\u{0}11 11"], for: "\u{11}\u{11} ").matches == 0)
  }

  @Test func `a word's start counts more than its inside, the whole word more, the path most`() async throws {
    let files: KeyValuePairs = [
      "inside": "tread", "part": "proofRead", "start": "reading", "whole": "read",
    ]
    let paths = try await search(files, for: "read").top.map { String(decoding: $0.path, as: UTF8.self) }
    #expect(paths == ["whole", "start", "part", "inside"])
    let named = try await search(["text": "read", "read.me": ""], for: "read").top
    #expect(named.first == SearchResult.Hit(path: Array("read.me".utf8), line: 0, text: []))
  }

  @Test func `the best line is shown, trimmed, with its number`() async throws {
    let text = "spread\n\n  \tread what is read \r\nread in a much longer line that says less about it\n"
    let hit = try #require(try await search(["x": text], for: "read").top.first)
    #expect(hit == SearchResult.Hit(path: Array("x".utf8), line: 3, text: Array("read what is read".utf8)))
  }

  @Test func `a long line is shown around the occurrence, in whole characters`() async throws {
    let text = String(repeating: "é", count: 300) + " needle " + String(repeating: "ü", count: 300)
    let hit = try #require(try await search(["x": text], for: "needle").top.first)
    let shown = try #require(String(validating: hit.text, as: UTF8.self))
    #expect(shown.contains("é needle ü"))
    #expect(hit.text.count <= Corpus.excerptBytes)
  }

  @Test func `no more than ten are shown, the first of equals first`() async throws {
    var corpus = Corpus()
    for number in 10..<40 {
      corpus.append(path: Array("\(number)".utf8), content: Array("same".utf8), isCut: false)
    }
    let result = try await FileSearch(corpus).search(try #require(Query("same")))
    #expect(result.files == 30)
    #expect(result.top.map { String(decoding: $0.path, as: UTF8.self) } == (10..<20).map { "\($0)" })
  }

  @Test func `a query is refused that is empty or too long`() {
    #expect(Query("") == nil)
    #expect(Query([UInt8](repeating: 97, count: Query.limitBytes)) != nil)
    #expect(Query([UInt8](repeating: 97, count: Query.limitBytes + 1)) == nil)
  }

  @Test(arguments: ["e", "the"])
  func `a search ends between two slices when it is cancelled`(query: String) async throws {
    var corpus = Corpus()
    let text = Array(repeatElement(Array("the quick brown fox\n".utf8), count: 8_000).joined())
    for number in 0..<20 { corpus.append(path: Array("\(number)".utf8), content: text, isCut: false) }
    let search = FileSearch(corpus)
    let looks = Atomic(0)
    await #expect(throws: CancellationError.self) {
      _ = try await search.search(
        try #require(Query(query)),
        isCancelled: { looks.add(1, ordering: .relaxed).newValue == 3 })
    }
    #expect(looks.load(ordering: .relaxed) == 3)
  }

  @Test func `what is read several times is found once, and takes so many times the work`() async throws {
    let corpus = Corpus(["1": "read it", "2": "write it down", "3": String(repeating: "it ", count: 100_000)])
    let once = FileSearch(corpus)
    let often = once.reading(bytes: 7 * once.readByteCount - 1)
    #expect(often.rounds == 7)
    for query in ["i", "it", "rea"] {
      let slices = Mutex((once: 0, often: 0))
      let asked = try #require(Query(query))
      var expected = try await once.search(asked, spent: { _ in slices.withLock { $0.once += 1 } })
      let result = try await often.search(asked, spent: { _ in slices.withLock { $0.often += 1 } })
      expected.tookMilliseconds = result.tookMilliseconds
      #expect(result == expected)
      #expect(slices.withLock { $0.once } == 1)
      // The index knows where to look, however often all would have to be read.
      #expect(slices.withLock { $0.often } == (query == "rea" ? 1 : 7))
    }
  }

  @Test(arguments: [(0, 1), (1, 1), (10, 1), (11, 2), (10_000, 1000), (10_001, 1000)])
  func `a corpus of ten bytes, its name among them, is read as often as it takes, to a bound`(
    bytes: Int, rounds: Int
  ) {
    #expect(FileSearch(Corpus(["1": "123456789"])).reading(bytes: bytes).rounds == rounds)
    #expect(FileSearch(Corpus([:])).reading(bytes: bytes).rounds == min(1000, max(1, bytes)))
  }
}
