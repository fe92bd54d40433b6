package import HTTP1

/// What a request is answered with.
package struct HTTPResponse: Equatable, Sendable {
  package var status: HTTPStatus
  package var contentType: String
  package var body: [UInt8]
  /// Further header fields; names and values are the program's own words.
  package var fields: [Field] = []
  /// It goes on until the connection ends: its length is not known.
  var isOpen = false
  /// What a browser lets the content do.
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

  /// - Parameter methods: those that this path takes.
  static func methodNotAllowed(allow methods: String) -> HTTPResponse {
    var response = text("this path takes \(methods)\n", .methodNotAllowed)
    response.fields.append(Field("Allow", methods))
    return response
  }

  /// Refused because there is too much of something; it is worth another try.
  static func tooMany(_ what: String, retrySeconds: Int) -> HTTPResponse {
    var response = text("too many \(what)\n", .unavailable)
    response.fields.append(Field("Retry-After", "\(retrySeconds)"))
    return response
  }

  // MARK: On the wire

  /// - Parameter isHead: the content is left out.
  func write(into output: inout [UInt8], isHead: Bool, keepsConnection: Bool) {
    let length = isOpen ? [] : [Field("Content-Length", "\(body.count)")]
    writeHead(into: &output, fields + length, keepsConnection)
    if !isHead { output.append(contentsOf: body) }
  }

  /// The same for content that goes on until the connection ends.
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
