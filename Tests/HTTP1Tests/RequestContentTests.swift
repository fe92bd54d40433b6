import HTTP1
import Testing

/// Where the content of a request ends, and what is refused because two readers could differ about it.
@Suite struct RequestContentTests {
  private static let start = "POST /rpc HTTP/1.1\r\nHost: a\r\n"
  private static let chunked = start + "Transfer-Encoding: chunked\r\n\r\n"

  @Test func `a content of a length is followed by the next request`() {
    let read = RequestReading.of(
      Self.start + "Content-Length: 3\r\n\r\nabc" + Self.start + "Content-Length: 0\r\n\r\n" + Self.start
        + "\r\n")
    #expect(read.contents == ["abc", "", ""] && read.endCount == 1 && read.fault == nil)
    #expect(read.heads.map(\.framing) == [.length(3), .none, .none])
    #expect(read.heads.map(\.method) == ["POST", "POST", "POST"])
  }

  @Test func `chunks are put together, and what stands beside them is let go`() {
    let read = RequestReading.of(
      Self.chunked + "3\r\nabc\r\n000A;a=\"b\"\r\n0123456789\r\n0\r\nX: y\r\nZ:\r\n\r\n" + Self.start + "\r\n"
    )
    #expect(read.contents == ["abc0123456789", ""] && read.endCount == 1 && read.fault == nil)
  }

  @Test(arguments: [
    ";a", ";a=b", ";a;b=c;d", ";a=\"\"", ";a=\"b;c=\\\"d\"", "; a", ";a = b", ";a=\t\"b\" ;c",
  ])
  func `what may stand behind a chunk's size is let go`(extensions: String) {
    let read = RequestReading.of(Self.chunked + "3\(extensions)\r\nabc\r\n0\(extensions)\r\n\r\n")
    #expect(read.contents == ["abc"] && read.endCount == 1 && read.fault == nil)
  }

  @Test(arguments: [
    "g\r\n", "\r\n", " 3\r\n", "3 \r\n", "0x3\r\n", "-1\r\n", "3\n", "3\r\nabcd", "3\r\nabc\n", "3\r\nabc\rx",
    ";a\r\n", "3;\r\n", "3;;a\r\n", "3;a=\r\n", "3;a=b=c\r\n", "3;a=\"b\r\n", "3;a=\"b\\\"\r\n", "3;a b\r\n",
    "3;=b\r\n",
    "3;a=\"b\"c\r\n", "0;\r\n", "0\r\nContent-Length: 5\r\n\r\n", "0\r\ntransfer-encoding: chunked\r\n\r\n",
    "0\r\nHOST: a\r\n\r\n", "0\r\nX\r\n\r\n", "0\r\nX : y\r\n\r\n", "3;\u{1}\r\n",
  ])
  func `chunks that are none are refused`(chunks: String) {
    #expect(RequestReading.of(Self.chunked + chunks).fault?.status == .badRequest)
  }

  @Test(arguments: [
    "Content-Length: 3\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 3",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Content-Length: 3\r\nContent-Length: 3",
    "Content-Length: 3, 3", "Content-Length: +3", "Content-Length: 0x3", "Content-Length:",
    "Content-Length : 3", "Transfer-Encoding : chunked", "X: y\r\n Content-Length: 3",
  ])
  func `a length that can be read in two ways is refused`(fields: String) {
    let read = RequestReading.of(Self.start + fields + "\r\n\r\nabc")
    #expect(read.fault?.status == .badRequest && read.heads.isEmpty)
  }

  @Test(arguments: ["gzip", "gzip, chunked", "chunked, chunked", "identity", "xchunked", ""])
  func `no other coding is known`(coding: String) {
    let read = RequestReading.of(Self.start + "Transfer-Encoding: \(coding)\r\n\r\n")
    #expect(read.fault?.status == .notImplemented)
  }

  @Test func `the coding's size of letters does not matter, but the version does`() {
    let fields = "tRANSFER-eNCODING: Chunked\r\n\r\n0\r\n\r\n"
    #expect(RequestReading.of(Self.start + fields).endCount == 1)
    #expect(RequestReading.of("POST / HTTP/1.0\r\n" + fields).fault?.status == .badRequest)
  }

  @Test func `a content of as many bytes as are allowed is read, and no more`() {
    for (count, status) in [(16, nil), (17, HTTPStatus.contentTooLarge)] {
      let content = String(repeating: "x", count: count)
      let counted = RequestReading.of(Self.start + "Content-Length: \(count)\r\n\r\n\(content)")
      #expect(counted.fault?.status == status && counted.contents == (status == nil ? [content] : []))
      let chunks = "8\r\nxxxxxxxx\r\n\(String(count - 8, radix: 16))\r\n\(content.dropFirst(8))\r\n0\r\n\r\n"
      let pieces = RequestReading.of(Self.chunked + chunks)
      #expect(pieces.fault?.status == status && (pieces.contents == [content]) == (status == nil))
    }
    for huge in ["9223372036854775808", String(repeating: "9", count: 100)] {
      let read = RequestReading.of(Self.start + "Content-Length: \(huge)\r\n\r\n")
      #expect(read.fault?.status == .contentTooLarge)
    }
    #expect(RequestReading.of(Self.chunked + "7fffffffffffffff\r\n").fault?.status == .contentTooLarge)
    #expect(RequestReading.of(Self.chunked + "80000000000000000\r\n").fault?.status == .badRequest)
  }

  @Test func `what stands between chunks is bounded`() {
    let longest = "3;" + String(repeating: "x", count: 254)
    #expect(RequestReading.of(Self.chunked + longest + "\r\nabc\r\n0\r\n\r\n").endCount == 1)
    #expect(RequestReading.of(Self.chunked + longest + "x").fault?.status == .badRequest)
    let trailer = String(repeating: "a:\r\n", count: HTTPRequestReader.Limits().headBytes / 4)
    #expect(RequestReading.of(Self.chunked + "0\r\n" + trailer).fault == nil)
    #expect(RequestReading.of(Self.chunked + "0\r\n" + trailer + "\r").fault?.status == .headTooLarge)
  }

  @Test func `who waits to be told to go on is known`() {
    let fields = "Expect: 100-Continue\r\nContent-Length: 3\r\n\r\n"
    #expect(RequestReading.of(Self.start + fields).heads.first?.expectsContinue == true)
    #expect(RequestReading.of("POST / HTTP/1.0\r\n" + fields).heads.first?.expectsContinue == false)
    #expect(RequestReading.of(Self.start + "\r\n").heads.first?.expectsContinue == false)
  }

  @Test func `a method that is not served is told, and nothing else of it`() {
    #expect(RequestReading.of("PUT * HTTP/1.1\r\nHost: a\r\n\r\n").fault?.status == .methodNotAllowed)
  }

  @Test func `a method is not longer than any is`() {
    let longest = String(repeating: "M", count: 32)
    #expect(RequestReading.of(longest).fault == nil)
    #expect(RequestReading.of(longest + " ").fault == nil)
    #expect(RequestReading.of(longest + "M").fault == nil)
    #expect(RequestReading.of(longest + "MM").fault?.status == .badRequest)
    #expect(RequestReading.of(longest + "M ").fault?.status == .badRequest)
  }

  @Test func `fields keep their order, and lists may be cut`() {
    let read = RequestReading.of(
      "GET /a?b HTTP/1.1\r\nHost: h\r\nAccept: x\r\nACCEPT: \ty \r\nConnection: Close, X\r\n\r\n")
    let head = read.heads.first
    #expect(head?.fields.values(of: "accept") == ["x", "y"])
    #expect(head?.fields.words(of: "connection") == ["close", "x"] && head?.keepsConnection == false)
    #expect(head?.target.path == "/a" && head?.target.query == "b" && head?.host?.name == "h")
  }

  @Test func `a letter that only Unicode takes for one of ASCII is another letter`() {
    let head = Self.start + "Transfer-Encoding: chun\u{212A}ed\r\n\r\n"
    #expect(RequestReading.of(head + "0\r\n\r\n").fault?.status == .notImplemented)
    #expect(RequestReading.of(Self.start + "Transfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n").fault == nil)
  }
}
