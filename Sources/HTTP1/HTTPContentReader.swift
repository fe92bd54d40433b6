/// Finds a message's content, and its end, in the bytes behind the head (RFC 9112 sections 6 and 7.1).
struct HTTPContentReader {
  /// The size of a chunk and what may stand behind it.
  static let chunkLineLimitBytes = 256

  private enum Place {
    case counted(leftBytes: Int)
    case untilConnectionEnd
    case chunkSize
    case chunk(leftBytes: Int)
    case chunkEnd
    case trailer
    case end
  }

  private let limitBytes: Int
  private let trailerLimitBytes: Int
  private var place: Place
  private var contentByteCount = 0
  private var lines = HTTPLineReader()
  private var trailerByteCount = 0

  init(_ framing: HTTPContentFraming, limitBytes: Int, trailerLimitBytes: Int) throws(HTTPFault) {
    self.limitBytes = limitBytes
    self.trailerLimitBytes = trailerLimitBytes
    switch framing {
    case .none: place = .end
    case .length(let count): place = .counted(leftBytes: count)
    case .chunked: place = .chunkSize
    case .connectionEnd: place = .untilConnectionEnd
    }
    if case .length(let count) = framing { try add(count) }
  }

  /// Whether it ends where the connection does.
  var endsWithConnection: Bool { if case .untilConnectionEnd = place { true } else { false } }

  /// Reads on to the next piece of the content, to its end, or to the end of the first `count` bytes.
  mutating func next<Head>(
    in bytes: Span<UInt8>, count: Int, from offset: inout Int
  ) throws(HTTPFault) -> HTTPProgress<Head> {
    while true {
      switch place {
      case .end, .counted(0):
        place = .end
        return .end
      case .chunk(0): place = .chunkEnd
      case .counted(let left):
        guard let range = Self.takeRange(upTo: left, count, &offset) else { return .more }
        place = .counted(leftBytes: left - range.count)
        return .content(range)
      case .chunk(let left):
        guard let range = Self.takeRange(upTo: left, count, &offset) else { return .more }
        place = .chunk(leftBytes: left - range.count)
        return .content(range)
      case .untilConnectionEnd:
        let room = max(1, limitBytes - contentByteCount)
        guard let range = Self.takeRange(upTo: room, count, &offset) else { return .more }
        try add(range.count)
        return .content(range)
      case .chunkSize, .chunkEnd, .trailer:
        guard offset < count else { return .more }
        offset += 1
        try take(bytes[offset - 1])
      }
    }
  }

  private static func takeRange(upTo left: Int, _ count: Int, _ offset: inout Int) -> Range<Int>? {
    guard offset < count else { return nil }
    let start = offset
    offset += min(left, count - start)
    return start..<offset
  }

  private mutating func add(_ count: Int) throws(HTTPFault) {
    guard count <= limitBytes - contentByteCount else {
      throw HTTPFault(.contentTooLarge, "the content has more than \(limitBytes) bytes")
    }
    contentByteCount += count
  }

  // MARK: Lines between chunks

  private mutating func take(_ byte: UInt8) throws(HTTPFault) {
    if case .trailer = place {
      trailerByteCount += 1
      guard trailerByteCount <= trailerLimitBytes else {
        throw HTTPFault(.headTooLarge, "the trailer has more than \(trailerLimitBytes) bytes")
      }
    }
    let hasEnded = try lines.take(byte)
    if case .chunkEnd = place, !lines.line.isEmpty {
      throw .malformed("a chunk is longer than its size says")
    }
    if case .chunkSize = place, lines.line.count > Self.chunkLineLimitBytes {
      throw .malformed("a chunk's size has more than \(Self.chunkLineLimitBytes) bytes")
    }
    if hasEnded { try endLine() }
  }

  private mutating func endLine() throws(HTTPFault) {
    defer { lines.beginLine() }
    switch place {
    case .chunkSize:
      let size = try Self.size(lines.line)
      try add(size)
      place = size == 0 ? .trailer : .chunk(leftBytes: size)
    case .trailer where !lines.line.isEmpty:
      // It is checked and not kept: whoever kept it would read the message in another way.
      var fields = HTTPFields()
      try fields.add(line: lines.line)
      guard fields.all.allSatisfy({ !Self.namesOfHead.contains($0.name) }) else {
        throw .malformed("the trailer has a field that only a head may have")
      }
    case .trailer: place = .end
    default: place = .chunkSize
    }
  }

  /// Fields that tell a message's end or its receiver (RFC 9110 section 6.5.1).
  private static let namesOfHead: Set = ["content-length", "host", "transfer-encoding"]

  private static func size(_ line: [UInt8]) throws(HTTPFault) -> Int {
    let digits = line.prefix { $0 != UInt8(ascii: ";") }
    guard !digits.isEmpty, let size = HTTPText.hexadecimalNumber(digits) else {
      throw .malformed("a chunk must begin with its size in hexadecimal digits")
    }
    guard HTTPChunkExtensions.areSound(line[digits.count...]) else {
      throw .malformed("what stands behind a chunk's size must be ;NAME or ;NAME=VALUE")
    }
    return size
  }
}
