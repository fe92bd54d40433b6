import CAdminPage

/// The live page and its script policy: only scripts of the page itself run, under a new nonce each time.
///
/// Later content, such as a key that looks like a script or an event handler, is never run.
package struct LivePage {
  private static let tag = Array("<script>".utf8)

  /// The page, cut at the places where the nonce of a script belongs.
  private let parts: [[UInt8]]

  package init(_ bytes: [UInt8]) {
    var parts: [[UInt8]] = [[]]
    var index = 0
    while index < bytes.count {
      if bytes[index] == Self.tag[0], bytes[index...].starts(with: Self.tag) {
        parts.append([])
        index += Self.tag.count
      } else {
        parts[parts.count - 1].append(bytes[index])
        index += 1
      }
    }
    self.parts = parts
  }

  package static func embedded() -> LivePage {
    // The bytes are part of the program, and stay valid.
    unsafe LivePage(
      Array(
        UnsafeBufferPointer(start: lastword_admin_page(), count: lastword_admin_page_byte_count())))
  }

  package func response() -> HTTPResponse {
    let name = Self.name()
    let tag = Array("<script nonce=\"\(name)\">".utf8)
    let body = Array(parts.joined(separator: tag))
    var response = HTTPResponse(type: "text/html; charset=utf-8", body)
    response.policy = [
      "default-src 'none'", "script-src 'nonce-\(name)'", "style-src 'unsafe-inline'", "img-src data:",
      "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")
    return response
  }

  /// A nonce of 128 random bits.
  private static func name() -> String {
    (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 16) }.joined()
  }
}
