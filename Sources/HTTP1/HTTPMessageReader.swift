/// What reading a stream of requests, or of responses, comes to next.
package enum HTTPProgress<Head: HTTPMessageHead>: Equatable {
  /// All bytes are read.
  case more
  /// If its framing is `none`, the message is whole.
  case head(Head)
  /// These of the bytes are the content's next.
  case content(Range<Int>)
  /// The content has ended, and the message with it.
  case end
  /// No message can come any more: where it would begin is not known.
  case fault(HTTPFault)
}

/// What a message says before its content.
package protocol HTTPMessageHead: Equatable, Sendable {
  var fields: HTTPFields { get }
  var framing: HTTPContentFraming { get }
  /// Another message may follow.
  var keepsConnection: Bool { get }
}

/// Decides what messages a peer's bytes are, or why they are none, however the bytes are cut.
///
/// Lines are as RFC 9112 spells them: with CR and LF, and without folding.
package protocol HTTPMessageReader {
  associatedtype Head: HTTPMessageHead

  /// Reads on to the next thing that can be said, or to the end of the first `count` bytes.
  mutating func next(in bytes: Span<UInt8>, count: Int, from offset: inout Int) -> HTTPProgress<Head>
}

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
