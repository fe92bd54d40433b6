import JSONRPC

/// What the first bytes of a connection say about its protocol.
enum FirstWord: Equatable {
  /// They may be the beginning of a request of HTTP, or of something else.
  case undecided
  /// A method and a blank (RFC 9112 section 3): no JSON begins so, nor does a header of ours.
  case http
  /// `Content-Length`, or another header.
  case header
  case line

  private static let methods: [StaticString] = [
    "GET ", "HEAD ", "POST ", "PUT ", "DELETE ", "CONNECT ", "OPTIONS ", "TRACE ", "PATCH ",
  ]

  /// - Parameter bytes: all that has come; more than a method's are not looked at.
  init(_ bytes: [UInt8]) {
    guard let first = bytes.first else {
      self = .undecided
      return
    }
    for method in Self.methods where Self.begins(method, like: bytes) {
      self = bytes.count < method.utf8CodeUnitCount ? .undecided : .http
      return
    }
    self = first | 0x20 == UInt8(ascii: "c") ? .header : .line
  }

  private static func begins(_ method: StaticString, like bytes: [UInt8]) -> Bool {
    (0..<min(bytes.count, method.utf8CodeUnitCount)).allSatisfy { method.byte(at: $0) == bytes[$0] }
  }
}
