import TOML
import Testing

@testable import Configuration

/// Values as the environment and flags give them: as text.
@Suite struct FormTests {
  private func value(_ form: SettingForm, _ text: String) -> Result<SettingValue, Mistake> {
    Result { () throws(Mistake) in try form.value(of: text) }
  }

  private func mistake(_ form: SettingForm, _ text: String) -> String? {
    if case .failure(let mistake) = value(form, text) { mistake.message } else { nil }
  }

  @Test func `numbers, names, lists and yes or no are understood`() throws {
    #expect(try value(.integer(1...5, .none), "5").get() == .integer(5))
    #expect(try value(.boolean, "true").get() == .boolean(true))
    #expect(try value(.choice(["a", "b"]), "b").get() == .text("b"))
    #expect(try value(.choices(["a", "b", "c"]), "c,a").get() == .list(["c", "a"]))
    #expect(try value(.text("anything"), "x").get() == .text("x"))
    #expect(try value(.texts("anything", most: 2), "x,y").get() == .list(["x,y"]))
  }

  @Test func `anything else is refused`() {
    #expect(mistake(.integer(1...5, .bytes), "6") == "must be 1 to 5 bytes, not 6")
    #expect(mistake(.integer(1...5, .bytes), "0x5") == "must be an integer, not '0x5'")
    #expect(mistake(.boolean, "yes") == "must be true or false, not 'yes'")
    #expect(mistake(.choices(["a", "b"]), "") == "must not be empty")
    #expect(mistake(.choices(["a", "b"]), "a,a") == "names 'a' twice")
    #expect(mistake(.choices(["a", "b"]), "a,c") == "must be 'a' or 'b', not 'c'")
  }

  @Test(arguments: [
    (SettingValue.integer(5), "5"), (.integer(1_000), "1000"), (.integer(-65_536), "-65_536"),
    (.integer(1_234_567), "1_234_567"), (.boolean(false), "false"), (.text("a\"b\\c\n"), #""a\"b\\c\u000a""#),
    (.list(["a", "b"]), #"["a", "b"]"#),
  ])
  func `a value is written as TOML reads it`(value: SettingValue, text: String) throws {
    #expect(value.toml == text)
    let root = try TOMLReader.read(Array("x = \(text)".utf8))
    guard case .table(let members) = root.content, let member = members.first else {
      Issue.record("no table")
      return
    }
    switch (member.entry.content, value) {
    case (.integer(let one), .integer(let other)): #expect(one == other)
    case (.boolean(let one), .boolean(let other)): #expect(one == other)
    case (.text(let one), .text(let other)): #expect(one == other)
    case (.list(let items), .list(let other)): #expect(items.count == other.count)
    default: Issue.record("another type")
    }
  }

  @Test func `what others wrote cannot break a line or fill a screen`() {
    #expect(Quoted.text("a\u{1b}[2J\n\u{85}") == "'a\\u{1b}[2J\\u{a}\\u{85}'")
    #expect(Quoted.text(String(repeating: "x", count: 65)) == "'" + String(repeating: "x", count: 64) + "…'")
  }

  @Test func `methods that only look alike are two`() throws {
    let routes = "[[route]]\nmethod = \"\u{e9}\"\n[[route]]\nmethod = \"e\u{301}\""
    #expect(complaints(routes).isEmpty)
  }
}
