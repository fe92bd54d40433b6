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
}

extension HTTPContentReader {
  /// Reads on, and says the same to whoever reads the whole message.
  mutating func next<Head>(
    of _: Head.Type, in bytes: Span<UInt8>, count: Int, from offset: inout Int
  ) throws(HTTPFault) -> HTTPProgress<Head> {
    switch try next(in: bytes, count: count, from: &offset) {
    case .more: .more
    case .content(let range): .content(range)
    case .end: .end
    }
  }
}
