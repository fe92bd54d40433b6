import Testing

@testable import Demo

@Suite struct SearchResultTests {
  @Test func `a result is written with its members in order`() {
    let result = SearchResult(
      query: Array("re".utf8), files: 2, matches: 3, tookMilliseconds: 4,
      top: [
        SearchResult.Hit(path: Array("a/b".utf8), line: 5, text: Array("read".utf8)),
        SearchResult.Hit(path: Array("re".utf8), line: 0, text: []),
      ])
    #expect(
      String(decoding: result.json(), as: UTF8.self)
        == #"{"query":"re","files":2,"matches":3,"tookMs":4,"top":["#
        + #"{"path":"a/b","line":5,"text":"read"},{"path":"re","line":0,"text":""}]}"#)
  }

  @Test func `what JSON cannot hold is escaped or replaced`() {
    let result = SearchResult(query: Array("\"\\\u{1}\u{1f}\t/é".utf8) + [0xff, 0xc3])
    #expect(
      String(decoding: result.json(), as: UTF8.self).hasPrefix(
        #"{"query":"\"\\\u0001\u001f\u0009/é"# + "\u{fffd}\u{fffd}\","))
  }
}
