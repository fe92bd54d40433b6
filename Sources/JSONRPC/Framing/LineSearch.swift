/// Finds the lines that may be messages in a stream that holds others as well, and counts the others.
///
/// What may be one begins with a brace or a bracket. Nothing of the rest is kept, however long a line is.
struct LineSearch {
  private enum Place {
    /// So many bytes of a byte order mark have come. A whole one is ignored, a part of one is noise.
    case streamStart(markByteCount: Int)
    case lineStart, noise
  }

  private static let byteOrderMark: StaticString = "\u{FEFF}"

  private var place = Place.streamStart(markByteCount: 0)
  /// Lines that are no messages and not blank.
  private(set) var noiseCount = 0

  /// Moves `offset` to where a message begins or, when none does, behind the chunk's first `count` bytes.
  mutating func skipNoise(_ chunk: Span<UInt8>, count: Int, to offset: inout Int) {
    while offset < count {
      let byte = chunk[offset]
      switch place {
      case .streamStart(let markByteCount):
        if take(byte, ofMarkAt: markByteCount) { offset += 1 }
      case .noise:
        endNoise(chunk, count: count, to: &offset)
      case .lineStart where byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["):
        return
      case .lineStart where byte.isJSONWhitespace:
        offset += 1
      case .lineStart:
        place = .noise
      }
    }
  }

  private mutating func take(_ byte: UInt8, ofMarkAt markByteCount: Int) -> Bool {
    guard byte == Self.byteOrderMark.byte(at: markByteCount) else {
      place = markByteCount == 0 ? .lineStart : .noise
      return false
    }
    let isWhole = markByteCount + 1 == Self.byteOrderMark.utf8CodeUnitCount
    place = isWhole ? .lineStart : .streamStart(markByteCount: markByteCount + 1)
    return true
  }

  private mutating func endNoise(_ chunk: Span<UInt8>, count: Int, to offset: inout Int) {
    guard let lineEnd = chunk.firstOffset(of: UInt8(ascii: "\n"), in: offset..<count) else {
      offset = count
      return
    }
    offset = lineEnd + 1
    place = .lineStart
    noiseCount &+= 1
  }
}
