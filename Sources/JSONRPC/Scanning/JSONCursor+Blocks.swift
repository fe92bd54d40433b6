/// Skipping the inside of long strings by several blocks that are looked at as a whole.
extension JSONCursor {
  /// Blocks that begin below a text's end do not reach beyond its slack.
  private static let blocksByteCount = 4 * StringBlock.byteCount

  /// Where the first blocks begin that have something special in them, or are no more in the text.
  @inline(never)
  func endOfPlainBlocks(from start: Int, in bytes: Span<UInt8>) -> Int {
    var start = start
    while start < end, Self.arePlainBlocks(at: start, in: bytes) { start &+= Self.blocksByteCount }
    return start
  }

  @inline(always)
  private static func arePlainBlocks(at start: Int, in bytes: Span<UInt8>) -> Bool {
    let first = StringBlock(at: start, in: bytes)
      .merged(with: StringBlock(at: start &+ StringBlock.byteCount, in: bytes))
    let second = StringBlock(at: start &+ 2 &* StringBlock.byteCount, in: bytes)
      .merged(with: StringBlock(at: start &+ 3 &* StringBlock.byteCount, in: bytes))
    return first.merged(with: second).isPlain
  }
}
