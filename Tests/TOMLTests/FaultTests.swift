import TOML
import Testing

/// What is wrong is said in a sentence, at its place.
@Suite struct FaultTests {
  @Test(arguments: [
    // Keys and lines.
    ("= 1", "1:1 a key must stand here, not '='"),
    ("a", "1:2 '=' must follow the key, not the end of the file"),
    ("a\nb", "1:2 '=' must follow the key, not the end of the line"),
    ("é = 1", "1:1 a key must stand here, not 'é'"),
    ("a b = 1", "1:3 '=' must follow the key, not 'b'"), ("a. = 1", "1:4 a key must stand here, not '='"),
    ("a = 1 b = 2", "1:7 the line must end here, not go on with 'b'"),
    ("a = 1\rb = 2", "1:6 the line must end here, not go on with '\\u{d}'"),
    ("\"\"\"a\"\"\" = 1", "1:3 '=' must follow the key, not '\"'"),
    // Values.
    ("a = ", "1:5 a value must stand here, not the end of the file"),
    ("a =\nb = 1", "1:4 a value must stand here, not the end of the line"),
    ("a = # b", "1:5 a value must stand here, not '#'"),
    ("a = info", "1:5 'info' is no value; a string stands in quotes"),
    ("a = True", "1:5 'True' is no value; did you mean 'true'?"),
    ("a = -007", "1:5 '-007' is no value: a number must not begin with 0"),
    ("a = 99999999999999999999", "1:5 '99999999999999999999' does not fit into 64 bits"),
    // Strings.
    ("a = \"b", "1:5 the string that begins here has no end in its line"),
    ("a = 'b\n'", "1:5 the string that begins here has no end in its line"),
    ("a = \"\"\"b\n\"\"", "1:5 the string that begins here has no end"),
    ("a = '''b\n''", "1:5 the string that begins here has no end"),
    ("a = \"b\u{1b}\"", "1:7 a string must not contain the control character '\\u{1b}'"),
    ("a = 'b\rc'", "1:7 a string must not contain the control character '\\u{d}'"),
    ("a = 1 # b\u{7f}", "1:10 a comment must not contain the control character '\\u{7f}'"),
    (
      #"a = "C:\dir""#,
      "1:8 a backslash must not stand before 'd' here; one that is meant is written twice"
    ),
    (#"a = "b\u12g4""#, "1:7 4 hexadecimal digits must follow"),
    (#"a = "\U12""#, "1:6 8 hexadecimal digits must follow"),
    (#"a = "\ud800""#, "1:6 U+d800 is no character"),
    (#"a = "\U00110000""#, "1:6 U+00110000 is no character"),
    (#"a = "\u0000""#, "1:6 a string must not contain NUL"),
    ("a = \"b\\\n\"", "1:7 nothing follows the backslash"),
    // Arrays and tables in a line.
    ("a = [", "1:5 the array that begins here has no end"),
    ("a = [1, #]\n", "1:5 the array that begins here has no end"),
    ("a = [}", "1:6 a value must stand here, not '}'"), ("a = [,]", "1:6 a value must stand here, not ','"),
    ("a = [1 2]", "1:8 ',' or ']' must follow the array's item, not '2'"),
    ("a = {", "1:5 the table that begins here has no end in its line"),
    ("a = { # b\n}", "1:5 the table that begins here has no end in its line"),
    ("a = {b = 1\n}", "1:5 the table that begins here has no end in its line"),
    ("a = {b = 1,}", "1:12 no ',' may stand before '}'"), ("a = {,}", "1:6 a key must stand here, not ','"),
    ("a = {b = 1 c = 2}", "1:12 ',' or '}' must follow the table's value, not 'c'"),
    // Headers.
    ("[a", "1:3 ']' must end the header, not the end of the file"),
    ("[]", "1:2 a key must stand here, not ']'"),
    ("[[a]", "1:5 ']]' must end the header, not the end of the file"),
    ("[[a] ]", "1:5 ']]' must end the header, not ' '"),
    ("[ [a]]", "1:3 a key must stand here, not '['"),
    ("[a] b = 1", "1:5 the line must end here, not go on with 'b'"),
    // Once the end of the process.
    ("[#", "1:2 a key must stand here, not '#'"), ("[=", "1:2 a key must stand here, not '='"),
    ("[.a]", "1:2 a key must stand here, not '.'"), ("[[[upstream]]", "1:3 a key must stand here, not '['"),
  ])
  func `what is no TOML`(text: String, message: String) { #expect(fault(text) == message) }

  @Test(arguments: [
    ("a = 1\na = 2", "2:1 'a' is given a second time; the first is at 1:1"),
    ("a.b = 1\na.b = 2", "2:3 'b' is given a second time; the first is at 1:3"),
    ("a = {b = 1, b = 2}", "1:13 'b' is given a second time; the first is at 1:6"),
    ("[a]\n[b]\n[a]", "3:2 'a' is given a second time; the first is at 1:2"),
    ("[[a]]\n[a]", "2:2 'a' is given a second time; the first is at 1:3"),
    ("[a]\n[[a]]", "2:3 'a' is given a second time; the first is at 1:2"),
    ("a.b = 1\n[a]", "2:2 'a' is given a second time; the first is at 1:1"),
    ("a.b = 1\na = 2", "2:1 'a' is given a second time; the first is at 1:1"),
    ("a = 1\n[a]", "2:2 'a' is given a second time; the first is at 1:1"),
    ("[a.b]\n[a]\nb = 1", "3:1 'b' is given a second time; the first is at 1:4"),
    ("a = []\n[[a]]", "2:3 'a' is given a second time; the first is at 1:1"),
    ("a = 1\na.b = 2", "2:1 nothing can be added here to 'a', which is an integer at 1:1"),
    ("a = 1\n[a.b]", "2:2 nothing can be added here to 'a', which is an integer at 1:1"),
    ("a = {}\na.b = 2", "2:1 nothing can be added here to 'a', which is a table in braces at 1:1"),
    ("a = {}\n[a.b]", "2:2 nothing can be added here to 'a', which is a table in braces at 1:1"),
    ("a = [{}]\n[a.b]", "2:2 nothing can be added here to 'a', which is an array in brackets at 1:1"),
    ("[a.b]\n[a]\nb.c = 1", "3:1 nothing can be added here to 'b', which is a table with a header at 1:4"),
    ("[[a.b]]\n[a]\nb.c = 1", "3:1 nothing can be added here to 'b', which is an array of tables at 1:5"),
    (
      "a = {b = {c = 1}, b.d = 2}", "1:19 nothing can be added here to 'b', which is a table in braces at 1:6"
    ),
  ])
  func `what is said twice`(text: String, message: String) { #expect(fault(text) == message) }

  @Test(arguments: [
    "[a.b]\n[a]\nc = 1", "a.b = 1\n[a.c]", "[a]\nb.c = 1\n[a.b.d]", "[[a]]\n[a.b]\n[[a]]\n[a.b]",
    "[a.b.c]\n[a]\nb.d = 1", "a.b = 1\n[[a.c]]", "[a]\n[a.b]\n[c]\n[a.d]",
  ])
  func `what is said in several parts`(text: String) { #expect(fault(text) == nil) }

  @Test func `bytes that are no text`() {
    func refusal(_ bytes: [UInt8]) -> String? {
      do throws(TOMLFault) {
        _ = try TOMLReader.read(bytes)
        return nil
      } catch {
        return "\(error.place.line):\(error.place.column) \(error.message)"
      }
    }
    #expect(refusal(Array("\n# é".utf8) + [0xff]) == "2:4 not UTF-8")
    #expect(refusal(Array("a = 1\n\0".utf8)) == "2:1 a NUL byte")
    #expect(refusal([0xef, 0xbb, 0xbf]) == nil)
  }
}
