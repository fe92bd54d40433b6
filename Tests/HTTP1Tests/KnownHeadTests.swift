import HTTP1
import Testing

@Suite struct KnownHeadTests {
  private static let text = "POST / HTTP/1.1\r\nHost: a\r\ncontent-LENGTH: 12\r\nAccept: */*\r\n\r\n"

  private func known(_ text: String, limitBytes: Int = 1_000) -> HTTPKnownHead? {
    let bytes = Array(text.utf8)
    return HTTPKnownHead(0..<bytes.count, of: bytes.span, limitBytes: limitBytes)
  }

  private func content(
    _ head: HTTPKnownHead?, _ text: String, at offset: Int = 0, limitBytes: Int = 1_000
  ) -> String? {
    let bytes = Array(text.utf8)
    let range = head?.content(in: bytes.span, count: bytes.count, at: offset, limitBytes: limitBytes)
    return range.map { String(decoding: bytes[$0], as: UTF8.self) }
  }

  /// The same head with another length, and what follows it.
  private func other(_ length: String, _ content: String) -> String {
    Self.text.replacing("12", with: length) + content
  }

  @Test func `the same head with any length is known, wherever it begins`() {
    let head = known(Self.text)
    #expect(content(head, other("12", "hello, world")) == "hello, world")
    #expect(content(head, other("1", "hello, world")) == "h")
    #expect(content(head, "before" + other("005", "hello, world"), at: 6) == "hello")
    #expect(content(head, other("100", String(repeating: "x", count: 200)))?.utf8.count == 100)
  }

  @Test(arguments: [
    "", "0", "-1", "+1", "1 ", " 1", "1,1", "1x", "0x1", "123456789", "99999999", "18446744073709551617",
  ])
  func `what is no length, or none of it, is not`(length: String) {
    #expect(content(known(Self.text), other(length, "hello, world")) == nil)
  }

  @Test func `a head or a content that is not all there is not known`() {
    let head = known(Self.text)
    let bytes = Array(other("12", "hello, world").utf8)
    for count in bytes.indices {
      #expect(head?.content(in: bytes.span, count: count, at: 0, limitBytes: 1_000) == nil, "\(count)")
    }
  }

  @Test func `no other byte is known, wherever it stands`() {
    let head = known(Self.text)
    let bytes = Array(other("12", "hello, world").utf8)
    for index in 0..<Self.text.utf8.count where !HTTPText.isDigit(bytes[index]) {
      var changed = bytes
      changed[index] ^= 0x01
      let range = head?.content(in: changed.span, count: changed.count, at: 0, limitBytes: 1_000)
      #expect(range == nil, "\(index)")
    }
  }

  @Test func `a longer content than may come is none of it`() {
    #expect(content(known(Self.text), other("12", "hello, world"), limitBytes: 12) == "hello, world")
    #expect(content(known(Self.text), other("12", "hello, world"), limitBytes: 11) == nil)
  }

  @Test(arguments: [
    "POST / HTTP/1.1\r\nHost: a\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length:5\r\n\r\n",
    "POST / HTTP/1.1\r\nX-Content-Length: 5\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 5 \r\n\r\n",
    "POST / HTTP/1.1\r\nA: Content-Length: 5\r\n\r\n", "Content-Length: ", "",
  ])
  func `a head that says its length as few do is not kept`(text: String) {
    #expect(known(text) == nil)
  }

  @Test func `a head that is longer than is worth it is not kept`() {
    #expect(known(Self.text, limitBytes: Self.text.utf8.count) != nil)
    #expect(known(Self.text, limitBytes: Self.text.utf8.count - 1) == nil)
  }
}
