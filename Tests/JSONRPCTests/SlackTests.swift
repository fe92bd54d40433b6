import JSONRPC
import Testing

@Suite struct SlackTests {
  @Test func `a text of any length is scanned with exactly its slack after it`() {
    for length in 0..<100 {
      let text = WireText("\"" + String(repeating: "x", count: length) + "\"")
      #expect(text.bytes.count == text.range.upperBound + JSONText.slackByteCount)
      #expect(text.scan().fault == .notAnObject)
    }
  }

  @Test func `a text without its slack is refused before a byte is read`() async {
    await #expect(processExitsWith: .failure) {
      let bytes = [UInt8](repeating: 0x20, count: JSONText.slackByteCount)
      var envelope = Envelope()
      _ = EnvelopeScanner.scan(bytes.span, 0..<1, into: &envelope)
    }
    await #expect(processExitsWith: .failure) {
      let bytes = Array("{}".utf8)
      var reader = ObjectReader(ByteRange(0..<2))
      _ = reader.next(in: bytes.span)
    }
  }
}
