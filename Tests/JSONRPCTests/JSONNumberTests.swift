import JSONRPC
import Testing

@Suite struct JSONNumberTests {
  private func number(_ raw: String) -> UInt64? {
    let text = WireText(raw)
    return JSONNumber.nonNegativeInteger(text.raw, in: text.bytes.span)
  }

  @Test func `plain digits are read`() {
    #expect(number("0") == 0)
    #expect(number("7") == 7)
    #expect(number("60000") == 60_000)
    #expect(number("18446744073709551615") == .max)
  }

  @Test(arguments: 1...19)
  func `digits are read to the last, and nothing else among them`(count: Int) {
    let digits = Array(Array("1234567890987654321".utf8).prefix(count))
    let text = String(decoding: digits, as: UTF8.self)
    #expect(number(text) == UInt64(text))
    let nothingAfter = digits.span
    #expect(JSONNumber.nonNegativeInteger(ByteRange(digits.indices), in: nothingAfter) == UInt64(text))
    for place in digits.indices {
      for byte in Array("/:.-eE \u{0}".utf8) {
        var wrong = digits
        wrong[place] = byte
        #expect(number(String(decoding: wrong, as: UTF8.self)) == nil)
      }
    }
  }

  @Test(arguments: [
    "-1", "-0", "1.0", "1e2", "01", "00", "18446744073709551616", "99999999999999999999999", "true", "null",
    #""1""#, "", "[1]",
  ])
  func `anything else is not`(raw: String) {
    #expect(number(raw) == nil)
  }
}
