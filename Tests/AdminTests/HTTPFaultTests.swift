import HTTP1
import Testing

@testable import Admin

/// What is no request, and with which status it is refused.
@Suite struct HTTPFaultTests {
  private func status(_ text: String) throws -> HTTPStatus? {
    let read = try #require(FedReader.reading(text))
    #expect(read.requests.isEmpty)
    return read.fault?.status
  }

  @Test(arguments: [
    "{", "\u{16}\u{3}\u{1}", " GET / HTTP/1.1\r\n", "\n", "GE\u{0}", "Content-Length: 5",
    "\r\n\r\n", "\r\r", "\rG", "GET\t/", "\u{ff}",
  ])
  func `what begins as no request does is refused at once`(text: String) throws {
    #expect(try status(text) == .badRequest)
  }

  @Test(arguments: [
    "GET /\r\n", "GET  / HTTP/1.1\r\n", "GET / HTTP/1.1 \r\n", "GET / HTTP/11\r\n", "GET / http/1.1\r\n",
    "GET / HTTP/1.x\r\n", "GET a HTTP/1.1\r\n", "GET * HTTP/1.1\r\n",
    "GET http:/// HTTP/1.1\r\n", "GET http://u@h/ HTTP/1.1\r\n", "GET http://a:b/ HTTP/1.1\r\n",
    "GET /# HTTP/1.1\r\n", "GET /\u{e9} HTTP/1.1\r\n", "GET /%zz HTTP/1.1\r\n", "GET /%f HTTP/1.1\r\n",
    "GET /%ff HTTP/1.1\r\n", "GET /%00 HTTP/1.1\r\n", "GET / HTTP/1.1\n", "GET / HTTP/1.1\rX",
  ])
  func `a first line that is none is refused`(line: String) throws {
    #expect(try status(line) == .badRequest)
  }

  @Test(arguments: [
    "X\r\n", ": x\r\n", "X : x\r\n", " X: x\r\n", "X: a\r\n b: c\r\n", "X: \u{1}", "X: a\n", "X: \u{7f}",
    "Host: b\r\n\r\n", "Host: a b\r\n\r\n", "Content-Length: x\r\n\r\n", "Content-Length: -1\r\n\r\n",
    "Content-Length: \r\n\r\n", "Content-Length: 1\r\nContent-Length: 1\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n", "Origin: null\r\nOrigin: null\r\n\r\n",
    "Sec-Fetch-Site: none\r\nSec-Fetch-Site: none\r\n\r\n",
  ])
  func `fields that are none, or contradict each other, are refused`(fields: String) throws {
    #expect(try status("GET / HTTP/1.1\r\nHost: a\r\n" + fields) == .badRequest)
  }

  @Test(arguments: [
    "", "Host: \u{212a}\r\n", "Host: a:b\r\n", "Host: [::1\r\n", "Host: []\r\n", "Host: [::g]\r\n",
    "Host: a:123456\r\n", "Host: a/b\r\n", "Host: a, b\r\n",
  ])
  func `a host that is none, or none at all, is refused`(field: String) throws {
    #expect(try status("GET / HTTP/1.1\r\n\(field)\r\n") == .badRequest)
  }

  @Test(arguments: ["PUT", "OPTIONS", "get", "BREW", "CONNECT"])
  func `another method is known as such, whatever it asks for`(method: String) throws {
    for target in ["/", "*", "a:80"] {
      let length = "Content-Length: 3\r\n"
      #expect(
        try status("\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(length)\r\nabc") == .methodNotAllowed)
    }
  }

  @Test(arguments: [
    ("GET / HTTP/2.0\r\n", HTTPStatus.versionNotSupported), ("PRI * HTTP/2.0\r\n", .versionNotSupported),
    ("GET / HTTP/0.9\r\n", .versionNotSupported),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n", .contentTooLarge),
    ("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n", .contentTooLarge),
    ("GET / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n\r\n", .expectationFailed),
  ])
  func `what is HTTP but not served says why`(text: String, expected: HTTPStatus) throws {
    #expect(try status(text) == expected)
  }

  @Test func `after a fault nothing counts any more`() {
    var reader = HTTPRequestReader(methods: HTTPRequest.methods)
    let wrong = Array("{}".utf8)
    let right = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    var offset = 0
    let fault = reader.next(in: wrong.span, count: wrong.count, from: &offset)
    offset = 0
    #expect(reader.next(in: right.span, count: right.count, from: &offset) == fault)
    #expect(offset == 0)
  }

  @Test func `a head without end is refused at its bound`() {
    var reader = FedReader()
    reader.feed("GET / HTTP/1.1\r\n".utf8)
    for _ in 0..<HTTPRequestReader.Limits().headBytes where reader.fault == nil { reader.feed("a:\r\n".utf8) }
    #expect(reader.fault?.status == .headTooLarge)
  }
}
