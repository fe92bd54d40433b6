/// Finds the header blocks in a stream that holds other text as well, and counts the lines of that.
///
/// A block begins with its length, wherever that stands in a line; what comes before is other text. When a block
/// turns out to be wrong, the search goes on from there: the bytes until then were right, so whatever stood in
/// them, a block that began later would have to end in the same wrong byte.
struct HeaderSearch {
  private static let lengthName: StaticString = "content-length:"

  /// The block that has begun.
  private var header: HeaderReader?
  /// So many bytes of the length's name have come.
  private var nameByteCount = 0
  private var line = NoiseLine()
  /// Lines of other text, and pieces of lines before a block.
  private(set) var noiseCount = 0

  /// Whether a block has, which may turn out to be none.
  var hasBegun: Bool { header != nil }

  /// Reads on to the end of a block or of the chunk's first `count` bytes; nothing is ever wrong.
  mutating func read(
    _ chunk: Span<UInt8>, count: Int, from offset: inout Int
  ) -> HeaderReader.Progress {
    if header == nil, line.isEmpty,
      let bodyByteCount = HeaderReader.readFastBlock(chunk, count: count, from: &offset)
    {
      return .complete(bodyByteCount: bodyByteCount)
    }
    while offset < count {
      switch header?.read(chunk, count: count, from: &offset) {
      case nil: skipNoise(chunk, count: count, from: &offset)
      case .more: return .more
      case .wrong: giveUp(from: &offset)
      case .complete(let bodyByteCount):
        header = nil
        endLine()
        return .complete(bodyByteCount: bodyByteCount)
      }
    }
    return .more
  }
}

extension HeaderSearch {
  /// Reads on to where a block may begin.
  private mutating func skipNoise(_ chunk: Span<UInt8>, count: Int, from offset: inout Int) {
    while offset < count && header == nil {
      skip(chunk[offset])
      offset += 1
    }
  }

  private mutating func skip(_ byte: UInt8) {
    if byte == UInt8(ascii: "\n") {
      nameByteCount = 0
      return endLine()
    }
    line.append(byte)
    // The name's first letter is nowhere else in it, so that there is only one way to go on.
    if byte.smallLetter != Self.lengthName.byte(at: nameByteCount) { nameByteCount = 0 }
    if byte.smallLetter == Self.lengthName.byte(at: nameByteCount) { nameByteCount += 1 }
    guard nameByteCount == Self.lengthName.utf8CodeUnitCount else { return }
    line.removeLast(nameByteCount)
    beginHeader()
  }

  private mutating func beginHeader() {
    header = .afterLengthName
    nameByteCount = 0
  }

  /// What looked like a block is other text. It may be so because another block begins before its end.
  private mutating func giveUp(from offset: inout Int) {
    let isAtSecondLength = header?.isAtSecondLength ?? false
    header = nil
    line.becomeNoise()
    guard isAtSecondLength else { return }
    offset += 1
    endLine()
    beginHeader()
  }

  private mutating func endLine() {
    if line.isNoise { noiseCount &+= 1 }
    line = NoiseLine()
  }
}
