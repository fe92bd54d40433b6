import Testing

@testable import Demo

@Suite struct TextStyleTests {
  func style(isTerminal: Bool = true, _ environment: [String: String] = [:]) -> TextStyle {
    TextStyle(isTerminal: isTerminal) { environment[$0] }
  }

  @Test func `colours are for terminals whose user did not refuse them`() {
    #expect(style().hasColours)
    #expect(!style(isTerminal: false).hasColours)
    #expect(!style(["NO_COLOR": "1"]).hasColours)
    #expect(style(["NO_COLOR": ""]).hasColours)
    #expect(!style(["TERM": "dumb"]).hasColours)
  }

  @Test func `more than ASCII is for a locale that says so, the strongest setting first`() {
    #expect(!style().hasUnicode)
    #expect(style(["LANG": "C.UTF-8"]).hasUnicode)
    #expect(style(["LANG": "de_DE.utf8"]).hasUnicode)
    #expect(!style(["LANG": "C.UTF-8", "LC_ALL": "C"]).hasUnicode)
    #expect(style(["LANG": "C.UTF-8", "LC_ALL": ""]).hasUnicode)
  }

  @Test func `a text is cut at its end or, as it is typed, in front`() {
    #expect(TextStyle().fitted("abc", to: 5) == "abc  ")
    #expect(TextStyle().fitted("abcdef", to: 5) == "abcde")
    #expect(TextStyle().fittedTail("abcdef", to: 5) == "~cdef")
    #expect(TextStyle().fitted("é\n", to: 3) == "?? ")
  }
}
