import HTTP1
import Testing

/// Where the content of a response ends.
@Suite struct ResponseTests {
  @Test func `a response has a status, fields and a content`() {
    let read = ResponseReading.of(
      "HTTP/1.1 200 Fine, thanks\r\nContent-Length: 2\r\nX: y\r\n\r\nokHTTP/1.1 503 \r\nContent-Length: 0\r\n\r\n"
    )
    #expect(read.heads.map(\.status) == [200, 503] && read.contents == ["ok", ""] && read.endCount == 1)
    #expect(read.heads.first?.fields.values(of: "x") == ["y"] && read.fault == nil)
    #expect(read.heads.map(\.keepsConnection) == [true, true])
  }

  @Test func `without a length it ends with the connection`() {
    let read = ResponseReading.of("HTTP/1.0 200\r\nConnection: keep-alive\r\n\r\nto the end")
    #expect(read.contents == ["to the end"] && read.endCount == 1 && read.fault == nil)
    #expect(read.heads.first?.framing == .connectionEnd && read.heads.first?.keepsConnection == false)
  }

  @Test func `chunks are put together`() {
    let read = ResponseReading.of(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")
    #expect(read.contents == ["abc"] && read.endCount == 1 && read.fault == nil)
  }

  @Test(arguments: ["100 Continue", "103 Early Hints", "204 No Content", "304 Not Modified"])
  func `some have no content, whatever their fields say`(status: String) {
    let read = ResponseReading.of(
      "HTTP/1.1 \(status)\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
    #expect(read.contents == ["", "x"] && read.fault == nil)
    #expect(read.heads.map(\.isInterim) == [status.hasPrefix("1"), false])
  }

  @Test func `nor has any response to HEAD`() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
    #expect(ResponseReading.of(head + head, isToHead: true).heads.count == 2)
  }

  @Test(arguments: [
    "HTTP/1.1", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
  ])
  func `a connection that ends within a response is told`(text: String) {
    #expect(ResponseReading.of(text).fault?.reason == "the connection ended within a response")
  }

  @Test(arguments: [
    "HTTP/2 200\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
    "HTTP/1.1 099 X\r\n\r\n", "HTTP/1.1 2000 X\r\n\r\n", "HTTP/1.1  200\r\n\r\n", "\r\n\r\n", "{}\r\n\r\n",
    "HTTP/1.1 200 OK\n", "HTTP/1.1 200 OK\r\nX\r\n\r\n",
  ])
  func `what is no response is refused`(text: String) {
    #expect(ResponseReading.of(text).fault?.status == .badRequest)
  }

  @Test func `a content of as many bytes as are allowed is read, and no more`() {
    let content = String(repeating: "x", count: 16)
    let start = "HTTP/1.1 200 OK\r\n\r\n"
    #expect(ResponseReading.of(start + content).contents == [content])
    let read = ResponseReading.of(start + content + "x")
    #expect(read.contents == [content] && read.fault?.status == .contentTooLarge)
  }

  @Test func `what is written is read as the same`() {
    var bytes: [UInt8] = []
    HTTPWriter.head(.ok, [("Transfer-Encoding", "chunked"), ("X", "y")], into: &bytes)
    for piece in ["a", "", "bcd"] { HTTPWriter.chunk(piece.utf8, into: &bytes) }
    HTTPWriter.lastChunk(into: &bytes)
    let read = ResponseReading.of(String(decoding: bytes, as: UTF8.self))
    #expect(read.contents == ["abcd"] && read.endCount == 1 && read.fault == nil)
    #expect(read.heads.first?.fields.values(of: "x") == ["y"])
  }
}
