/// Reads a text of TOML 1.0: all that it says, each value with its place, or the first thing that is wrong.
package struct TOMLReader {
  let limits: TOMLLimits
  var text: TOMLText
  var tree: TOMLTree
  private var table = TOMLTree.root
  private var keyAndItemCount = 0

  package static func read(
    _ bytes: [UInt8], within limits: TOMLLimits = TOMLLimits()
  ) throws(TOMLFault) -> TOMLEntry {
    guard bytes.count <= limits.textBytes else {
      throw TOMLFault(.start, "the file is larger than \(limits.textBytes) bytes")
    }
    if let fault = TOMLFault.ofBytes(bytes) { throw fault }
    var reader = TOMLReader(bytes, limits)
    try reader.document()
    return TOMLEntry(
      content: reader.tree.content(of: TOMLTree.root), keyPlace: .start, valuePlace: .start)
  }

  private init(_ bytes: [UInt8], _ limits: TOMLLimits) {
    self.limits = limits
    text = TOMLText(bytes)
    tree = TOMLTree(nestingLevels: limits.nestingLevels)
  }

  private mutating func document() throws(TOMLFault) {
    repeat {
      text.skipBlanks()
      switch text.peek() {
      case UInt8(ascii: "["): try header()
      case let byte? where byte != UInt8(ascii: "#") && !text.isAtLineEnd: try pair(in: table)
      default: break
      }
    } while try takeRestOfLine()
  }

  /// False at the end of the text.
  private mutating func takeRestOfLine() throws(TOMLFault) -> Bool {
    text.skipBlanks()
    if text.peek() == UInt8(ascii: "#") { try skipComment() }
    guard !text.takeLineEnd() else { return true }
    guard text.peek() != nil else { return false }
    throw TOMLFault(text.place, "the line must end here, not go on with \(text.found)")
  }

  /// `[a.b]` or `[[a.b]]`.
  private mutating func header() throws(TOMLFault) {
    text.advance()
    let isElement = text.take("[")
    let path = try dottedKey()
    for _ in 0..<(isElement ? 2 : 1) where !text.take("]") {
      throw TOMLFault(text.place, "'\(isElement ? "]]" : "]")' must end the header, not \(text.found)")
    }
    table = isElement ? try tree.append(path) : try tree.open(path)
  }

  /// `a.b = value`.
  mutating func pair(in table: Int) throws(TOMLFault) {
    let path = try dottedKey()
    guard text.take("=") else {
      throw TOMLFault(text.place, "'=' must follow the key, not \(text.found)")
    }
    let parent = try tree.way(path.way, from: table)
    let level = try tree.levelOfNew(path.last, in: parent)
    text.skipBlanks()
    let place = text.place
    let content = try value(level: level)
    tree.add(path.last, content, at: place, to: parent)
  }

  // MARK: What all of it has

  mutating func skipComment() throws(TOMLFault) {
    while text.peek() != nil, !text.isAtLineEnd { try takeCharacter("a comment") }
  }

  /// Any character but those that nobody sees.
  mutating func takeCharacter(_ surroundings: String) throws(TOMLFault) {
    guard let byte = text.peek(), byte >= 0x20 && byte != 0x7f || byte == UInt8(ascii: "\t") else {
      throw TOMLFault(text.place, "\(surroundings) must not contain the control character \(text.found)")
    }
    text.advance()
  }

  mutating func count(at place: Place) throws(TOMLFault) {
    keyAndItemCount += 1
    guard keyAndItemCount <= limits.keysAndItems else {
      throw TOMLFault(place, "more than \(limits.keysAndItems) keys and items")
    }
  }
}
