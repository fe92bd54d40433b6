package import HTTP1

/// Remembers heads of responses, so that a head that differs only in its length need not be parsed again.
package struct ReplyMemo: Sendable {
  /// What a head says.
  package struct Head: Equatable, Sendable {
    package var status: Int
    package var keepsConnection: Bool
    package var content: Range<Int>
  }

  private struct Entry {
    var head: HTTPKnownHead
    var status: Int
    var keepsConnection: Bool
  }

  private static let capacity = 4
  private static let limitBytes = 4 * 1024

  private let contentLimitBytes: Int
  private var entries: [Entry] = []

  package init(contentLimitBytes: Int) { self.contentLimitBytes = contentLimitBytes }

  /// The response at `offset` if its head is known, and all of its content has come.
  /// - Parameter count: how many of the bytes there are.
  package func head(in bytes: Span<UInt8>, count: Int, at offset: Int) -> Head? {
    for index in entries.indices {
      let content = entries[index].head.content(
        in: bytes, count: count, at: offset, limitBytes: contentLimitBytes)
      guard let content else { continue }
      return Head(
        status: entries[index].status, keepsConnection: entries[index].keepsConnection, content: content)
    }
    return nil
  }

  /// Remembers a head that was read, if it says its content's length.
  /// - Parameter range: all of it, in `bytes`.
  package mutating func remember(_ head: HTTPResponseHead, _ range: Range<Int>, of bytes: Span<UInt8>) {
    guard case .length = head.framing,
      let known = HTTPKnownHead(range, of: bytes, limitBytes: Self.limitBytes)
    else { return }
    if entries.count == Self.capacity { entries.removeFirst() }
    entries.append(Entry(head: known, status: head.status, keepsConnection: head.keepsConnection))
  }
}
