/// The characters and escapes that HTTP is made of.
package enum HTTPText {
  /// In small letters, as far as they are ASCII: a letter that Unicode takes for one of those is another one here.
  package static func lowercased(_ text: some StringProtocol) -> String {
    String(decoding: text.utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  package static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// What may stand in a line: no control characters but the tab.
  static func isInLine(_ byte: UInt8) -> Bool { (byte >= 0x20 && byte != 0x7f) || byte == 0x09 }

  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    guard let last = bytes.lastIndex(where: { !isBlank($0) }) else { return [] }
    return bytes[...last].drop(while: isBlank)
  }

  package static func string(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  /// With each `%2F` and the like as what it stands for; nil if one is no escape, or if the whole is no UTF-8.
  package static func unescaped(_ bytes: some Sequence<UInt8>, plusIsSpace: Bool = false) -> String? {
    var result: [UInt8] = []
    var next = bytes.makeIterator()
    while let byte = next.next() {
      if byte == UInt8(ascii: "%") {
        guard let high = next.next().flatMap(hexadecimal), let low = next.next().flatMap(hexadecimal)
        else { return nil }
        result.append(high << 4 | low)
      } else {
        result.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    return String(validating: result, as: UTF8.self)
  }

  /// Nil if it is none, or too large.
  static func hexadecimalNumber(_ digits: some Sequence<UInt8>) -> Int? {
    var number = 0
    for digit in digits {
      guard let value = hexadecimal(digit), number <= Int.max >> 4 else { return nil }
      number = number << 4 | Int(value)
    }
    return number
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
