package import HTTP1

/// The response to a request for an admin page.
package struct HTTPResponse: Equatable, Sendable {
  package var status: HTTPStatus
  package var contentType: String
  package var body: [UInt8]
  /// Further header fields. Names and values come from the program, so they need no checks.
  package var fields: [Field] = []
  /// Whether its content goes on until the connection ends.
  var isOpen = false
  /// The Content-Security-Policy.
  package var policy = "default-src 'none'; frame-ancestors 'none'"

  package struct Field: Equatable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package init(_ status: HTTPStatus = .ok, type contentType: String, _ body: [UInt8], isOpen: Bool = false) {
    self.status = status
    self.isOpen = isOpen
    self.contentType = contentType
    self.body = body
  }

  package static func text(_ text: String, _ status: HTTPStatus = .ok) -> HTTPResponse {
    HTTPResponse(status, type: "text/plain; charset=utf-8", Array(text.utf8))
  }

  package static func json(_ text: [UInt8], _ status: HTTPStatus = .ok) -> HTTPResponse {
    HTTPResponse(status, type: "application/json", text)
  }

  static func fault(_ fault: HTTPFault) -> HTTPResponse {
    var response = text("\(fault.reason)\n", fault.status)
    if fault.status == .unauthorized { response.fields.append(Field("WWW-Authenticate", "Bearer")) }
    if fault.status == .methodNotAllowed { response.fields.append(Field("Allow", "GET, HEAD, POST")) }
    return response
  }

  /// - Parameter methods: the methods that this path takes.
  static func methodNotAllowed(allow methods: String) -> HTTPResponse {
    var response = text("this path takes \(methods)\n", .methodNotAllowed)
    response.fields.append(Field("Allow", methods))
    return response
  }

  /// The response when there are too many of something: the client may try again later.
  static func tooMany(_ what: String, retrySeconds: Int) -> HTTPResponse {
    var response = text("too many \(what)\n", .unavailable)
    response.fields.append(Field("Retry-After", "\(retrySeconds)"))
    return response
  }

  // MARK: On the wire

  /// - Parameter isHead: whether to leave the content out.
  func write(into output: inout [UInt8], isHead: Bool, keepsConnection: Bool) {
    let length = isOpen ? [] : [Field("Content-Length", "\(body.count)")]
    writeHead(into: &output, fields + length, keepsConnection)
    if !isHead { output.append(contentsOf: body) }
  }

  /// Writes the head only, for content that goes on until the connection ends.
  func writeOpenHead(into output: inout [UInt8]) { writeHead(into: &output, fields, false) }

  private func writeHead(into output: inout [UInt8], _ fields: [Field], _ keepsConnection: Bool) {
    let usual = [
      Field("Content-Type", contentType), Field("Cache-Control", "no-store"),
      Field("X-Content-Type-Options", "nosniff"), Field("Content-Security-Policy", policy),
      Field("Referrer-Policy", "no-referrer"), Field("Cross-Origin-Resource-Policy", "same-origin"),
      Field("Connection", keepsConnection ? "keep-alive" : "close"),
    ]
    HTTPWriter.head(status, (usual + fields).lazy.map { ($0.name, $0.value) }, into: &output)
  }
}
