/// Finds the lines that may be messages in a stream that holds others as well, and counts the others.
///
/// What may be one begins with a brace or a bracket. Nothing of the rest is kept, however long a line is.
struct LineSearch {
  private static let byteOrderMark: StaticString = "\u{FEFF}"

  private var isInNoise = false
  /// So many bytes of a byte order mark have come; all of them when none may come any more.
  private var markByteCount = 0
  /// Lines that are no messages and not blank.
  private(set) var noiseCount = 0

  /// Moves `offset` to where a message begins or, when none does, behind the chunk's first `count` bytes.
  mutating func skipNoise(_ chunk: Span<UInt8>, count: Int, to offset: inout Int) {
    while offset < count {
      if isInNoise {
        endNoise(chunk, count: count, to: &offset)
      } else if takeMark(chunk[offset]) || chunk[offset].isJSONWhitespace {
        offset += 1
      } else if !isInNoise {
        let isMessage = chunk[offset] == UInt8(ascii: "{") || chunk[offset] == UInt8(ascii: "[")
        if isMessage { return }
        isInNoise = true
      }
    }
  }

  private mutating func endNoise(_ chunk: Span<UInt8>, count: Int, to offset: inout Int) {
    guard let lineEnd = chunk.firstOffset(of: UInt8(ascii: "\n"), in: offset..<count) else {
      offset = count
      return
    }
    offset = lineEnd + 1
    isInNoise = false
    noiseCount &+= 1
  }

  /// Whether this is a byte of the mark that may open the stream. Only a part of one is noise.
  private mutating func takeMark(_ byte: UInt8) -> Bool {
    let markEnd = Self.byteOrderMark.utf8CodeUnitCount
    guard markByteCount < markEnd else { return false }
    if byte == Self.byteOrderMark.byte(at: markByteCount) {
      markByteCount += 1
      return true
    }
    isInNoise = markByteCount > 0
    markByteCount = markEnd
    return false
  }
}
