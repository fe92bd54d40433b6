import Configuration
import Testing

/// Files that are no TOML, or no text.
@Suite struct SyntaxTests {
  @Test(arguments: [
    (
      "drainMs = 1\ndrainMs = 2",
      "2:1: error: 'drainMs' is given a second time; the first is at lw.toml:1"
    ),
    ("[log", "1:5: error: ']' must end the header, not the end of the file"),
    ("[log]\nlevel = info", "2:9: error: 'info' is no value; a string stands in quotes"),
  ])
  func `what is no TOML is said with its place`(text: String, complaint: String) {
    #expect(complaints(text) == ["lw.toml:\(complaint)"])
  }

  @Test(arguments: [
    "[#", "[=", "[.a]", "[[[upstream]]", "[[upstream]]\nenvironment = [}", "= 1", "a", "a = ", "a = [1",
    "a = {", "a = \"", "[[x]", "a = 'b", "\u{1}", "a = 1 b = 2",
  ])
  func `what is no TOML is one error with a place`(text: String) throws {
    let found = complaints(text)
    #expect(found.count == 1)
    #expect(try #require(found.first).wholeMatch(of: /lw\.toml:\d+:\d+: error: .+/) != nil)
  }

  @Test func `bytes that are no text are refused where they stand`() {
    #expect(complaints(Array("[log]\n# é".utf8) + [0xff]) == ["lw.toml:2:4: error: not UTF-8"])
    #expect(complaints(Array("drainMs = 1\n\0".utf8)) == ["lw.toml:2:1: error: a NUL byte"])
    #expect(
      complaints("[[upstream]]\nname = 'a'\naddress = \"unix:/a\\u0000b\"")
        == ["lw.toml:3:19: error: a string must not contain NUL"])
  }

  @Test func `a file of the largest size is read, and one byte more refused`() {
    let limit = FileConfiguration.limitBytes
    let text = "drainMs = 1 #"
    #expect(complaints(text + String(repeating: "x", count: limit - text.utf8.count)).isEmpty)
    #expect(
      complaints(text + String(repeating: "x", count: limit - text.utf8.count + 1))
        == ["lw.toml:1:1: error: the file is larger than \(limit) bytes"])
  }

  @Test func `nothing at all is right, and a byte order mark no part of it`() throws {
    #expect(complaints("").isEmpty)
    #expect(complaints([0xef, 0xbb, 0xbf] + "drainMS = 1".utf8).first?.hasPrefix("lw.toml:1:1: ") == true)
  }

  @Test func `deep nesting is refused`() {
    let message = "error: nested more than 64 levels deep"
    #expect(complaints("a = " + String(repeating: "[", count: 100_000)) == ["lw.toml:1:69: \(message)"])
    #expect(complaints("a = " + String(repeating: "{a=", count: 100_000)) == ["lw.toml:1:195: \(message)"])
    let keys = String(repeating: "a.", count: 100_000)
    #expect(complaints(keys + "a = 1") == ["lw.toml:1:129: \(message)"])
    #expect(complaints("[" + keys + "a]") == ["lw.toml:1:130: \(message)"])
    #expect(
      complaints(String(repeating: "a.", count: 63) + "a = 1") == ["lw.toml:1:1: error: unknown key 'a'"])
  }
}
