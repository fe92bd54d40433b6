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
      if let progress: HTTPProgress<Head> = try place.next(in: bytes, count: count, from: &offset) {
        return progress
      }
      return try nextOfHead(bytes, count, &offset)
    } catch {
      return fail(error)
    }
  }

  /// The meaning of the connection's end; `more`: nothing is missing.
  package mutating func connectionEnded() -> HTTPProgress<Head> {
    switch place {
    case .fault(let fault): return .fault(fault)
    case .content(let reader) where reader.endsWithConnection:
      place = .head
      return .end
    case .head where head.byteCount == 0: return .more
    case .head, .content: return fail(.malformed("the connection ended within a response"))
    }
  }

  private mutating func fail(_ fault: HTTPFault) -> HTTPProgress<Head> {
    place = .fault(fault)
    return .fault(fault)
  }

  /// What was of the head is forgotten.
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
        let place = try HTTPPlace(
          behind: head, contentBytes: limits.contentBytes, trailerBytes: limits.headBytes)
        beginResponse()
        self.place = place
        return .head(head)
      }
    }
    return .more
  }
}
