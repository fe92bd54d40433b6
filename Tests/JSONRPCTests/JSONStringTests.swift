import JSONRPC
import Testing

@Suite struct JSONStringTests {
  /// The content of a raw string; nil when it has a lone surrogate.
  private func unescaped(_ raw: String) -> [UInt8]? {
    let text = WireText(raw)
    var output = Array("kept ".utf8)
    let isWhole = JSONString.unescape(text.raw, in: text.bytes.span, into: &output)
    #expect(output.starts(with: "kept ".utf8))
    return isWhole ? Array(output.dropFirst(5)) : nil
  }

  @Test(arguments: [
    (#""""#, ""), (#""plain""#, "plain"), (#""é€𝄞""#, "é€𝄞"),
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
    (#""a\u0000b""#, "a\0b"), (#""\u007f\u0080\u07ff\u0800\uffff""#, "\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}"),
    (#""\ud800\udc00 \uDBFF\uDFFF""#, "\u{10000} \u{10FFFF}"), (#""x\uD834\uDD1Ey""#, "x𝄞y"),
    (#""\u00e9é""#, "éé"), (#""\\u0041""#, #"\u0041"#),
  ])
  func `escapes are resolved`(raw: String, content: String) {
    #expect(unescaped(raw) == Array(content.utf8))
  }

  @Test(arguments: [
    #""\ud800""#, #""\udc00""#, #""\udc00\ud800""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\u0041""#,
    #""\ud800\ud800\udc00""#, #""\udbff""#, #""\udfff""#,
  ])
  func `a lone surrogate is said`(raw: String) {
    #expect(unescaped(raw) == nil)
  }

  @Test func `every scalar survives being escaped`() {
    for value in stride(from: UInt32(0), through: 0x10FFFF, by: 7) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let units = UTF16.encode(scalar)!.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
      guard unescaped("\"" + units.joined() + "\"") != Array(UTF8.encode(scalar)!) else { continue }
      Issue.record("U+\(String(value, radix: 16)) came out wrong")
    }
  }

  @Test func `strings are compared unescaped`() {
    func equals(_ raw: String, _ other: StaticString) -> Bool {
      let text = WireText(raw)
      return JSONString.equals(text.raw, in: text.bytes.span, other)
    }
    #expect(equals(#""cancel""#, "cancel") && equals(#""c\u0061ncel""#, "cancel") && equals(#""""#, ""))
    #expect(equals(#""\ud834\udd1e""#, "𝄞") && equals(#""\u0000a""#, "\0a"))
    #expect(!equals(#""cancel""#, "cance") && !equals(#""cance""#, "cancel"))
    #expect(!equals(#""Cancel""#, "cancel") && !equals(#""cancel""#, "cancer"))
    #expect(!equals(#""c\u0061nce""#, "cancel") && !equals(#""c\u0061ncels""#, "cancel"))
    #expect(!equals(#""\ud800""#, "\u{FFFD}"))
  }

  @Test func `escapes are noticed`() {
    func hasEscapes(_ raw: String) -> Bool {
      let text = WireText(raw)
      return JSONString.hasEscapes(text.raw, in: text.bytes.span)
    }
    #expect(hasEscapes(#""a\nb""#) && hasEscapes(#""\\""#))
    #expect(!hasEscapes(#""a/b""#) && !hasEscapes(#""""#))
  }
}
