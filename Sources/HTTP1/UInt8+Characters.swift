/// The characters that names are made of.
extension UInt8 {
  package var isLetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }

  /// Whether the name of a header's field may contain this (RFC 9110 section 5.6.2).
  package var isTokenCharacter: Bool {
    switch self {
    case _ where isLetterOrDigit: true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "*"), UInt8(ascii: "+"): true
    case UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "^")...UInt8(ascii: "`"): true
    case UInt8(ascii: "|"), UInt8(ascii: "~"): true
    default: false
    }
  }
}
