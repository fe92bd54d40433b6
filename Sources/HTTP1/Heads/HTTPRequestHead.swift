/// What a request says before its content (RFC 9112 sections 3 and 5).
package struct HTTPRequestHead: HTTPMessageHead {
  package let method: String
  package let target: HTTPTarget
  /// Whom it is for: as its target says, or else the field; nil where HTTP/1.0 says none.
  package let host: HTTPHost?
  package let fields: HTTPFields
  package let framing: HTTPContentFraming
  package let keepsConnection: Bool
  /// Its sender speaks HTTP/1.0, and knows no chunks.
  package let isVersion0: Bool
  /// Its sender waits to be told to go on before it sends the content (RFC 9110 section 10.1.1).
  package let expectsContinue: Bool

  /// - Throws: the first of what is wrong with it.
  init(_ line: HTTPRequestLine, _ fields: HTTPFields) throws(HTTPFault) {
    framing = try Self.framing(fields, isVersion0: line.isVersion0)
    host = try Self.host(line, fields)
    guard line.isServed else { throw HTTPFault(.methodNotAllowed, "this method is not served here") }
    let expectations = fields.values(of: "expect").map { HTTPText.lowercased($0) }
    guard expectations.allSatisfy({ $0 == "100-continue" }) else {
      throw HTTPFault(.expectationFailed, "nothing can be expected but 100-continue")
    }
    expectsContinue = !expectations.isEmpty && !line.isVersion0
    let words = fields.words(of: "connection")
    keepsConnection = line.isVersion0 ? words.contains("keep-alive") : !words.contains("close")
    isVersion0 = line.isVersion0
    method = line.method
    target = line.target
    self.fields = fields
  }

  private static func framing(
    _ fields: HTTPFields, isVersion0: Bool
  ) throws(HTTPFault) -> HTTPContentFraming {
    let framing = try HTTPContentFraming(fields) ?? .none
    // Old proxies pass the field on without knowing what it means.
    if framing == .chunked && isVersion0 { throw .malformed("HTTP/1.0 knows no Transfer-Encoding") }
    return framing
  }

  private static func host(_ line: HTTPRequestLine, _ fields: HTTPFields) throws(HTTPFault) -> HTTPHost? {
    guard let text = try fields.single("Host") else {
      guard line.isVersion0 else { throw .malformed("Host is missing") }
      return line.target.host
    }
    guard let host = HTTPHost(text) else { throw .malformed("Host must be HOST or HOST:PORT") }
    return line.target.host ?? host
  }
}
