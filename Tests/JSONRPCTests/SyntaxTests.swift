import JSONRPC
import Testing

@Suite struct SyntaxTests {
  /// A request whose params hold `value`.
  private func request(_ value: [UInt8]) -> [UInt8] {
    Array(#"{"jsonrpc":"2.0","id":1,"method":"m","params":["#.utf8) + value + Array("]}".utf8)
  }

  private func accepts(_ value: [UInt8]) -> Bool { Scan(request(value)).outcome == .message }

  private func accepts(_ value: String) -> Bool { accepts(Array(value.utf8)) }

  @Test(arguments: [
    "", " ", "{", "}", "[", "[1,]", #"{"a":1,}"#, "NaN", "Infinity", "01", "-", "+1", "1.", ".5", "1e", "1e+",
    "-01", "0x10", "1 2", "tru", "truex", "nul", "falsE", #""abc"#, "'a'", #"{"a"}"#, #"{"a":}"#, #"{a:1}"#,
    #"{"a":1 "b":2}"#, "[1 2]", "[,1]", "{,}", "[1}", #"{"a":1]"#, "// x", "\u{FEFF}{}", "{}{}", "{} x", "1,",
  ])
  func `what is no JSON is malformed`(text: String) {
    #expect(Scan(text).isMalformed)
  }

  @Test(arguments: [
    "0", "-0", "1.5", "1E+2", "1e-2", "0.0e0", "1e400", "123456789012345678901234567890", "true", "false",
    "null", "{}", "[]", "[[],{}]", #"{"a":{"b":[1,2]},"a":1}"#, " \t\r\n1 \n", #""""#,
    #""\"\\\/\b\f\n\r\t\u00e9\uD834\udd1e""#, #""\ud800""#, #""\udc00\ud800""#, "\"\u{7F}é€𝄞\"",
  ])
  func `what is JSON passes and is left as it stands`(value: String) {
    #expect(accepts(value))
    #expect(Scan(request(Array(value.utf8))).text(\.params) == "[\(value)]")
  }

  @Test func `every control character in a string is malformed`() {
    for byte in UInt8(0)..<0x20 { #expect(!accepts([0x22, byte, 0x22])) }
    for byte in UInt8(0x20)..<0x80 where byte != 0x22 && byte != 0x5C {
      #expect(accepts([0x22, byte, 0x22]))
    }
  }

  @Test func `only eight letters may follow a backslash, and u with its digits`() {
    let letters = Set(#""\/bfnrt"#.utf8)
    for byte in UInt8.min...UInt8.max {
      #expect(accepts([0x22, 0x5C, byte, 0x22]) == letters.contains(byte))
    }
  }

  @Test func `a unicode escape has four hexadecimal digits`() {
    #expect(accepts(#""\u09aF""#))
    for text in [#""\u""#, #""\u1""#, #""\u12""#, #""\u123""#, #""\u123g""#, #""\U1234""#, #""\u 123""#] {
      #expect(!accepts(text))
    }
  }

  @Test(arguments: [
    [0x80], [0xBF], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
    [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
    [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xC2], [0xC2, 0x41], [0xE2, 0x82], [0xE2, 0x82, 0x41],
    [0xF0, 0x9D, 0x84], [0xF0, 0x9D, 0x84, 0x41], [0xF0, 0x41, 0x84, 0x9E],
  ])
  func `invalid UTF-8 is malformed wherever it stands`(bytes: [UInt8]) {
    for padding in 0..<10 {
      let before = [UInt8](repeating: 0x61, count: padding)
      #expect(!accepts([0x22] + before + bytes + [0x22]))
      #expect(!accepts([0x22] + bytes + before + [0x22]))
    }
    #expect(!accepts(bytes))
    #expect(Scan([0x22] + bytes).isMalformed)
  }

  @Test func `every scalar of Unicode passes in a string`() {
    let planeSize: UInt32 = 0x10000
    for plane in UInt32(0)...16 {
      let scalars = (plane * planeSize..<(plane + 1) * planeSize).compactMap(Unicode.Scalar.init)
      let beyondASCII = scalars.filter { !$0.isASCII }
      #expect(accepts([0x22] + beyondASCII.flatMap { Array(UTF8.encode($0)!) } + [0x22]))
    }
  }

  @Test func `a text in UTF-16 or with a NUL is malformed`() {
    let text = #"{"jsonrpc":"2.0","method":"m"}"#
    #expect(Scan(text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), 0] }).isMalformed)
    #expect(Scan(text.utf16.flatMap { [0, UInt8(truncatingIfNeeded: $0)] }).isMalformed)
    #expect(Scan(Array(text.utf8) + [0]).isMalformed)
    #expect(Scan([0] + Array(text.utf8)).isMalformed)
  }

  @Test func `a string of any length passes at any place`() {
    for length in 0..<40 {
      let string = "\"" + String(repeating: "x", count: length) + "\""
      for lead in 0..<9 { #expect(accepts(String(repeating: " ", count: lead) + string)) }
    }
  }

  @Test func `nesting is accepted up to 128`() {
    func nested(_ depth: Int, _ open: String, _ close: String) -> String {
      // The envelope and the params are two of them.
      let inner = String(repeating: open, count: depth - 2) + "1" + String(repeating: close, count: depth - 2)
      return #"{"jsonrpc":"2.0","method":"m","params":["# + inner + "]}"
    }
    #expect(Scan(nested(128, "[", "]")).outcome == .message)
    #expect(Scan(nested(129, "[", "]")).isMalformed)
    #expect(Scan(nested(128, #"{"a":"#, "}")).outcome == .message)
    #expect(Scan(nested(129, #"{"a":"#, "}")).isMalformed)
    #expect(Scan(nested(100_000, "[", "]")).isMalformed)
    #expect(Scan(nested(100_000, #"{"a":"#, "}")).isMalformed)
  }

  /// At the borders of what a word holds, too.
  @Test(arguments: [3, 61, 62, 127, 128, 129, 130, 255, 256, 257, 258, 5_000, 100_000])
  func `nesting is accepted up to the bound that is configured`(bound: Int) {
    let limits = ScanLimits(nestingLevels: bound)
    for depth in [bound, bound + 1] {
      // Objects and arrays by turns, closed in the right order or, at the innermost, in the wrong one.
      let levels = (0..<depth - 1).map { $0 % 3 == 0 }
      let opening = levels.map { $0 ? "[" : #"{"a":"# }.joined() + "1"
      let closing = levels.reversed().map { $0 ? "]" : "}" }.joined()
      let message = #"{"jsonrpc":"2.0","method":"m","params":"# + opening + closing + "}"
      #expect((Scan(message, limits).outcome == .message) == (depth == bound))
      let wrong = (closing.first == "]" ? "}" : "]") + closing.dropFirst()
      #expect(Scan(#"{"jsonrpc":"2.0","method":"m","params":"# + opening + wrong + "}", limits).isMalformed)
    }
  }

  @Test func `a batch counts towards nesting`() {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(Scan(nested(128)).outcome == .batch)
    #expect(Scan(nested(129)).isMalformed)
    #expect(Scan(String(repeating: "[", count: 100_000)).isMalformed)
  }

  @Test(arguments: [(#"{"a":tru}"#, 8), ("[1,]", 3), ("{", 1), (#""abc"#, 4), ("{} x", 3), ("[1e]", 3)])
  func `the offset tells where a text went wrong`(text: String, offset: Int) {
    #expect(Scan(text).malformedOffset == offset)
  }
}
