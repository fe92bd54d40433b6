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

  /// So many bytes are always enough.
  static let decidingBytes = emptyLine.utf8CodeUnitCount + 8
  private static let emptyLine: StaticString = "\r\n"

  /// - Parameter bytes: all that has come; more than a method's are not looked at. One empty line before it does not
  ///   count (RFC 9112 section 2.2); before anything else it is a line itself, of which nobody hears.
  init(_ bytes: [UInt8]) {
    guard bytes.first == UInt8(ascii: "\r"), Self.begins(Self.emptyLine, like: bytes) else {
      self.init(behindEmptyLine: bytes[...])
      return
    }
    let word = FirstWord(behindEmptyLine: bytes.dropFirst(Self.emptyLine.utf8CodeUnitCount))
    self = word == .header ? .line : word
  }

  private init(behindEmptyLine bytes: ArraySlice<UInt8>) {
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

  private static func begins(_ method: StaticString, like bytes: some Collection<UInt8>) -> Bool {
    zip(0..<method.utf8CodeUnitCount, bytes).allSatisfy { method.byte(at: $0) == $1 }
  }
}
