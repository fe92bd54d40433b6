/// Where in a message a reader is.
enum HTTPPlace {
  case head
  case content(HTTPContentReader)
  case fault(HTTPFault)

  /// Behind a head: in its content, or, where there is none, before the next.
  init(
    behind head: some HTTPMessageHead, contentBytes: Int, trailerBytes: Int
  ) throws(HTTPFault) {
    let content = try HTTPContentReader(
      head.framing, limitBytes: contentBytes, trailerLimitBytes: trailerBytes)
    self = head.framing == .none ? .head : .content(content)
  }

  /// Reads on where no head is read; nil: one is.
  mutating func next<Head>(
    in bytes: Span<UInt8>, count: Int, from offset: inout Int
  ) throws(HTTPFault) -> HTTPProgress<Head>? {
    switch self {
    case .head: return nil
    case .fault(let fault): return .fault(fault)
    case .content(var reader):
      let progress: HTTPProgress<Head> = try reader.next(in: bytes, count: count, from: &offset)
      self = if progress == .end { .head } else { .content(reader) }
      return progress
    }
  }
}
