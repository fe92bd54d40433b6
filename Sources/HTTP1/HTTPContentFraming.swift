/// How the end of a message's content is known (RFC 9112 section 6.3).
package enum HTTPContentFraming: Equatable, Sendable {
  /// There is none.
  case none
  /// It has so many bytes, at least one.
  case length(Int)
  case chunked
  /// It ends with the connection; only in a response.
  case connectionEnd

  /// The framing that the fields name; nil: none.
  ///
  /// Fields that readers could understand differently are refused: an attacker may want just that.
  init?(_ fields: HTTPFields) throws(HTTPFault) {
    let length = try Self.length(fields)
    guard let coding = try fields.single("Transfer-Encoding") else {
      guard let length else { return nil }
      self = length == 0 ? .none : .length(length)
      return
    }
    guard length == nil else {
      throw .malformed("Content-Length and Transfer-Encoding contradict each other")
    }
    guard HTTPText.lowercased(coding) == "chunked" else {
      throw HTTPFault(.notImplemented, "no Transfer-Encoding is known but chunked")
    }
    self = .chunked
  }

  private static func length(_ fields: HTTPFields) throws(HTTPFault) -> Int? {
    guard let text = try fields.single("Content-Length") else { return nil }
    guard !text.isEmpty, text.utf8.allSatisfy(HTTPText.isDigit) else {
      throw .malformed("Content-Length must be a number")
    }
    // No bound is larger than what does not fit.
    return Int(text) ?? .max
  }
}
