import HTTP1
import Testing

/// What a request says about who sent it.
@Suite struct BearerTests {
  private func token(_ fields: String) throws -> String? {
    let head = try #require(RequestReading.of("GET / HTTP/1.0\r\n\(fields)\r\n").heads.first)
    return try head.fields.bearerToken
  }

  @Test(arguments: [
    ("Authorization: Bearer abc", "abc"), ("AUTHORIZATION:bEARER abc ", "abc"),
    ("Authorization: Bearer  abc", "abc"), ("Authorization: Bearer\tabc", "abc"),
  ])
  func `a bearer's token is what follows the word`(field: String, expected: String) throws {
    #expect(try token("\(field)\r\n") == expected)
  }

  @Test(arguments: [
    "", "Authorization:\r\n", "Authorization: Basic abc\r\n",
    "Authorization: abc\r\n",
    "Authorization: Bearer,abc\r\n", "Authorization: Bearerabc\r\n", "Proxy-Authorization: Bearer abc\r\n",
    "Cookie: Bearer abc\r\n",
  ])
  func `anything else is none`(fields: String) throws {
    #expect(try token(fields) == nil)
  }

  @Test(arguments: ["Bearer", "bearer ", "Bearer a b", "Bearer\ta\tb", "Bearer  abc ,"])
  func `what is not one word is nobody's token`(value: String) throws {
    #expect(try token("Authorization: \(value)\r\n") == "")
  }

  @Test func `two are one too many`() throws {
    let twice = "Authorization: Bearer abc\r\nauthorization: Basic abc\r\n"
    let head = try #require(RequestReading.of("GET / HTTP/1.0\r\n\(twice)\r\n").heads.first)
    #expect(throws: HTTPFault.malformed("Authorization stands there twice")) { try head.fields.bearerToken }
  }
}
