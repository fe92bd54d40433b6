/// Puts lines together that end with CR and LF (RFC 9112 section 2.2), however their bytes are cut.
struct HTTPLineReader {
  private(set) var line: [UInt8] = []
  private var isAfterCR = false

  /// Returns whether the line has ended.
  mutating func take(_ byte: UInt8) throws(HTTPFault) -> Bool {
    if isAfterCR {
      guard byte == 0x0a else { throw .malformed("a line must end with CR and LF") }
      isAfterCR = false
      return true
    }
    if byte == 0x0d {
      isAfterCR = true
    } else {
      guard HTTPText.isInLine(byte) else { throw .malformed("a control character, or an LF without CR") }
      line.append(byte)
    }
    return false
  }

  mutating func beginLine() { line.removeAll(keepingCapacity: true) }
}
