/// Decides what responses a server's bytes are; an interim one is followed by another.
package struct HTTPResponseReader: HTTPMessageReader {
  package typealias Head = HTTPResponseHead

  package struct Limits: Sendable {
    /// The first line, the fields, and the empty line behind them; a trailer may have as much once more.
    package var headBytes = 8 * 1024
    package var contentBytes = 64 * 1024

    package init() {}
  }

  private let isToHead: Bool
  private let limits: Limits
  private var place = HTTPPlace.head
  private var head: HTTPHeadReader
  private var line: [UInt8] = []

  /// - Parameter isToHead: what is read are responses to HEAD.
  package init(isToHead: Bool = false, limits: Limits = Limits()) {
    self.isToHead = isToHead
    self.limits = limits
    head = HTTPHeadReader(limitBytes: limits.headBytes)
  }

  package mutating func next(in bytes: Span<UInt8>, count: Int, from offset: inout Int) -> HTTPProgress<Head>
  {
    do throws(HTTPFault) {
      switch place {
      case .fault(let fault): return .fault(fault)
      case .head: return try nextOfHead(bytes, count, &offset)
      case .content(let reader): return try nextOfContent(reader, bytes, count, &offset)
      }
    } catch {
      return fail(error)
    }
  }

  /// What the end of the connection means: `more` is that nothing is missing.
  package mutating func connectionEnded() -> HTTPProgress<Head> {
    switch place {
    case .fault(let fault): return .fault(fault)
    case .content(let reader) where reader.endsWithConnection:
      beginResponse()
      return .end
    case .head where head.byteCount == 0: return .more
    case .head, .content: return fail(.malformed("the connection ended within a response"))
    }
  }

  private mutating func fail(_ fault: HTTPFault) -> HTTPProgress<Head> {
    place = .fault(fault)
    return .fault(fault)
  }

  private mutating func beginResponse() { self = HTTPResponseReader(isToHead: isToHead, limits: limits) }

  private mutating func nextOfHead(
    _ bytes: Span<UInt8>, _ count: Int, _ offset: inout Int
  ) throws(HTTPFault) -> HTTPProgress<Head> {
    while offset < count {
      offset += 1
      switch try head.take(bytes[offset - 1]) {
      case nil: continue
      case .startLine(let line): self.line = line
      case .fields(let fields):
        let head = try HTTPResponseHead(line, fields, isToHead: isToHead)
        let content = try HTTPContentReader(
          head.framing, limitBytes: limits.contentBytes, trailerLimitBytes: limits.headBytes)
        beginResponse()
        if head.framing != .none { place = .content(content) }
        return .head(head)
      }
    }
    return .more
  }

  private mutating func nextOfContent(
    _ reader: HTTPContentReader, _ bytes: Span<UInt8>, _ count: Int, _ offset: inout Int
  ) throws(HTTPFault) -> HTTPProgress<Head> {
    var reader = reader
    let progress = try reader.next(of: Head.self, in: bytes, count: count, from: &offset)
    place = .content(reader)
    if progress == .end { beginResponse() }
    return progress
  }
}
