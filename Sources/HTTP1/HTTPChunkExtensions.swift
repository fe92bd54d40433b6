/// What may stand behind a chunk's size (RFC 9112 section 7.1.1). Nobody here wants to know it, but what is none could be
/// read in two ways.
enum HTTPChunkExtensions {
  /// Whether this is `;NAME`, `;NAME=VALUE` or `;NAME="VALUE"` as often as it likes, or nothing; blanks may stand around
  /// the semicolon's and the sign's other side.
  static func areSound(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      guard take(UInt8(ascii: ";"), from: &rest), takeToken(from: &rest) else { return false }
      guard take(UInt8(ascii: "="), from: &rest) else { continue }
      guard takeToken(from: &rest) || takeQuoted(from: &rest) else { return false }
    }
    return true
  }

  private static func skipBlanks(_ rest: inout ArraySlice<UInt8>) {
    rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
  }

  /// With blanks on both sides of it.
  private static func take(_ byte: UInt8, from rest: inout ArraySlice<UInt8>) -> Bool {
    var behind = rest
    skipBlanks(&behind)
    guard behind.first == byte else { return false }
    rest = behind.dropFirst()
    skipBlanks(&rest)
    return true
  }

  private static func takeToken(from rest: inout ArraySlice<UInt8>) -> Bool {
    let behind = rest.drop(while: \.isTokenCharacter)
    guard behind.startIndex > rest.startIndex else { return false }
    rest = behind
    return true
  }

  /// RFC 9110 section 5.6.4.
  private static func takeQuoted(from rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == UInt8(ascii: "\"") else { return false }
    var isEscaped = false
    for place in rest.indices.dropFirst() {
      if isEscaped {
        isEscaped = false
      } else if rest[place] == UInt8(ascii: "\\") {
        isEscaped = true
      } else if rest[place] == UInt8(ascii: "\"") {
        rest = rest[(place + 1)...]
        return true
      }
    }
    return false
  }
}
