import Testing

@testable import Demo

@Suite struct SearchAnswerTests {
  @Test func `it reads what a search wrote`() {
    var result = SearchResult(query: Array("re".utf8), files: 12, matches: 34)
    #expect(SearchAnswer(result: result.json()) == SearchAnswer(files: 12, matches: 34))
    result.top = [
      SearchResult.Hit(path: Array("a\"b.h".utf8), line: 5, text: Array("}],\"path\":\t\\".utf8)),
      SearchResult.Hit(path: Array("second".utf8), line: 1, text: Array("no".utf8)),
    ]
    #expect(
      SearchAnswer(result: result.json())
        == SearchAnswer(files: 12, matches: 34, best: "a\"b.h:5 }],\"path\":\t\\"))
    result.top = [SearchResult.Hit(path: Array("name".utf8), line: 0, text: [])]
    #expect(SearchAnswer(result: result.json())?.best == "name")
  }

  @Test(arguments: ["", "null", "[1]", "{}", #"{"files":1}"#, #"{"files":"1","matches":2}"#])
  func `something else is no answer`(json: String) {
    #expect(SearchAnswer(result: Array(json.utf8)) == nil)
  }
}
