import Client
import HTTP1
import JSONRPC

/// Finds the replies in a gateway's responses to POSTs, one after the other, over one connection.
final class PostFraming: ClientFraming {
  static let replyLimitBytes = 64 * 1024 * 1024
  private static let headLimitBytes = 64 * 1024
  static let slack = [UInt8](repeating: 0, count: JSONText.slackByteCount)

  let head: PostHead
  /// Of the response that is being read, or was last.
  private(set) var status = 0
  private var reader = HTTPResponseReader(limits: PostFraming.limits)
  private var memo = ReplyMemo(contentLimitBytes: PostFraming.replyLimitBytes)
  /// Whether no byte of the next response has come.
  private var isBetween = true
  private var keepsConnection = true
  /// nil: the content is one message.
  private var events: ServerSentEventReader?
  /// A content that comes in pieces, or an event.
  private var content: [UInt8] = []
  /// A response has ended; whether another may follow over its connection.
  private let onEnd: (Bool) -> Void

  private static var limits: HTTPResponseReader.Limits {
    var limits = HTTPResponseReader.Limits()
    limits.headBytes = headLimitBytes
    limits.contentBytes = replyLimitBytes
    return limits
  }

  init(_ head: PostHead, onEnd: @escaping (Bool) -> Void) {
    self.head = head
    self.onEnd = onEnd
  }

  func connection(_ connection: ClientConnection, receivedBytes bytes: Span<UInt8>, count: Int) {
    var offset = 0
    while !connection.isClosed {
      if isBetween, let known = memo.head(in: bytes, count: count, at: offset) {
        offset = known.content.upperBound
        (status, keepsConnection) = (known.status, known.keepsConnection)
        connection.deliver(bytes, known.content)
        if !connection.isClosed { onEnd(keepsConnection) }
        continue
      }
      let start = offset
      let wasBetween = isBetween
      switch reader.next(in: bytes, count: count, from: &offset) {
      case .more:
        if offset > start { isBetween = false }
        return
      case .head(let head):
        // Only a head that has come in one piece can be compared with later ones.
        if wasBetween, !isEventStream(head) { memo.remember(head, start..<offset, of: bytes) }
        began(head)
        if head.framing == .none, !head.isInterim { end(connection) }
      case .content(let range): take(range, of: bytes, over: connection)
      case .end: end(connection)
      case .fault(let fault): connection.fail("the gateway sent no HTTP: \(fault.reason)")
      }
    }
  }

  private func began(_ head: HTTPResponseHead) {
    isBetween = head.isInterim
    (status, keepsConnection) = (head.status, head.keepsConnection)
    events = isEventStream(head) ? ServerSentEventReader(eventLimitBytes: Self.replyLimitBytes) : nil
  }

  private func isEventStream(_ head: HTTPResponseHead) -> Bool {
    head.fields.values(of: "content-type") == ["text/event-stream"]
  }

  private func take(_ range: Range<Int>, of bytes: Span<UInt8>, over connection: ClientConnection) {
    guard events != nil else { return content.append(bytes, range) }
    var offset = range.lowerBound
    while !connection.isClosed {
      switch events?.next(in: bytes, count: range.upperBound, from: &offset) {
      case .event(let event):
        content = event.data
        deliverContent(over: connection)
      case .tooLong: connection.fail("the gateway sent an event that is too long")
      case .more, nil: return
      }
    }
  }

  private func deliverContent(over connection: ClientConnection) {
    let message = content.indices
    guard !message.isEmpty else { return }
    content.append(contentsOf: Self.slack)
    connection.deliver(content.span, message)
    content.removeAll(keepingCapacity: true)
  }

  private func end(_ connection: ClientConnection) {
    isBetween = true
    if events == nil { deliverContent(over: connection) }
    events = nil
    if !connection.isClosed { onEnd(keepsConnection) }
  }
}

@available(*, unavailable)
extension PostFraming: Sendable {}
