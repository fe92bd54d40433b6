import HTTP1
import JSONRPC

/// The head of a connection's last POST, and its reply's head: the next POST mostly has the same, and is then not
/// parsed again.
final class KnownPost {
  /// Longer heads are read each time.
  static let limitBytes = 1_024

  let head: HTTPKnownHead
  /// Which configuration it was read under.
  let generation: UInt64
  let limits: HTTPRequestReader.Limits
  let session: [UInt8]?
  /// What presents its token; empty: it has none.
  let prefix: [UInt8]
  let wantsEvents: Bool
  let replyFields: [(String, String)]
  /// What stands before the length of a usual reply, and behind it; of an event stream all is the first.
  let replyBefore: [UInt8]
  let replyAfter: [UInt8]

  /// - Parameter connection: it has just begun to read such a POST's content.
  init(_ head: HTTPKnownHead, session: [UInt8]?, of connection: HTTPConnection) {
    self.head = head
    self.session = session
    generation = connection.clients.generation
    limits = connection.clients.limits
    prefix = connection.prefix
    wantsEvents = connection.reply.isEventStream
    replyFields = connection.replyFields
    (replyBefore, replyAfter) = connection.replyPieces(isEventStream: wantsEvents)
  }

  /// Where the content lies if such a POST is at `offset`, and all of it has come.
  func content(in bytes: Span<UInt8>, count: Int, at offset: Int) -> Range<Int>? {
    let content = head.content(in: bytes, count: count, at: offset, limitBytes: limits.contentBytes)
    guard let content, content.lowerBound - offset <= limits.headBytes else { return nil }
    return content
  }

  /// The head of a usual reply.
  func writeReplyHead(length: Int, into output: inout [UInt8]) {
    output.append(contentsOf: replyBefore)
    output.append(decimal: UInt64(length))
    output.append(contentsOf: replyAfter)
  }
}
