extension TOMLReader {
  /// Of any of the four kinds.
  mutating func string() throws(TOMLFault) -> String {
    let quote = text.peek() ?? 0
    let isLong = text.peek(1) == quote && text.peek(2) == quote
    return isLong ? try longString(quote) : try shortString(quote)
  }

  mutating func shortString(_ quote: UInt8) throws(TOMLFault) -> String {
    let begin = text.place
    var content: [UInt8] = []
    text.advance()
    while let byte = text.peek(), !text.isAtLineEnd {
      if byte == quote {
        text.advance()
        return String(decoding: content, as: UTF8.self)
      }
      try character(of: quote, into: &content)
    }
    throw TOMLFault(begin, "the string that begins here has no end in its line")
  }

  private mutating func longString(_ quote: UInt8) throws(TOMLFault) -> String {
    let begin = text.place
    var content: [UInt8] = []
    text.advance(3)
    _ = text.takeLineEnd()
    while let byte = text.peek() {
      if byte == quote {
        // Up to two quotes may stand before the three that end it.
        let quotes = (0..<5).prefix { text.peek($0) == quote }.count
        text.advance(quotes)
        content += Array(repeating: quote, count: quotes < 3 ? quotes : quotes - 3)
        if quotes >= 3 { return String(decoding: content, as: UTF8.self) }
      } else if text.takeLineEnd() {
        content.append(UInt8(ascii: "\n"))
      } else if byte != UInt8(ascii: "\\") || quote != UInt8(ascii: "\"") || !takeLineFolding() {
        try character(of: quote, into: &content)
      }
    }
    throw TOMLFault(begin, "the string that begins here has no end")
  }

  /// A backslash at the end of a line, and all white space behind it.
  private mutating func takeLineFolding() -> Bool {
    var folded = text
    folded.advance()
    folded.skipBlanks()
    guard folded.takeLineEnd() else { return false }
    repeat { folded.skipBlanks() } while folded.takeLineEnd()
    text = folded
    return true
  }

  private mutating func character(of quote: UInt8, into content: inout [UInt8]) throws(TOMLFault) {
    let begin = text.offset
    if text.peek() == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") {
      content += String(try escape()).utf8
    } else {
      try takeCharacter("a string")
      content += text.bytes[begin..<text.offset]
    }
  }

  // MARK: Escapes

  private mutating func escape() throws(TOMLFault) -> Character {
    let begin = text.place
    text.advance()
    let letter = text.peek()
    guard let letter, !text.isAtLineEnd else {
      throw TOMLFault(begin, "nothing follows the backslash")
    }
    let name = text.found
    text.advance()
    switch letter {
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): return Character(Unicode.Scalar(letter))
    case UInt8(ascii: "u"): return try scalar(digits: 4, from: begin)
    case UInt8(ascii: "U"): return try scalar(digits: 8, from: begin)
    default:
      throw TOMLFault(
        begin, "a backslash must not stand before \(name) here; one that is meant is written twice")
    }
  }

  private mutating func scalar(digits: Int, from begin: Place) throws(TOMLFault) -> Character {
    let word = text.bytes[text.offset...].prefix(digits)
    guard word.count == digits, word.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
      throw TOMLFault(begin, "\(digits) hexadecimal digits must follow")
    }
    text.advance(digits)
    let value = UInt32(String(decoding: word, as: UTF8.self), radix: 16) ?? 0
    // Paths and addresses would end there.
    guard value != 0 else { throw TOMLFault(begin, "a string must not contain NUL") }
    guard let scalar = Unicode.Scalar(value) else {
      throw TOMLFault(begin, "U+\(String(decoding: word, as: UTF8.self)) is no character")
    }
    return Character(scalar)
  }
}
