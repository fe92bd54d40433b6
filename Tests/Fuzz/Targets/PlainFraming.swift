import JSONRPC

/// The framings read plainly, from a stream that is there as a whole, with no care for speed or memory.
enum PlainFraming {
  static func lines(of stream: [UInt8], limitBytes: Int) -> [Framed] {
    var lines = stream.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    let unfinished = lines.removeLast()
    var frames = lines.enumerated().compactMap { number, line in
      frame(ofLine: content(of: line, isFirst: number == 0), limitBytes: limitBytes)
    }
    if content(of: unfinished, isFirst: lines.isEmpty).count > limitBytes { frames.append(.tooLong()) }
    return frames
  }

  private static func frame(ofLine line: [UInt8], limitBytes: Int) -> Framed? {
    if line.count > limitBytes { return .tooLong() }
    return line.allSatisfy { [0x20, 0x09, 0x0D].contains($0) } ? nil : .message(line)
  }

  private static func content(of line: [UInt8], isFirst: Bool) -> [UInt8] {
    let withoutEnd = line.last == 0x0D ? line.dropLast() : line[...]
    let isMarked = isFirst && withoutEnd.starts(with: [0xEF, 0xBB, 0xBF])
    return Array(isMarked ? withoutEnd.dropFirst(3) : withoutEnd)
  }

  /// What there is before the first header that is wrong or has not ended.
  static func bodies(of stream: [UInt8], limitBytes: Int) -> (frames: [Framed], endsInHeader: Bool) {
    var frames: [Framed] = []
    var rest = stream[...]
    while !rest.isEmpty {
      guard let header = header(of: rest) else {
        return rest.count > WireLimits.headerBytes ? (frames + [.badHeader], false) : (frames, true)
      }
      guard let length = length(in: header), header.count + 4 <= WireLimits.headerBytes else {
        return (frames + [.badHeader], false)
      }
      rest = rest.dropFirst(header.count + 4)
      if length > limitBytes { frames.append(.tooLong()) }
      guard length <= rest.count else { return (frames, false) }
      if length <= limitBytes { frames.append(.message(Array(rest.prefix(length)))) }
      rest = rest.dropFirst(length)
    }
    return (frames, false)
  }

  /// Everything up to the first empty line.
  static func header(of rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var start = rest.startIndex
    while start + 4 <= rest.endIndex {
      if rest[start..<start + 4].elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) { return rest[..<start] }
      start += 1
    }
    return nil
  }

  static func length(in header: ArraySlice<UInt8>) -> Int? {
    var lengths: [Int?] = []
    for line in header.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let isLast = line.element.endIndex == header.endIndex
      guard isLast || line.element.last == 0x0D else { return nil }
      guard let (name, value) = field(isLast ? line.element : line.element.dropLast()) else { return nil }
      if name == "content-length" { lengths.append(number(value)) }
    }
    return lengths.count == 1 ? lengths[0] : nil
  }

  private static func field(_ line: ArraySlice<UInt8>) -> (name: String, value: ArraySlice<UInt8>)? {
    guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex else { return nil }
    let name = String(decoding: line[..<colon], as: UTF8.self)
    let value = line[(colon + 1)...]
    let marks = "!#$%&'*+-.^_`|~"
    let isNameRight = name.unicodeScalars.allSatisfy {
      $0.isASCII
        && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || marks.unicodeScalars.contains($0))
    }
    let isValueRight = value.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
    return isNameRight && isValueRight ? (name.lowercased(), value) : nil
  }

  private static func number(_ value: ArraySlice<UInt8>) -> Int? {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let digits = Array(value.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self))
  }
}
