/// Skipping the inside of long strings by several blocks that are looked at as a whole.
extension JSONCursor {
  /// Where the first blocks begin that have something special in them, or are no more in the text.
  @inline(never)
  func endOfPlainBlocks(from start: Int, in bytes: Span<UInt8>) -> Int {
    var start = start
    // Blocks that begin below a text's end do not reach beyond its slack.
    while start < end, StringEnds.allMarks(at: start, in: bytes) == 0 { start &+= StringEnds.blockByteCount }
    return start
  }
}
