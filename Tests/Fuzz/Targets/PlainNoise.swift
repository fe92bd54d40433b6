import JSONRPC

/// The framings read plainly from a stream that holds other text as well: whatever can be a message is one.
enum PlainNoise {
  private static let lengthName = Array("content-length:".utf8)

  static func lines(of stream: [UInt8], limitBytes: Int) -> [Framed] {
    var lines = stream.split(separator: 0x0A, omittingEmptySubsequences: false)
    if lines[0].starts(with: [0xEF, 0xBB, 0xBF]) { lines[0] = lines[0].dropFirst(3) }
    let unfinished = lines.removeLast()
    var frames = lines.compactMap(content).map { frame(of: $0, limitBytes: limitBytes) }
    if let begun = content(of: unfinished), begun.count > limitBytes {
      frames.append(frame(of: begun, limitBytes: limitBytes))
    }
    return frames
  }

  /// Nil for a line that is no message.
  private static func content(of line: ArraySlice<UInt8>) -> [UInt8]? {
    let text = line.drop { [0x20, 0x09, 0x0D].contains($0) }
    guard let first = text.first, first == 0x7B || first == 0x5B else { return nil }
    return Array(text.last == 0x0D ? text.dropLast() : text)
  }

  /// Every body is behind the first place from which on there is a right header.
  static func bodies(of stream: [UInt8], limitBytes: Int) -> [Framed] {
    var frames: [Framed] = []
    var rest = stream[...]
    while let (length, body) = firstHeader(in: rest) {
      rest = body
      // It is told once its beginning has come, of which so much is kept here.
      if length > limitBytes, rest.count >= limitBytes {
        frames.append(.tooLong(Array(rest.prefix(limitBytes))))
      }
      guard length <= rest.count else { return frames }
      if length <= limitBytes { frames.append(.message(Array(rest.prefix(length)))) }
      rest = rest.dropFirst(length)
    }
    return frames
  }

  private static func firstHeader(
    in text: ArraySlice<UInt8>
  ) -> (length: Int, behind: ArraySlice<UInt8>)? {
    for start in text.indices where isLengthName(text[start...].prefix(lengthName.count)) {
      guard let header = PlainFraming.header(of: text[start...]) else { return nil }
      guard let length = PlainFraming.length(in: header) else { continue }
      return (length, text[(header.endIndex + 4)...])
    }
    return nil
  }

  private static func isLengthName(_ text: ArraySlice<UInt8>) -> Bool {
    text.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } == lengthName
  }

  private static func frame(of line: [UInt8], limitBytes: Int) -> Framed {
    line.count > limitBytes ? .tooLong(Array(line.prefix(limitBytes))) : .message(line)
  }
}
