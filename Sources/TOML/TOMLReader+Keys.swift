extension TOMLReader {
  /// `a."b c".d`, and the blanks behind it.
  mutating func dottedKey() throws(TOMLFault) -> TOMLPath {
    var path = TOMLPath(try key())
    while text.take(".") {
      path.append(try key())
      // However deep what it is in.
      guard path.way.count < limits.nestingLevels else { throw tree.tooDeep(path.last.place) }
    }
    return path
  }

  /// One part, and the blanks around it.
  private mutating func key() throws(TOMLFault) -> TOMLKey {
    text.skipBlanks()
    let place = text.place
    try count(at: place)
    let key = TOMLKey(name: try simpleKey(), place: place)
    text.skipBlanks()
    return key
  }

  private mutating func simpleKey() throws(TOMLFault) -> String {
    if let quote = text.peek(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      return try shortString(quote)
    }
    let name = text.takeWhile {
      $0.isDigit || $0.isLetter || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
    }
    guard !name.isEmpty else { throw TOMLFault(text.place, "a key must stand here, not \(text.found)") }
    return String(decoding: name, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}
