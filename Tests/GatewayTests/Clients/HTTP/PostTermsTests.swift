import HTTP1
import Testing

@testable import Gateway

/// What a POST has to say of its content, and of the response that it takes.
@Suite struct PostTermsTests {
  private static let json = "Content-Type: application/json\r\n"

  private func head(_ fields: String) throws -> HTTPRequestHead {
    var limits = HTTPRequestReader.Limits()
    limits.contentBytes = 100
    var reader = HTTPRequestReader(methods: ["POST"], limits: limits)
    let bytes = Array("POST / HTTP/1.1\r\nHost: localhost\r\n\(fields)Content-Length: 2\r\n\r\n".utf8)
    var offset = 0
    guard case .head(let head) = reader.next(in: bytes.span, count: bytes.count, from: &offset) else {
      throw HTTPFault(.badRequest, "no head: \(fields)")
    }
    return head
  }

  /// Nil: it is served.
  private func status(_ fields: String) throws -> HTTPStatus? {
    let head = try head(fields)
    do throws(HTTPFault) {
      try PostTerms.check(head)
      return nil
    } catch {
      #expect(!error.reason.isEmpty)
      return error.status
    }
  }

  // MARK: Content

  @Test(arguments: [
    "application/json", "Application/JSON", "application/json;charset=utf-8",
    "application/json ; charset=UTF-8",
    "\tapplication/json\t", "application/json;",
  ])
  func `JSON is taken, whatever it says of its characters`(type: String) throws {
    #expect(try status("Content-Type: \(type)\r\n") == nil)
  }

  @Test(arguments: [
    "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
    "application/jsonx",
    "application/vnd.api+json", "text/json", "application/json, text/plain", "*/*", ";application/json",
  ])
  func `no other type is, so that no page can send one without asking first`(type: String) throws {
    #expect(try status("Content-Type: \(type)\r\n") == .unsupportedMediaType)
  }

  @Test func `without a type, or with two, it is not taken`() throws {
    #expect(try status("") == .unsupportedMediaType)
    #expect(try status(Self.json + Self.json) == .badRequest)
    #expect(try status(Self.json + "Content-Type: text/plain\r\n") == .badRequest)
  }

  @Test(arguments: ["gzip", "identity", "", "br"])
  func `what is coded is not taken`(coding: String) throws {
    #expect(try status(Self.json + "Content-Encoding: \(coding)\r\n") == .unsupportedMediaType)
  }

  // MARK: The response

  @Test(arguments: [
    "application/json", "*/*", "application/*", "text/event-stream", "text/html, application/json;q=0.1",
    "text/html,*/*;q=0.8", "TEXT/Event-Stream", "application/json;q=0.001", "",
  ])
  func `who takes JSON or events is answered`(accept: String) throws {
    #expect(try status(Self.json + "Accept: \(accept)\r\n") == nil)
  }

  @Test(arguments: [
    "text/html", "application/xml", "application/json;q=0", "application/json; Q=0.000", "image/*",
    "text/html;q=1",
    "application/json;q=0, text/event-stream;q=0.0",
  ])
  func `who takes neither is told so`(accept: String) throws {
    #expect(try status(Self.json + "Accept: \(accept)\r\n") == .notAcceptable)
  }

  @Test func `what is accepted may stand in several fields`() throws {
    #expect(try status(Self.json + "Accept: text/html\r\nAccept: application/json\r\n") == nil)
    #expect(try status(Self.json + "Accept: text/html\r\nAccept: image/png\r\n") == .notAcceptable)
  }

  @Test(arguments: [
    ("text/event-stream", true), ("text/event-stream, application/json", true),
    ("application/json, text/event-stream", false), ("application/json;q=0, text/event-stream", true),
    ("text/event-stream;q=0, application/json", false), ("*/*", false), ("*/*, text/event-stream", true),
    ("text/event-stream;charset=utf-8", true), ("application/json", false), ("", false), ("text/*", false),
  ])
  func `events are given where they are named, and before JSON`(accept: String, wants: Bool) throws {
    #expect(PostTerms.wantsEvents(try head(Self.json + "Accept: \(accept)\r\n")) == wants)
  }

  @Test func `who says nothing takes JSON`() throws {
    #expect(try status(Self.json) == nil)
    #expect(try !PostTerms.wantsEvents(head(Self.json)))
  }

  // MARK: Sessions

  @Test(arguments: [22, 23, 127, 128])
  func `a session is named by token characters`(count: Int) throws {
    let name = String(repeating: "aB3-", count: 32).prefix(count)
    #expect(try PostTerms.session(of: head("Lastword-Session: \(name)\r\n")) == Array(name.utf8))
  }

  @Test(arguments: [0, 1, 21, 129, 500])
  func `one that may be guessed, or is too long, is refused`(count: Int) throws {
    let head = try head("Lastword-Session: \(String(repeating: "a", count: count))\r\n")
    #expect(throws: HTTPFault.self) { try PostTerms.session(of: head) }
  }

  @Test(arguments: [" ", "é", "\"", ",", ";", "/", "\t"])
  func `one with other characters is refused`(character: String) throws {
    let half = String(repeating: "a", count: 20)
    let head = try head("Lastword-Session: \(half)\(character)\(half)\r\n")
    #expect(throws: HTTPFault.self) { try PostTerms.session(of: head) }
  }

  @Test func `two of them are refused, and none is none`() throws {
    let name = String(repeating: "a", count: 22)
    let twice = try head("Lastword-Session: \(name)\r\nLastword-Session: \(name)\r\n")
    #expect(throws: HTTPFault.self) { try PostTerms.session(of: twice) }
    #expect(try PostTerms.session(of: head("")) == nil)
  }
}
