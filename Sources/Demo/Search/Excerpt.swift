extension Corpus {
  /// Bytes of a line that a result shows.
  static let excerptBytes = 160
  /// Bytes of them that come before the occurrence, at most, when the line is longer.
  private static let leadBytes = 40

  /// The line around an occurrence, trimmed, and cut where characters begin.
  func excerpt(around match: Int, in text: Range<Int>) -> [UInt8] {
    var line = bytes[bytes.line(around: match, in: text)]
    line = line.drop { $0.isBlank }
    if line.count > Self.excerptBytes { line = line[max(line.startIndex, match - Self.leadBytes)...] }
    line = line.drop { $0.continuesCharacter }.prefix(Self.excerptBytes)
    if line.endIndex < bytes.count, bytes[line.endIndex].continuesCharacter {
      line = line.prefix(upTo: line.lastIndex { !$0.continuesCharacter } ?? line.startIndex)
    }
    while line.last?.isBlank == true { line.removeLast() }
    return Array(line)
  }

  func wordCount(of text: Range<Int>) -> UInt32 {
    var (count, wasWord) = (UInt32(0), false)
    for index in text {
      let isWord = ByteClass(bytes[index]).isWord
      if isWord && !wasWord { count += 1 }
      wasWord = isWord
    }
    return count
  }
}

extension UInt8 {
  var isBlank: Bool { self == UInt8(ascii: " ") || (9...13).contains(self) }
  /// Whether this byte is a later one of a character of several.
  var continuesCharacter: Bool { self & 0xc0 == 0x80 }
}
