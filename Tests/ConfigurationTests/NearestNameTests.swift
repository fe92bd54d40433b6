import Testing

@testable import Configuration

@Suite struct NearestNameTests {
  private let names = ["messageBytes", "tasks", "key", "eof", "timeoutMs"]

  @Test(arguments: [
    ("mesageBytes", "messageBytes"), ("tsaks", "tasks"), ("task", "tasks"), ("kex", "key"), ("eol", "eof"),
    ("message", "messageBytes"), ("timeoutMsec", "timeoutMs"), ("keys", "key"),
  ])
  func `a mistyped name is recognised`(word: String, name: String) {
    #expect(NearestName.suggestion(for: word, among: names) == name)
  }

  @Test(arguments: ["k", "", "xyz", "wibble", String(repeating: "tasks", count: 100)])
  func `what is like nothing is left alone`(word: String) {
    #expect(NearestName.suggestion(for: word, among: names) == nil)
  }
}
