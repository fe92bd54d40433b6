import HTTP1
import Testing

/// What an origin is, and which are the same.
@Suite struct OriginTests {
  @Test(arguments: [
    ("http://a", "http://a"), ("HTTP://A.Example:80", "http://a.example"), ("https://a:443", "https://a"),
    ("https://a:80", "https://a:80"), ("http://a:443", "http://a:443"), ("http://a:0080", "http://a"),
    ("http://[::1]:3000", "http://[::1]:3000"), ("http://127.0.0.1:65535", "http://127.0.0.1:65535"),
    ("chrome-extension://abcdef", "chrome-extension://abcdef"), ("app://a:80", "app://a:80"),
  ])
  func `an origin is written as browsers write it`(sent: String, text: String) throws {
    #expect(HTTPOrigin(sent)?.text == text)
    let scheme = try #require(text.split(separator: ":").first)
    #expect(HTTPOrigin(sent)?.scheme == String(scheme))
  }

  @Test(arguments: [
    "", "null", "*", "a", "a:80", "//a", "://a", "http:", "http:a", "http:/a", "http://", "http:///",
    "http://a/",
    "http://a/b", "http://a?b", "http://a#b", "http://a b", "http://a,http://b", "http://a http://b",
    "http://u@a",
    "http://a:", "http://a:0", "http://a:65536", "http://a:-1", "http://a:+1", "http://a:1:2", "http://[::1",
    "http://[]", "http://é", "http://\u{212a}", "1http://a", "h ttp://a", "http://http://a", " http://a",
  ])
  func `anything else is none`(sent: String) {
    #expect(HTTPOrigin(sent) == nil)
  }
}
