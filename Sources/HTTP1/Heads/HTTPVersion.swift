/// As `HTTP/1.1` (RFC 9112 section 2.3).
struct HTTPVersion: Equatable {
  let major: UInt8
  let minor: UInt8

  /// Nil if it is none.
  init?(_ text: ArraySlice<UInt8>) {
    let bytes = Array(text)
    guard bytes.count == 8, bytes.starts(with: "HTTP/".utf8), bytes[6] == UInt8(ascii: "."),
      HTTPText.isDigit(bytes[5]), HTTPText.isDigit(bytes[7])
    else { return nil }
    major = bytes[5] - UInt8(ascii: "0")
    minor = bytes[7] - UInt8(ascii: "0")
  }
}
