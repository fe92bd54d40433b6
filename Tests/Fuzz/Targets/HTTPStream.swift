import HTTP1

/// A stream of HTTP/1.1, or of events, read in one piece, byte by byte and in uneven pieces: always the same must come
/// out.
///
/// The input's first byte chooses the pieces, its second what reads the stream; the rest is the stream.
struct HTTPStream {
  private static let contentBytes = 64

  private let stream: [UInt8]
  private let pieces: [Range<Int>]
  private let choice: UInt8

  init(_ input: [UInt8]) {
    let stream = Array(input.dropFirst(2))
    self.stream = stream
    pieces = UnevenPieces.of(stream, chosenBy: input.first ?? 0)
    choice = input.dropFirst().first ?? 0
  }

  func check() throws(Violation) {
    switch choice % 4 {
    case 0: try check { Self.requests(["GET", "HEAD"], contentBytes: 0) }
    case 1: try check { Self.requests(["GET", "POST"], contentBytes: Self.contentBytes) }
    case 2: try check { Self.responses() }
    default: try check { EventReading(eventBytes: Self.contentBytes) }
    }
  }

  private static func requests(
    _ methods: Set<String>, contentBytes: Int
  ) -> MessageReading<HTTPRequestReader> {
    var limits = HTTPRequestReader.Limits()
    limits.contentBytes = contentBytes
    return MessageReading(HTTPRequestReader(methods: methods, limits: limits), contentBytes: contentBytes)
  }

  private static func responses() -> MessageReading<HTTPResponseReader> {
    var limits = HTTPResponseReader.Limits()
    limits.contentBytes = contentBytes
    return MessageReading(HTTPResponseReader(limits: limits), contentBytes: contentBytes)
  }

  private func check<Reading: StreamReading>(_ reading: () -> Reading) throws(Violation) {
    let whole = Self.outcome(of: reading(), stream, in: [stream.indices])
    try require(whole == Self.outcome(of: reading(), stream, in: pieces), "it matters where it is cut")
    let bytes = stream.indices.map { $0..<$0 + 1 }
    try require(whole == Self.outcome(of: reading(), stream, in: bytes), "bytes are read otherwise")
    try whole.check()
  }

  private static func outcome<Reading: StreamReading>(
    of reading: Reading, _ stream: [UInt8], in pieces: [Range<Int>]
  ) -> Reading {
    var reading = reading
    for piece in pieces where !reading.hasFailed { reading.read(Array(stream[piece])) }
    return reading
  }
}

/// What one reader made of a stream.
private protocol StreamReading {
  var hasFailed: Bool { get }
  mutating func read(_ bytes: [UInt8])
  /// What those who use the reader rely on.
  func check() throws(Violation)
  static func == (one: Self, other: Self) -> Bool
}

private struct MessageReading<Reader: HTTPMessageReader>: StreamReading {
  private let contentBytes: Int
  private var reader: Reader
  private var heads: [Reader.Head] = []
  /// Of each head, what has come of its content.
  private var contents: [[UInt8]] = []
  private var endCount = 0
  private var fault: HTTPFault?

  init(_ reader: Reader, contentBytes: Int) {
    self.reader = reader
    self.contentBytes = contentBytes
  }

  var hasFailed: Bool { fault != nil }

  mutating func read(_ bytes: [UInt8]) {
    var offset = 0
    while fault == nil {
      switch reader.next(in: bytes.span, count: bytes.count, from: &offset) {
      case .more: return
      case .head(let head):
        heads.append(head)
        contents.append([])
      case .content(let range): contents[contents.count - 1] += bytes[range]
      case .end: endCount += 1
      case .fault(let fault): self.fault = fault
      }
    }
  }

  func check() throws(Violation) {
    for head in heads {
      if let head = head as? HTTPRequestHead { try Self.check(head) }
      if let head = head as? HTTPResponseHead {
        try require((100...999).contains(head.status), "a status is none")
      }
    }
    try require(contents.allSatisfy { $0.count <= contentBytes }, "a content is longer than it may be")
    let isSilent = zip(heads, contents).allSatisfy { $0.framing != .none || $1.isEmpty }
    try require(isSilent, "what has no content has some")
    let withContent = heads.count { $0.framing != .none }
    try require((withContent - 1...withContent).contains(endCount), "an end is missing, or is one too many")
    guard let fault else { return }
    try require(fault.status.rawValue >= 400 && !fault.reason.isEmpty, "a fault is none")
    try require(!fault.reason.utf8.contains { $0 < 0x20 }, "a reason breaks its line")
  }

  private static func check(_ head: HTTPRequestHead) throws(Violation) {
    let target = head.target
    try require(target.path.utf8.first == UInt8(ascii: "/"), "a path begins without a slash")
    let isPlain = target.path.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    try require(isPlain, "a path holds a control character")
    try require(target.query.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "a query holds a space")
    let host = head.host?.name.utf8.allSatisfy { (0x21...0x7e).contains($0) } ?? true
    try require(host, "a host is no name")
    try require(head.framing != .connectionEnd, "a request ends with its connection")
    _ = target.parameter("a")
  }

  static func == (one: MessageReading, other: MessageReading) -> Bool {
    one.heads == other.heads && one.contents == other.contents && one.endCount == other.endCount
      && one.fault == other.fault
  }
}

private struct EventReading: StreamReading {
  private var reader: ServerSentEventReader
  private var events: [ServerSentEvent] = []
  private(set) var hasFailed = false

  init(eventBytes: Int) { reader = ServerSentEventReader(eventLimitBytes: eventBytes) }

  mutating func read(_ bytes: [UInt8]) {
    var offset = 0
    while true {
      switch reader.next(in: bytes.span, count: bytes.count, from: &offset) {
      case .more: return
      case .event(let event): events.append(event)
      case .tooLong:
        hasFailed = true
        return
      }
    }
  }

  /// What was read and is written again is read as the same.
  func check() throws(Violation) {
    for event in events {
      var bytes: [UInt8] = []
      ServerSentEvent.write(type: event.type, data: event.data, into: &bytes)
      var reader = ServerSentEventReader()
      var offset = 0
      let again = reader.next(in: bytes.span, count: bytes.count, from: &offset)
      let expected = ServerSentEvent(type: event.type, data: event.data)
      try require(again == .event(expected), "an event is not read as it was written")
    }
  }

  static func == (one: EventReading, other: EventReading) -> Bool {
    one.events == other.events && one.hasFailed == other.hasFailed
  }
}
