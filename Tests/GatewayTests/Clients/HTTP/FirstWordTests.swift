import Testing

@testable import Gateway

/// What the first bytes of a connection say about its protocol.
@Suite struct FirstWordTests {
  private static let methods = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
  ]

  private func word(_ text: String) -> FirstWord { FirstWord(Array(text.utf8)) }

  @Test func `nothing says nothing`() { #expect(word("") == .undecided) }

  @Test(arguments: methods)
  func `a method is HTTP with the blank behind it, and undecided before`(method: String) {
    for count in 1...method.count {
      #expect(word(String(method.prefix(count))) == .undecided, "\(method.prefix(count))")
    }
    #expect(word(method + " ") == .http)
    #expect(word(method + " / HTTP/1.1\r\n") == .http)
  }

  @Test(arguments: methods)
  func `what only begins like a method is no HTTP, from the byte on that shows it`(method: String) {
    for count in 1...method.count {
      let begun = String(method.prefix(count)) + "~"
      #expect(word(begun) == (method.hasPrefix("C") ? .header : .line), "\(begun)")
    }
    for behind in ["\t/", "\r\n", "S ", "/"] where method + behind != "" {
      #expect(word(method + behind) != .http, "\(method)\(behind)")
    }
  }

  @Test(arguments: methods)
  func `methods are large letters`(method: String) {
    let small = method.lowercased()
    #expect(word(small + " / HTTP/1.1\r\n") == (small.hasPrefix("c") ? .header : .line))
    let mixed = method.prefix(1) + small.dropFirst()
    #expect(word(mixed + " / HTTP/1.1\r\n") != .http)
  }

  @Test(arguments: ["Content-Length: 2\r\n", "content-length: 2\r\n", "c", "Cx", "CO~", "COntent-Length: 2"])
  func `a header begins with a C of any size`(text: String) { #expect(word(text) == .header) }

  @Test func `a C alone, and CO, may be the beginning of CONNECT`() {
    #expect(word("C") == .undecided)
    #expect(word("CO") == .undecided)
    #expect(word("CONNECT") == .undecided)
    #expect(word("Co") == .header)
  }

  @Test(arguments: [
    "{", "[", " ", "\n", "\t{", "\r{", "\n\r\n", "1", "x", "\"", "-", "\u{0}", "\u{feff}{", "é", "PRI * ",
  ])
  func `anything else is a line`(text: String) { #expect(word(text) == .line) }

  @Test(arguments: methods)
  func `one empty line before a method does not count`(method: String) {
    for count in 0...method.count { #expect(word("\r\n" + method.prefix(count)) == .undecided) }
    #expect(word("\r\n" + method + " ") == .http)
    #expect(word("\r\n" + method + "~") == .line)
  }

  @Test func `an empty line before anything else is a line`() {
    #expect(word("\r") == .undecided && word("\r\n") == .undecided)
    for text in ["\r\n{", "\r\n\r\n", "\r\n\n", "\r\nContent-Length: 2", "\nGET / ", "\r\n\r\nGET / "] {
      #expect(word(text) == .line, "\(text)")
    }
    #expect("\r\nOPTIONS ".utf8.count == FirstWord.decidingBytes)
  }

  @Test func `a hello of TLS is a line`() { #expect(FirstWord([0x16, 3, 1, 2, 0, 1]) == .line) }
}
