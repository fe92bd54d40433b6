import TOML
import Testing

/// Where things stand in a text, whatever TOML allows them to be written as.
@Suite struct PlaceTests {
  private func places(of path: String, in text: String) throws -> String? {
    var entry = try TOMLReader.read(Array(text.utf8))
    for step in path.split(separator: ".") {
      let next: TOMLEntry? =
        switch entry.content {
        case .table(let members): members.first { $0.name == step }?.entry
        case .list(let items): Int(step).flatMap { items.indices.contains($0) ? items[$0] : nil }
        default: nil
        }
      entry = try #require(next, "\(step)")
    }
    let (key, value) = (entry.keyPlace, entry.valuePlace)
    return "\(key.line):\(key.column) \(value.line):\(value.column)"
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
    ("d = 1979-05-27 07:32:00\na = 1", "a", "2:1 2:5"), ("s = 'äöü'#; x = 1", "s", "1:1 1:5"),
  ])
  func `a key and its value are found`(text: String, path: String, places: String) throws {
    #expect(try self.places(of: path, in: text) == places)
  }
}
