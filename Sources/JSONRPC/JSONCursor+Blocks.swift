/// Skipping the inside of long strings by blocks that are looked at as a whole.
extension JSONCursor {
  /// A block that begins below a text's end does not reach beyond its slack.
  private static let blockByteCount = JSONText.slackByteCount

  /// Where the first block begins that has something special in it, or is no more in the text.
  @inline(never)
  func endOfPlainBlocks(in bytes: Span<UInt8>) -> Int {
    var start = position
    while start < end, Self.isPlainBlock(at: start, in: bytes) { start &+= Self.blockByteCount }
    return start
  }

  /// The same test as `StringBlock`, spelt byte by byte: the compiler makes vectors of it.
  @inline(always)
  private static func isPlainBlock(at start: Int, in bytes: Span<UInt8>) -> Bool {
    var marks: UInt8 = 0
    for offset in 0..<blockByteCount {
      // In the text or its slack.
      let byte = unsafe bytes[unchecked: start &+ offset]
      marks |= ((byte ^ 0x02) &- 0x21) | ((byte ^ 0x5C) &- 1) | byte
    }
    return marks & 0x80 == 0
  }
}
