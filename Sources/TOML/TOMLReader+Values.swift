extension TOMLReader {
  /// - Parameter level: how deep it stands; what it holds is one deeper.
  mutating func value(level: Int) throws(TOMLFault) -> TOMLEntry.Content {
    switch text.peek() {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): .text(try string())
    case UInt8(ascii: "["): .list(try list(level: level))
    case UInt8(ascii: "{"): try inlineTable(level: level)
    default: try word()
    }
  }

  private mutating func word() throws(TOMLFault) -> TOMLEntry.Content {
    let place = text.place
    var word = takeWord()
    guard !word.isEmpty else { throw TOMLFault(place, "a value must stand here, not \(text.found)") }
    // A time may stand behind a date and a space.
    if TOMLMoment(word) == .date, text.peek() == UInt8(ascii: " "), text.peek(1)?.isDigit == true {
      text.advance()
      word = text.bytes[word.startIndex..<takeWord().endIndex]
    }
    return try TOMLWord(word, at: place).content()
  }

  private mutating func takeWord() -> ArraySlice<UInt8> {
    text.takeWhile { !" \t\r\n#,]}".utf8.contains($0) }
  }

  // MARK: Arrays

  private mutating func list(level: Int) throws(TOMLFault) -> [TOMLEntry] {
    let begin = text.place
    var items: [TOMLEntry] = []
    text.advance()
    repeat {
      try skipToItem(ofListAt: begin)
      if text.take("]") { return items }
      let place = text.place
      try count(at: place)
      guard level < limits.nestingLevels else { throw tree.tooDeep(place) }
      items.append(TOMLEntry(content: try value(level: level + 1), keyPlace: place, valuePlace: place))
      try skipToItem(ofListAt: begin)
    } while text.take(",")
    guard text.take("]") else {
      throw TOMLFault(text.place, "',' or ']' must follow the array's item, not \(text.found)")
    }
    return items
  }

  /// Over blanks, line ends and comments.
  private mutating func skipToItem(ofListAt begin: Place) throws(TOMLFault) {
    repeat {
      text.skipBlanks()
      if text.peek() == UInt8(ascii: "#") { try skipComment() }
    } while text.takeLineEnd()
    if text.peek() == nil { throw TOMLFault(begin, "the array that begins here has no end") }
  }

  // MARK: Tables

  /// In one line, but for line ends in its values.
  private mutating func inlineTable(level: Int) throws(TOMLFault) -> TOMLEntry.Content {
    let begin = text.place
    let table = tree.addInline(at: begin, level: level)
    text.advance()
    text.skipBlanks()
    guard !text.take("}") else { return tree.close(table) }
    repeat {
      text.skipBlanks()
      try checkInline(begin)
      if text.peek() == UInt8(ascii: "}") { throw TOMLFault(text.place, "no ',' may stand before '}'") }
      try pair(in: table)
      text.skipBlanks()
    } while text.take(",")
    try checkInline(begin)
    guard text.take("}") else {
      throw TOMLFault(text.place, "',' or '}' must follow the table's value, not \(text.found)")
    }
    return tree.close(table)
  }

  private func checkInline(_ begin: Place) throws(TOMLFault) {
    guard text.peek() == nil || text.isAtLineEnd || text.peek() == UInt8(ascii: "#") else { return }
    throw TOMLFault(begin, "the table that begins here has no end in its line")
  }
}
