import HTTP1
import Testing

@testable import Admin

/// What is a request, and what of it counts.
@Suite struct HTTPRequestReaderTests {
  private func request(_ text: String) throws -> HTTPRequest {
    let read = try #require(FedReader.reading(text))
    #expect(read.fault == nil)
    #expect(read.requests.count == 1)
    return try #require(read.requests.first)
  }

  private func get(_ target: String, _ fields: String = "") throws -> HTTPRequest {
    try request("GET \(target) HTTP/1.1\r\nHost: localhost:80\r\n\(fields)\r\n")
  }

  @Test func `a request says what is asked for, and by whom`() throws {
    let read = try request(
      "GET /keys?top=5&all HTTP/1.1\r\nhOST: \t[::1]:9000 \r\nOrigin: http://[::1]:9000\r\n"
        + "Sec-Fetch-Site: same-origin\r\nX: \u{e9}\r\n\r\n")
    #expect(
      read.target.path == "/keys" && read.target.query == "top=5&all" && !read.isHead && read.keepsConnection)
    #expect(read.host?.name == "[::1]" && read.host?.text == "[::1]:9000")
    #expect(read.origin == "http://[::1]:9000" && read.fetchSite == "same-origin")
    #expect(
      read.target.parameter("top") == "5" && read.target.parameter("all") == ""
        && read.target.parameter("to") == nil)
  }

  @Test(arguments: [
    ("/", "/", ""), ("/a%2Fb%c3%A9", "/a/b\u{e9}", ""), ("/?", "/", ""), ("/a?b?c", "/a", "b?c"),
    ("http://h", "/", ""), ("HTTP://h:1?q", "/", "q"), ("http://h/x?y", "/x", "y"),
  ])
  func `a target has a path and a query`(target: String, path: String, query: String) throws {
    let read = try get(target)
    #expect(read.target.path == path && read.target.query == query)
    #expect(read.host?.name == (target.hasPrefix("/") ? "localhost" : "h"))
  }

  @Test func `what a query says is without escapes`() throws {
    let read = try get("/?a+b=c%26d+e&%61=x&bad=%zz")
    #expect(
      read.target.parameter("a b") == "c&d e" && read.target.parameter("a") == "x"
        && read.target.parameter("bad") == nil)
  }

  @Test func `requests follow each other, and one empty line is no harm`() throws {
    let one = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
    let text = "\r\n" + one + one.replacing("1 ", with: "2 ") + "HEAD /3 HTTP/1.0\r\n\r\n"
    let read = try #require(FedReader.reading(text))
    #expect(read.requests.map(\.target.path) == ["/1", "/2", "/3"])
    #expect(read.requests.map(\.isHead) == [false, false, true])
    #expect(!read.hasBegun)
  }

  @Test(arguments: [
    ("1.1", "", true), ("1.1", "Connection: close\r\n", false),
    ("1.1", "Connection: x , CLOSE\r\n", false), ("1.0", "", false),
    ("1.0", "Connection: x\r\nConnection: keep-alive\r\n", true), ("1.9", "", true),
  ])
  func `whether more may follow is the version's and the request's to say`(
    version: String, field: String, keeps: Bool
  ) throws {
    #expect(try request("GET / HTTP/\(version)\r\nHost: a\r\n\(field)\r\n").keepsConnection == keeps)
  }

  @Test(arguments: ["Content-Length: 0", "Content-Length: 000", "Expect: 100-Continue", "A-b!: ", "A:"])
  func `what means nothing does no harm`(field: String) throws {
    #expect(try get("/", field + "\r\n").target.path == "/")
  }

  @Test func `a head of as many bytes as are allowed is read, and no more`() throws {
    let start = "GET / HTTP/1.1\r\nHost: a\r\nX: "
    let room = HTTPRequestReader.Limits().headBytes - start.utf8.count - 4
    let fits = start + String(repeating: "x", count: room) + "\r\n\r\n"
    var reader = FedReader()
    reader.feed((fits + fits).utf8)
    #expect(reader.requests.count == 2 && reader.fault == nil)
    reader.feed((start + String(repeating: "x", count: room + 1) + "\r\n\r\n").utf8)
    #expect(reader.requests.count == 2 && reader.fault?.status == .headTooLarge)
  }

  @Test func `a target of as many bytes as are allowed is read, and no more`() {
    let limit = HTTPRequestReader.Limits().targetBytes
    for (count, status) in [(limit, nil), (limit + 1, HTTPStatus.targetTooLong)] {
      var reader = FedReader()
      reader.feed("GET /\(String(repeating: "x", count: count - 1)) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
      #expect(reader.fault?.status == status)
      #expect(reader.requests.count == (status == nil ? 1 : 0))
    }
  }
}
