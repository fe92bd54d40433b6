import HTTP1
import Testing

typealias RequestReading = MessageReading<HTTPRequestReader>
typealias ResponseReading = MessageReading<HTTPResponseReader>

/// What a reader makes of bytes: in one piece and byte by byte, which must be the same.
struct MessageReading<Reader: HTTPMessageReader>: Equatable {
  var heads: [Reader.Head] = []
  /// Of each head, its content.
  var contents: [String] = []
  var endCount = 0
  var fault: HTTPFault?

  fileprivate static func of(
    _ text: String, _ reader: Reader, _ atEnd: (inout Reader) -> HTTPProgress<Reader.Head>
  ) -> MessageReading {
    let bytes = Array(text.utf8)
    let whole = reading([bytes], reader, atEnd)
    #expect(whole == reading(bytes.map { [$0] }, reader, atEnd), "it matters where it is cut")
    return whole
  }

  private static func reading(
    _ pieces: [[UInt8]], _ reader: Reader, _ atEnd: (inout Reader) -> HTTPProgress<Reader.Head>
  ) -> MessageReading {
    var reader = reader
    var reading = MessageReading()
    for piece in pieces where reading.fault == nil { reading.take(piece, &reader) }
    reading.note(atEnd(&reader), [])
    return reading
  }

  private mutating func take(_ bytes: [UInt8], _ reader: inout Reader) {
    var offset = 0
    while true {
      let progress = reader.next(in: bytes.span, count: bytes.count, from: &offset)
      note(progress, bytes)
      if progress == .more || fault != nil { return }
    }
  }

  private mutating func note(_ progress: HTTPProgress<Reader.Head>, _ bytes: [UInt8]) {
    switch progress {
    case .more: break
    case .head(let head):
      heads.append(head)
      contents.append("")
    case .content(let range): contents[contents.count - 1] += String(decoding: bytes[range], as: UTF8.self)
    case .end: endCount += 1
    case .fault(let fault): self.fault = fault
    }
  }
}

extension MessageReading<HTTPRequestReader> {
  static func of(_ text: String, contentBytes: Int = 16) -> RequestReading {
    var limits = HTTPRequestReader.Limits()
    limits.contentBytes = contentBytes
    return of(text, HTTPRequestReader(methods: ["GET", "POST"], limits: limits)) { _ in .more }
  }
}

extension MessageReading<HTTPResponseReader> {
  /// The text is all that comes: then the connection ends.
  static func of(_ text: String, isToHead: Bool = false, contentBytes: Int = 16) -> ResponseReading {
    var limits = HTTPResponseReader.Limits()
    limits.contentBytes = contentBytes
    return of(text, HTTPResponseReader(isToHead: isToHead, limits: limits)) { $0.connectionEnded() }
  }
}
