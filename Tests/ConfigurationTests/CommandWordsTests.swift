import Testing

@testable import Configuration

/// A command line becomes the words that a shell would make of it.
@Suite struct CommandWordsTests {
  @Test(arguments: [
    ("pylsp", ["pylsp"]), ("  a\tb \n c ", ["a", "b", "c"]), ("", []), (" \t", []),
    // Quotes.
    ("'a b' c", ["a b", "c"]), ("a'b c'd", ["ab cd"]), (#"'a\'"#, [#"a\"#]), (#"'"'"'""#, [#""'"#]),
    (#""a 'b'" c"#, ["a 'b'", "c"]), (#""a\"b\\c""#, [#"a"b\c"#]), (#""\a\n""#, [#"\a\n"#]),
    (#""\$HOME \`x\`""#, ["$HOME `x`"]), ("''", [""]), (#"a "" b"#, ["a", "", "b"]),
    ("\"a\\\nb\"", ["ab"]), ("'a\\\nb'", ["a\\\nb"]),
    // Backslashes.
    (#"a\ b"#, ["a b"]), (#"\'a\"b\\"#, [#"'a"b\"#]), ("a\\\nb", ["ab"]), ("\\\n", []),
    // Nothing is expanded.
    ("$HOME ~ * {a,b} `x` $(y)", ["$HOME", "~", "*", "{a,b}", "`x`", "$(y)"]),
    ("a|b > c & d; # e", ["a|b", ">", "c", "&", "d;", "#", "e"]), ("é 'ü ö'", ["é", "ü ö"]),
  ])
  func `words are split where a shell splits them`(text: String, words: [String]) throws {
    #expect(try CommandWords(parsing: text).words == words)
  }

  @Test(arguments: [("a 'b", "'"), ("a \"b\\\"", "\""), ("'", "'"), ("\"'", "\""), ("a '' \"", "\"")])
  func `a quote that is not closed is no command`(text: String, quote: Unicode.Scalar) {
    #expect {
      try CommandWords(parsing: text)
    } throws: { error in
      if case CommandWords.Fault.openQuote(quote) = error { true } else { false }
    }
  }

  @Test(arguments: ["a \\", "\"a\" \\\\\\"])
  func `nothing behind the last backslash is no command`(text: String) {
    #expect {
      try CommandWords(parsing: text)
    } throws: { error in
      if case CommandWords.Fault.nothingBehindBackslash = error { true } else { false }
    }
  }

  @Test func `what is shown of any words reads as the same`() throws {
    let letters = Array("aZ09 _-./'\"\\$\n\té*=".unicodeScalars)
    var state: UInt64 = 1
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<2_000 {
      let words = (0..<next(5)).map { _ in
        String(String.UnicodeScalarView((0..<next(6)).map { _ in letters[next(letters.count)] }))
      }
      #expect(try CommandWords(parsing: CommandWords(words).text).words == words)
    }
  }

  @Test(arguments: [
    "a\u{a0}b", "\u{3000}", "a\rb", "a\r\nb", "\r\n", "a\u{c}b", "a\u{b}b", "a\u{85}b",
    "a \u{a0} 'b\u{3000}'", " ",
    "'\u{a0} '",
  ])
  func `a blank that ends no word is shown as it is`(word: String) throws {
    let words = ["cat", word]
    #expect(try CommandWords(parsing: CommandWords(words).shownText).words == words)
  }

  @Test(arguments: [
    ("cat postgres://user:§@host/db", "cat postgres://…@host/db"),
    ("a --db=postgres://u:§@h:5432/b?sslmode=§", "a '--db=postgres://…@h:5432/b?…'"),
    ("a DATABASE_URL=postgres://u:§@h", "a DATABASE_URL=postgres://…@h"),
    ("a https://h/p?key=§#§", "a 'https://h/p?…'"), ("a redis://u:p/§@h", "a redis://…@h"),
    ("a u:§@tcp(h:1)/d", "a 'u:…@tcp(h:1)/d'"),
    ("a jdbc:s://h;user=u;password=§", "a 'jdbc:s://h;user=u;password=…'"),
    ("a -H 'Authorization: Bearer §'", "a -H Authorization:…"), ("a -H 'X-Own: §'", "a -H X-Own:…"),
    ("a '-HX-Own: §' b", "a -HX-Own:… b"), ("a '--header=X-Own: §'", "a --header=X-Own:…"),
    ("a --header X-Own:§ b", "a --header X-Own:… b"), ("a --extra-headers § b", "a --extra-headers … b"),
    ("a Authorization: Bearer § b", "a Authorization: … … b"),
    ("a Authorization:Bearer § b", "a Authorization:… … b"),
    ("a 'Authorization: Basic §'", "a 'Authorization: … …'"), ("a 'bearer §'", "a 'bearer …'"),
    ("a --cookie § --jwt § --bearer § --session § b", "a --cookie … --jwt … --bearer … --session … b"),
    ("a --token -§x b", "a --token … b"), ("a --no-auth --stdio", "a --no-auth --stdio"),
    ("a --env=API_KEY=§ -e SESSION=§", "a --env=API_KEY=… -e SESSION=…"),
    (#"a '{"api":1,"apiKey":"§"}'"#, #"a '{"api":1,"apiKey":…'"#),
    ("a -u me:§ --proxy-user=me:§", "a -u me:… --proxy-user=me:…"),
    ("sh -c 'TOKEN=§ exec a --password §'", "sh -c 'TOKEN=… exec a --password …'"),
    (#"sh -c "it's §""#, "sh -c …"), ("sh -c 'TOKEN=§\r\na'", "sh -c 'TOKEN=… a'"),
    ("a 'TOKEN=\u{a0}§' --token '§\u{a0}§'", "a TOKEN=… --token …"),
  ])
  func `what is likely to be secret in words is not shown`(text: String, shown: String) throws {
    let words = try CommandWords(parsing: text.replacing("§", with: "sk4f9d"))
    #expect(words.shownText == shown)
  }
}
