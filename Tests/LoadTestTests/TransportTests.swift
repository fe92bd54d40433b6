import Addresses
import HTTP1
import LoadTest
import Testing

@Suite struct TransportTests {
  // MARK: Drawing

  @Test func `the same seed draws the same transports, another one others`() {
    let drawn = TransportChoice.mix.transports(clients: 400, seed: 5)
    #expect(TransportChoice.mix.transports(clients: 400, seed: 5) == drawn)
    #expect(TransportChoice.mix.transports(clients: 400, seed: 6) != drawn)
    #expect(Array(drawn[..<40]) == TransportChoice.mix.transports(clients: 40, seed: 5))
    for transport in LoadTransport.allCases {
      #expect((60...140).contains(drawn.count { $0 == transport }), "\(transport)")
    }
  }

  @Test func `a transport is told by its name`() {
    for name in TransportChoice.names { #expect(TransportChoice(parsing: name)?.description == name) }
    for name in ["", "LINES", "http2", "mix "] { #expect(TransportChoice(parsing: name) == nil) }
    #expect(TransportChoice.all(.ws).transports(clients: 2, seed: 1) == [.ws, .ws])
    #expect(TransportChoice.mix.mayPost && TransportChoice.all(.sse).mayPost)
    #expect(!TransportChoice.all(.ws).mayPost)
  }

  // MARK: Heads

  @Test(arguments: [
    ("127.0.0.1:80", "127.0.0.1:80"), ("[::1]:5278", "[::1]:5278"), ("unix:/a/b", "localhost"),
  ])
  func `a POST has all that it needs, and its length`(place: String, host: String) throws {
    let address = try #require(SocketAddress(parsing: place))
    let session = PostHead.session(run: 123_456_789_012_345, client: 7)
    let head = PostHead(to: address, session: session, token: "t0ken", wantsEvents: true)
    var bytes: [UInt8] = []
    head.write(Array("{}x".utf8).span.extracting(droppingLast: 1), into: &bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.hasPrefix("POST / HTTP/1.1\r\nHost: \(host)\r\n") && text.hasSuffix("\r\n\r\n{}"))
    for field in [
      "Content-Type: application/json", "Accept: text/event-stream", "Authorization: Bearer t0ken",
      "Content-Length: 2", "Lastword-Session: \(session)",
    ] { #expect(text.contains("\r\n\(field)\r\n"), "\(text)") }
    var limits = HTTPRequestReader.Limits()
    limits.contentBytes = 2
    var reader = HTTPRequestReader(methods: ["POST"], limits: limits)
    var offset = 0
    guard case .head = reader.next(in: bytes.span, count: bytes.count, from: &offset) else {
      Issue.record("no head: \(text)")
      return
    }
  }

  @Test func `sessions are as long as they must be, and each client's own`() {
    let names = [0, 9, 10, 9_999, 123_456].map { PostHead.session(run: 100_000_000_000_000, client: $0) }
    #expect(Set(names).count == names.count && names.allSatisfy { (22...128).contains($0.utf8.count) })
  }

  // MARK: Replies

  /// What was read of a response's head by the book.
  private func learnt(_ text: String) throws -> (memo: ReplyMemo, bytes: [UInt8]) {
    let bytes = Array(text.utf8)
    var (reader, offset, memo) = (HTTPResponseReader(), 0, ReplyMemo(contentLimitBytes: 1_000))
    guard case .head(let head) = reader.next(in: bytes.span, count: bytes.count, from: &offset) else {
      throw Unread()
    }
    memo.remember(head, 0..<offset, of: bytes.span)
    return (memo, bytes)
  }

  private struct Unread: Error {}

  private func head(_ memo: ReplyMemo, _ text: String, at offset: Int = 0) -> ReplyMemo.Head? {
    let bytes = Array(text.utf8)
    return memo.head(in: bytes.span, count: bytes.count, at: offset)
  }

  private static let known = "HTTP/1.1 200 OK\r\nA: b\r\nCONTENT-Length: 2\r\nC: d\r\n\r\n{}"

  @Test func `a head that differs in its length only is known`() throws {
    let (memo, bytes) = try learnt(Self.known)
    let same = memo.head(in: bytes.span, count: bytes.count, at: 0)
    let content = bytes.count - 2..<bytes.count
    #expect(same?.status == 200 && same?.keepsConnection == true && same?.content == content)
    let longer = Self.known.replacing("-Length: 2", with: "-Length: 11").dropLast(2)
    let other = "before\(longer)hello world!"
    let found = try #require(head(memo, other, at: 6))
    #expect(String(decoding: Array(other.utf8)[found.content], as: UTF8.self) == "hello world")
  }

  @Test(arguments: [
    ("200", "201"), ("A: b", "A: c"), ("C: d\r\n", ""), ("C: d", "C: d, e"), ("-Length: 2", "-Length: 3"),
    ("-Length: 2", "-Length: "), ("-Length: 2", "-Length: 2 "), ("-Length: 2", "-Length: 999999999"),
    ("-Length: 2", "-Length: -1"), ("-Length: 2", "-Length: 0"), ("{}", "{"),
  ])
  func `what differs in anything else, or has not come, is not`(part: String, other: String) throws {
    let (memo, _) = try learnt(Self.known)
    #expect(head(memo, Self.known.replacing(part, with: other)) == nil)
    #expect(head(memo, "") == nil)
    let bytes = Array(Self.known.utf8)
    for end in bytes.indices { #expect(memo.head(in: bytes.span, count: end, at: 0) == nil) }
  }

  @Test func `a response that says no length, or closes, is told as it is`() throws {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    #expect(try head(learnt(chunked).memo, chunked) == nil)
    let closing = "HTTP/1.1 503 No\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"
    let told = try head(learnt(closing).memo, closing)
    #expect(told?.status == 503 && told?.keepsConnection == false)
  }

  @Test func `several heads are remembered, and the oldest gives way`() throws {
    var memo = ReplyMemo(contentLimitBytes: 1_000)
    let texts = (0..<6).map { "HTTP/1.1 20\($0) OK\r\nContent-Length: 1\r\n\r\nx" }
    for text in texts {
      let bytes = Array(text.utf8)
      var (reader, offset) = (HTTPResponseReader(), 0)
      guard case .head(let head) = reader.next(in: bytes.span, count: bytes.count, from: &offset) else {
        // 204 has no content.
        continue
      }
      memo.remember(head, 0..<offset, of: bytes.span)
    }
    #expect(texts.map { head(memo, $0)?.status } == [nil, 201, 202, 203, nil, 205])
  }
}
