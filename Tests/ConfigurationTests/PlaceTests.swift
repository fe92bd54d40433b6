import Testing

@testable import Configuration

/// Where things stand in a text, whatever TOML allows them to be written as.
@Suite struct PlaceTests {
  private func place(of path: String, in text: String) throws -> String? {
    var scanner = PlaceScanner(Array(text.utf8))
    #expect(scanner.scan() == nil)
    let steps = path.split(separator: ".").map { step in
      Int(step).map { SourcePath.Step.index($0) } ?? .key(String(step))
    }
    return scanner.places[SourcePath(steps: steps)].map {
      "\($0.key.line):\($0.key.column) \($0.value.line):\($0.value.column)"
    }
  }

  @Test(arguments: [
    ("a = 1", "a", "1:1 1:5"), ("a=1", "a", "1:1 1:3"), ("\t a =\t'x' # c = 1\nb = 2", "b", "2:1 2:5"),
    ("\u{feff}a = 1", "a", "1:1 1:5"), ("a = 1\r\nb = 2\r\n", "b", "2:1 2:5"),
    // Keys.
    ("\"b c\" . 'd' = 1", "b c.d", "1:9 1:15"), ("a.b.c = 1", "a.b", "1:3 1:3"),
    ("\"\\u0061\\t\\\"\" = 1", "a\t\"", "1:1 1:16"), ("\"é\".x = 1", "é.x", "1:5 1:9"),
    ("1-2.3-4 = 1", "1-2.3-4", "1:5 1:11"), ("\"a#b=c\" = 1", "a#b=c", "1:1 1:11"),
    // Tables.
    ("[t]\na = 1", "t", "1:2 1:2"), ("[t]\na = 1", "t.a", "2:1 2:5"),
    ("[ t . u ]  # why\na = 1", "t.u", "1:7 1:7"), ("[t.u]\na = 1\n[t]\nb = 2", "t.b", "4:1 4:5"),
    ("[t.u]\n[t]\nb = 2", "t", "1:2 1:2"),
    // Arrays of tables.
    ("[[t]]\na = 1\n[[t]]\na = 2", "t.1.a", "4:1 4:5"), ("[[t]]\n[[t]]", "t.1", "2:3 2:3"),
    ("[[t]]\n[[t.u]]\n[[t.u]]\na = 1", "t.0.u.1.a", "4:1 4:5"),
    ("[[t]]\n[[t]]\n[t.u]\na = 1", "t.1.u.a", "4:1 4:5"),
    ("[[t]]\n[[t.u]]\n[[t]]\n[[t.u]]\na = 1", "t.1.u.0.a", "5:1 5:5"),
    // Inline.
    ("t = { a = 1, b.c = 'x' }", "t.b.c", "1:16 1:20"),
    ("t = [ { a = 1 }, { a = 2 } ]", "t.1.a", "1:20 1:24"),
    ("t = [\n 'a', # ]\n 'b' ,\n]", "t.1", "3:2 3:2"), ("t = [[1, 2], [3]]", "t.1.0", "1:15 1:15"),
    ("t = {}\nu = []\na = 1", "a", "3:1 3:5"),
    // Strings, and what follows them.
    ("s = \"a\\\"b\"\na = 1", "a", "2:1 2:5"), ("s = 'a\\'\na = 1", "a", "2:1 2:5"),
    ("s = ''\na = 1", "a", "2:1 2:5"), ("s = \"\"\"\n[x]\n\\\"\"\" b = 1\n\"\"\"\na = 1", "a", "5:1 5:5"),
    ("s = '''\nb = 1\n'''\na = 1", "a", "4:1 4:5"), ("s = \"\"\"\"q\"\"\"\"\"\na = 1", "a", "2:1 2:5"),
    ("s = \"\"\"a \\\n   b\"\"\"\na = 1", "a", "3:1 3:5"), ("s = \"# no\" # yes\na = 1", "a", "2:1 2:5"),
    ("d = 1979-05-27 07:32:00\na = 1", "a", "2:1 2:5"), ("s = 'äöü'; x = 1", "s", "1:1 1:5"),
  ])
  func `a key and its value are found`(text: String, path: String, places: String) throws {
    #expect(try place(of: path, in: text) == places)
  }

  @Test(arguments: [
    ExampleFile.text,
    "[[a]]\nb.c = [{d = 1}, {d = [2, {e = ''}]}]\n[a.f.\"g h\"]\n'i' = \"\"\"\nj = 1\n\"\"\"\n[[a]]",
  ])
  func `everything that TOMLKit finds has a place of its own`(text: String) throws {
    let root = try TOMLReader.read(Array(text.utf8), file: "lw.toml")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
    func check(_ entry: TOMLEntry) {
      switch entry.content {
      case .table(let members):
        for member in members {
          let place = member.entry.keyPlace
          let rest = String(lines[place.line - 1][(place.column - 1)...])
          #expect(rest.drop { "\"'".contains($0) }.hasPrefix(member.name))
          check(member.entry)
        }
      case .list(let entries): for entry in entries { check(entry) }
      default: #expect(entry.valuePlace >= entry.keyPlace)
      }
    }
    check(root)
  }

  @Test func `text that is no TOML does not stop the scanner`() {
    let bytes = Array("[a\"'b]={}=.#\\u\n".utf8)
    var state: UInt64 = 1
    func next() -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33)
    }
    for _ in 0..<2_000 {
      var scanner = PlaceScanner((0..<40).map { _ in bytes[next() % bytes.count] })
      _ = scanner.scan()
      #expect(scanner.fault != nil || scanner.offset == 40)
    }
  }
}
