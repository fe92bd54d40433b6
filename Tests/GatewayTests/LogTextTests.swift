import Testing

@testable import Gateway

/// What others said, as it is shown.
@Suite struct LogTextTests {
  @Test(arguments: [
    ("ready", "ready"), ("", ""), ("a\u{1b}[2J\r\n", #"a\u{1b}[2J\u{d}\u{a}"#),
    ("ü\u{85}\u{202e}", #"ü\u{85}\u{202e}"#),
  ])
  func `what controls is shown as what it is`(said: String, shown: String) {
    #expect(LogText.shown(said, limitBytes: shown.utf8.count) == shown)
  }

  @Test(arguments: [
    ("abc", 2, "ab…"), ("aü", 2, "a…"), ("a\u{1b}b", 6, "a…"), ("a\u{1b}b", 7, #"a\u{1b}…"#), ("abc", 0, "…"),
  ])
  func `of more than the limit whole characters are shown`(said: String, limitBytes: Int, shown: String) {
    #expect(LogText.shown(said, limitBytes: limitBytes) == shown)
  }
}
