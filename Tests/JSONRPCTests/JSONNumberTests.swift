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

  @Test(arguments: [
    "-1", "-0", "1.0", "1e2", "01", "00", "18446744073709551616", "99999999999999999999999", "true", "null",
    #""1""#, "", "[1]",
  ])
  func `anything else is not`(raw: String) {
    #expect(number(raw) == nil)
  }
}
