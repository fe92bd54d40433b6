/// Keys and strings.
extension PlaceScanner {
  /// `a."b c".d`, up to what follows it.
  mutating func dottedKey() -> [(name: String, place: Place)] {
    var keys: [(name: String, place: Place)] = []
    repeat {
      skipBlanks()
      let begin = place
      guard let name = simpleKey() else { return keys }
      keys.append((name, begin))
      guard keys.count <= Self.largestDepth else {
        refuse(begin, "nested more than \(Self.largestDepth) levels deep")
        return keys
      }
      skipBlanks()
    } while take(UInt8(ascii: "."))
    return keys
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    advance()
    return true
  }

  private mutating func simpleKey() -> String? {
    if peek() == UInt8(ascii: "\"") || peek() == UInt8(ascii: "'") { return string() }
    let begin = offset
    while let byte = peek(), !" \t\r\n.=[]{}#,\"'".utf8.contains(byte) { advance() }
    return begin == offset ? nil : String(decoding: bytes[begin..<offset], as: UTF8.self)
  }

  /// A string of any of the four kinds; one of several lines comes untrimmed.
  mutating func string() -> String {
    guard let quote = peek() else { return "" }
    let isLong = peek(1) == quote && peek(2) == quote
    advance(isLong ? 3 : 1)
    var content: [UInt8] = []
    while let byte = peek() {
      if byte == quote && !isLong {
        advance()
        break
      } else if byte == quote && peek(1) == quote && peek(2) == quote {
        advance(3)
        // Up to two quotes may stand before the three that end it.
        while peek() == quote { advance() }
        break
      } else if byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") {
        escape(into: &content)
      } else {
        content.append(byte)
        advance()
      }
    }
    return String(decoding: content, as: UTF8.self)
  }

  private mutating func escape(into content: inout [UInt8]) {
    let begin = place
    advance()
    guard let letter = peek() else { return }
    advance()
    switch letter {
    case UInt8(ascii: "b"): content.append(0x08)
    case UInt8(ascii: "t"): content.append(0x09)
    case UInt8(ascii: "n"): content.append(0x0a)
    case UInt8(ascii: "f"): content.append(0x0c)
    case UInt8(ascii: "r"): content.append(0x0d)
    case UInt8(ascii: "u"): scalar(digits: 4, at: begin, into: &content)
    case UInt8(ascii: "U"): scalar(digits: 8, at: begin, into: &content)
    default: content.append(letter)
    }
  }

  private mutating func scalar(digits: Int, at place: Place, into content: inout [UInt8]) {
    let text = String(decoding: bytes[offset...].prefix(digits), as: UTF8.self)
    advance(digits)
    guard let value = UInt32(text, radix: 16), let scalar = Unicode.Scalar(value) else { return }
    // TOMLKit hands strings over as C strings, which end at a NUL.
    if value == 0 { refuse(place, "a string must not contain NUL") }
    content.append(contentsOf: String(Character(scalar)).utf8)
  }
}
