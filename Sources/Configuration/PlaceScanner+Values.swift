/// Values: only as much of them as is needed to know where each ends.
extension PlaceScanner {
  mutating func value(at path: SourcePath) {
    guard fault == nil else { return }
    switch peek() {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = string()
    case UInt8(ascii: "["): list(at: path)
    case UInt8(ascii: "{"): inlineTable(at: path)
    default: skipScalar()
    }
  }

  private mutating func skipScalar() {
    while let byte = peek(), !",]}#\n".utf8.contains(byte) { advance() }
  }

  private mutating func list(at path: SourcePath) {
    advance()
    var index = 0
    while skipToItem(), let byte = peek(), byte != UInt8(ascii: "]") {
      let begin = offset
      let element = path.appending(.index(index))
      note(element, SourcePlaces(place))
      value(at: element)
      index += 1
      if offset == begin { return }
    }
    advance()
  }

  private mutating func inlineTable(at path: SourcePath) {
    advance()
    while skipToItem(), let byte = peek(), byte != UInt8(ascii: "}") {
      let begin = offset
      pair(in: path)
      if offset == begin { return }
    }
    advance()
  }

  /// Skips what stands between items: blanks, line ends, comments, commas. False at the end of the text.
  private mutating func skipToItem() -> Bool {
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "#"): skipLine()
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: ","):
        advance()
      default: return true
      }
    }
    return false
  }
}
