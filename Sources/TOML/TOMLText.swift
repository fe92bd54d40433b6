/// Goes through a text, and knows where it is.
struct TOMLText {
  let bytes: [UInt8]
  private(set) var offset = 0
  private(set) var place = Place.start

  /// - Parameter bytes: valid UTF-8.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
    if bytes.starts(with: byteOrderMark) { offset = byteOrderMark.count }
  }

  func peek(_ distance: Int = 0) -> UInt8? {
    offset + distance < bytes.count ? bytes[offset + distance] : nil
  }

  mutating func advance(_ count: Int = 1) {
    for _ in 0..<count where offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      if byte == UInt8(ascii: "\n") {
        place = Place(line: place.line + 1, column: 1)
      } else if byte & 0xc0 != 0x80 {
        place.column += 1
      }
    }
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek() == UInt8(ascii: character) else { return false }
    advance()
    return true
  }

  /// Up to the first byte of another kind.
  mutating func takeWhile(_ isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let begin = offset
    while let byte = peek(), isWanted(byte) { advance() }
    return bytes[begin..<offset]
  }

  mutating func skipBlanks() { _ = takeWhile { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }

  /// Whether a line ends here: LF, or CR LF.
  var isAtLineEnd: Bool { lineEndByteCount > 0 }

  mutating func takeLineEnd() -> Bool {
    let count = lineEndByteCount
    advance(count)
    return count > 0
  }

  private var lineEndByteCount: Int {
    switch peek() {
    case UInt8(ascii: "\n"): 1
    case UInt8(ascii: "\r") where peek(1) == UInt8(ascii: "\n"): 2
    default: 0
    }
  }

  /// What stands here, for messages.
  var found: String {
    guard let first = peek() else { return "the end of the file" }
    if isAtLineEnd { return "the end of the line" }
    let following = bytes[(offset + 1)...].prefix { $0 & 0xc0 == 0x80 }
    return Quoted.text(String(decoding: [first] + following, as: UTF8.self))
  }
}
