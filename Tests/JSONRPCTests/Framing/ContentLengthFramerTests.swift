import JSONRPC
import Testing

@Suite struct ContentLengthFramerTests {
  private static let badHeaders: [String] = [
    "Content-Length: -1\r\n\r\n", "Content-Length: +5\r\n\r\n", "Content-Length: 0x5\r\n\r\n",
    "Content-Length: 12abc\r\n\r\n", "Content-Length: 1 2\r\n\r\n", "Content-Length: 1,1\r\n\r\n",
    "Content-Length:\r\n\r\n", "Content-Length: \t\r\n\r\n", "Content-Length: 1.0\r\n\r\n",
    "Content-Length: 9223372036854775808\r\n\r\n", "Content-Length: 18446744073709551621\r\n\r\n",
    "Content-Length: 2\r\nContent-Length: 2\r\n\r\n", "Content-Length: 2\r\ncontent-length: 3\r\n\r\n",
    "Content-Length: 2\n\n", "Content-Length: 2\r\n\n", "Content-Length: 2\n\r\n", "Content-Length: 2\r\r\n",
    "Content-Length: 2\r\nX: a\nY: b\r\n\r\n", "Content-Length: 2\r\nX: a\u{0}b\r\n\r\n",
    "Content-Length: 2\r\nX: \u{7F}\r\n\r\n", "Content-Length : 2\r\n\r\n", " Content-Length: 2\r\n\r\n",
    "Content-Length: 2\r\n folded\r\n\r\n", "Content-Length 2\r\n\r\n", "Content-Length\r\n\r\n",
    "Content-Length=2\r\n\r\n", ": 2\r\n\r\n", "\r\n", "\n", "Content-Type: x\r\n\r\n",
    "Content-Lengt: 2\r\n\r\n",
    "Content-Lengths: 2\r\n\r\n", "X-Content-Length: 2\r\n\r\n", "Content\u{0D}Length: 2\r\n\r\n",
    "CONNECT localhost:1 HTTP/1.1\r\n\r\n", "{}\n", "Côntent-Length: 2\r\n\r\n",
  ]

  private func framer(limitBytes: Int = 100) -> FedMessages<ContentLengthFramer> {
    FedMessages(ContentLengthFramer(limitBytes: limitBytes))
  }

  private func frame(_ body: String) -> String { "Content-Length: \(body.utf8.count)\r\n\r\n\(body)" }

  @Test func `bodies that lie whole in the chunk are given in place`() {
    let framer = framer()
    let chunk = Array((frame("{}") + frame("[1]") + "Content").utf8)
    var offset = 0
    let frames = (0..<3).map { _ in framer.next(in: chunk, from: &offset) }
    #expect(frames == [.inPlace(21..<23), .inPlace(44..<47), .incomplete])
    #expect(offset == chunk.count && framer.isMidMessage && framer.pendingByteCount == 0)
  }

  @Test func `a body whose header came alone is given in place all the same`() {
    let framer = framer()
    #expect(framer.feed("Content-Length: 2\r\n\r\n") == [] && framer.isMidMessage)
    let chunk = Array("{}".utf8)
    var offset = 0
    #expect(framer.next(in: chunk, from: &offset) == .inPlace(0..<2))
    #expect(!framer.isMidMessage)
  }

  @Test func `a body that spans chunks is assembled with slack after it`() {
    let framer = framer()
    #expect(framer.feed(#"Content-Length: 7\#r\#n\#r\#n{"a""#) == [] && framer.pendingByteCount == 4)
    #expect(framer.feed(":") == [] && framer.isMidMessage)
    let chunk = Array(("1}" + frame("2")).utf8)
    var offset = 0
    #expect(framer.next(in: chunk, from: &offset) == .assembled)
    let body = framer.takeText()
    #expect(body.text == #"{"a":1}"# && body.slackByteCount == JSONText.slackByteCount)
    #expect(framer.next(in: chunk, from: &offset) == .inPlace(23..<24))
    #expect(!framer.isMidMessage && framer.pendingByteCount == 0)
  }

  @Test func `a hundred frames in one chunk are all found`() {
    let bodies = (0..<100).map { "{\"number\":\($0)}" }
    #expect(framer().feed(bodies.map(frame).joined()) == bodies.map { .message($0) })
  }

  @Test func `a body may hold anything, line ends and headers too`() {
    let body = "\r\n\r\nContent-Length: 5\r\n\r\n\u{0}é"
    #expect(framer().feed(frame(body) + frame("1")) == [.message(body), .message("1")])
  }

  @Test(arguments: [
    "content-length: 2\r\n\r\n", "CONTENT-LENGTH: 2\r\n\r\n", "Content-Length:2\r\n\r\n",
    "Content-Length: \t 2 \t\r\n\r\n", "Content-Length: 0000000000000000000000000002\r\n\r\n",
    "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
    "Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc\r\nX_~!#$%&'*+.^`|0:\té\r\nY:\r\n\r\n",
  ])
  func `the name's case, blanks and other fields do not matter`(header: String) {
    #expect(framer().feed(header + "{}" + header + "[]") == [.message("{}"), .message("[]")])
  }

  @Test(arguments: badHeaders)
  func `a wrong header is said once and ends the stream`(header: String) {
    for chunks in [[Array(header.utf8)], header.utf8.map { [$0] }] {
      let framer = framer()
      #expect(chunks.flatMap { framer.feed($0) } == [.badHeader])
      #expect(framer.feed("{}" + frame("{}")) == [] && !framer.isMidMessage)
      #expect(framer.pendingByteCount == 0)
    }
  }

  @Test func `a header block may have 8 KiB and not one byte more`() {
    let rest = "Content-Length: 2\r\nX: \r\n\r\n"
    let field = String(repeating: "x", count: WireLimits.headerBytes - rest.utf8.count)
    let fits = "Content-Length: 2\r\nX: \(field)\r\n\r\n"
    #expect(fits.utf8.count == 8192)
    #expect(framer().feed(fits + "{}" + fits + "{}") == [.message("{}"), .message("{}")])
    #expect(framer().feed("Content-Length: 2\r\nX: \(field)x\r\n\r\n{}") == [.badHeader])
  }

  @Test func `an endless header is refused when it passes the limit`() {
    let framer = framer()
    for _ in 0..<WireLimits.headerBytes { #expect(framer.feed("X") == []) }
    #expect(framer.feed("X") == [.badHeader] && framer.pendingByteCount == 0)
  }

  @Test func `a body of the limit passes, and one more byte is too long and skipped`() {
    let framer = framer(limitBytes: 8)
    let bodies = frame("12345678") + frame("123456789") + frame("1")
    #expect(framer.feed(bodies) == [.message("12345678"), .tooLong, .message("1")])
  }

  @Test func `a body that is too long is said once, and nothing of it is stored`() {
    let framer = framer(limitBytes: 8)
    #expect(framer.feed("Content-Length: 5000\r\n\r\n") == [.tooLong])
    for _ in 0..<999 { #expect(framer.feed("12345") == [] && framer.isMidMessage) }
    #expect(framer.pendingByteCount == 0)
    #expect(framer.feed("12345" + frame("{}")) == [.message("{}")])
    #expect(!framer.isMidMessage)
  }

  @Test func `the greatest length there is means a body that is skipped`() {
    let framer = framer()
    #expect(framer.feed("Content-Length: \(Int.max)\r\n\r\n{}") == [.tooLong])
    #expect(framer.feed(frame("{}")) == [] && framer.isMidMessage && framer.pendingByteCount == 0)
  }

  @Test func `an empty body is an empty message, even at the end of a chunk`() {
    let framer = framer(limitBytes: 8)
    #expect(framer.feed(frame("")) == [.message("")] && !framer.isMidMessage)
    #expect(framer.feed(frame("") + frame("1")) == [.message(""), .message("1")])
    #expect(Scan("").isMalformed)
  }

  @Test func `it is in the middle of a message from the header's first byte to the body's last`() {
    let framer = framer()
    let frame = Array(frame("{}").utf8)
    #expect(!framer.isMidMessage)
    for byte in frame.dropLast() { #expect(framer.feed([byte]) == [] && framer.isMidMessage) }
    #expect(framer.feed([frame[frame.count - 1]]) == [.message("{}")] && !framer.isMidMessage)
  }
}
